"""Sweeps on SLURM, through submitit: tasks of a job array that run jobs of a sweep, and what the queue says of them.

Whether something is finished is told by rows on disk alone. The queue tells only what waits or runs: it needs no
accounting, which many clusters do not have.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.registry import UserError
from runner.results import DAMAGED
from worlds.files import whole_file

SUBMITTED = "submitted.json"
LOGS = "slurm"
GONE, UNKNOWN = "GONE", "UNKNOWN"
_QUEUE = ("squeue", "--me", "-h", "-r", "-t", "all", "-o", "%i|%T")
_ENDED = (GONE, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE")
_QUEUE_SECONDS = 60


@dataclass(frozen=True)
class Task:
    """What one task of a job array does: some jobs of a sweep, one after the other.

    Attributes
    ----------
    sweep : str
        Its folder.
    jobs : tuple of int
        Their numbers.
    overrides : tuple of str
        Beside those of the sweep.
    """

    sweep: str
    jobs: tuple[int, ...]
    overrides: tuple[str, ...]

    def __call__(self) -> int:
        """Run the jobs; returns the exit code."""
        from runner import resume

        only = f"hydra.sweeper.only=[{','.join(map(str, self.jobs))}]"
        return resume.main([self.sweep, *self.overrides, only, "hydra/launcher=basic"])

    def checkpoint(self) -> Any:
        """What submitit queues again when the time of a task is up: it goes on where it ended."""
        import submitit

        return submitit.helpers.DelayedSubmission(self)


@dataclass(frozen=True)
class Submission:
    """A task that was handed to SLURM.

    Attributes
    ----------
    id : str
        Of SLURM.
    folders : list of str
        Of the jobs that it runs.
    """

    id: str
    folders: list[str]


def submit(
    sweep: Path, tasks: Sequence[Task], folders: Sequence[list[str]], parameters: Mapping[str, Any]
) -> list[str]:
    """Hand tasks to SLURM as a job array, and note them in the folder of the sweep; returns their ids.

    Parameters
    ----------
    folders : sequence of list of str
        Of the jobs of each task.
    parameters : mapping
        Of submitit's executor.

    Raises
    ------
    UserError
        If SLURM does not take them.
    """
    try:
        import submitit
    except ImportError:
        raise UserError("submit: needs submitit; pip install 'search-runner[cluster]'") from None
    try:
        # `exec`: so that a signal of SLURM's reaches Python, and not the shell around it
        executor = submitit.AutoExecutor(
            sweep / LOGS, cluster="slurm", slurm_python=f"exec {shlex.quote(sys.executable)}"
        )
        executor.update_parameters(
            slurm_use_srun=False,
            stderr_to_stdout=True,
            slurm_additional_parameters={"signal": "B:USR2@60"},
            **parameters,
        )
        with _without_standard_error(), executor.batch():
            jobs = [executor.submit(task) for task in tasks]
    except (RuntimeError, subprocess.CalledProcessError, OSError, submitit.core.utils.FailedJobError) as error:
        if not submissions(sweep):
            shutil.rmtree(sweep / LOGS, ignore_errors=True)
        raise UserError(f"submit: SLURM does not take it: {' '.join(str(error).split())[-300:]}") from None
    new = [Submission(job.job_id, names) for job, names in zip(jobs, folders, strict=True)]
    with whole_file(sweep / SUBMITTED) as out:
        json.dump([vars(each) for each in (*submissions(sweep), *new)], out, indent=1)
    return [each.id for each in new]


@contextmanager
def _without_standard_error() -> Iterator[None]:
    """Keep quiet what is part of an exception, too: sbatch writes past Python."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def submissions(sweep: Path) -> list[Submission]:
    """What was handed to SLURM for a sweep, oldest first.

    Raises
    ------
    UserError
        If the record cannot be read.
    """
    file = sweep / SUBMITTED
    if not file.is_file():
        return []
    try:
        return [
            Submission(str(each["id"]), [str(folder) for folder in each["folders"]])
            for each in json.loads(file.read_text(encoding="utf-8"))
        ]
    except (OSError, *DAMAGED) as error:
        raise UserError(f"{file}: damaged, put it away ({type(error).__name__}: {error})") from None


def states() -> dict[str, str] | None:
    """The tasks of this user that the queue knows, with their states; None if it cannot be asked."""
    try:
        done = subprocess.run(_QUEUE, capture_output=True, text=True, timeout=_QUEUE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return {name: state for name, _, state in (line.partition("|") for line in done.stdout.splitlines())}


def tasks_of(sweep: Path) -> list[tuple[Submission, str]]:
    """What was handed to SLURM for a sweep, oldest first, and its states: `UNKNOWN` if the queue cannot be asked."""
    submitted = submissions(sweep)
    known = states() if submitted else {}
    return [(each, UNKNOWN if known is None else known.get(each.id, GONE)) for each in submitted]


def is_over(state: str) -> bool:
    """Whether a task in this state runs no more."""
    return state in _ENDED


def log_of(task: str) -> str:
    """Where a task writes to, in the folder of the sweep."""
    return f"{LOGS}/{task}_0_log.out"


def watch_queue() -> None:
    """Let submitit ask the queue, not the accounting: without that it waits for ever for a task that was killed."""
    from submitit.slurm.slurm import SlurmInfoWatcher, SlurmJob

    class Queue(SlurmInfoWatcher):  # type: ignore[misc,unused-ignore]
        def update(self) -> None:
            known = states()
            if known is not None:
                self._info_dict.update({each: {"State": known.get(each, GONE)} for each in self._registered})
                self._finished |= {each for each in self._registered if is_over(known.get(each, GONE))}
            self._last_status_check = time.time()

        def is_done(self, job_id: str, mode: str = "standard") -> bool:
            return is_over(self.get_state(job_id, mode=mode).upper())

    SlurmJob.watcher = Queue(delay_s=10)
    SlurmJob._results_timeout_s = 5
    logging.getLogger("submitit").setLevel(logging.ERROR)
