"""Submission of a plan to SLURM through submitit, as the tasks of a job array, and the states of these tasks.

Rows on disk decide which instances are finished. The queue only shows which tasks are queued or running, so SLURM needs
no accounting.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from runner.base import FAILED, UserError, atomic_write, message
from runner.execution import SCHEDULERS, SubmittedTask
from runner.features.cluster import LOGS, SUBMITTED
from runner.features.cluster.slices import PlanPiece
from runner.records import SweepFolder

WARNING = signal.SIGUSR2
"""Signal of SLURM before the time limit of a task, which submitit expects."""
GONE, UNKNOWN = "GONE", "UNKNOWN"
_QUEUE = ("squeue", "--me", "-h", "-r", "-t", "all", "-o", "%i|%T")
_CONFIG = ("scontrol", "show", "config")
_ENDED = (GONE, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE")
_QUEUE_SECONDS = 60
_SBATCH = """\
answer=$(sbatch "$@") || exit
case $answer in *"Submitted batch job "*) answer="Submitted batch job ${answer#*Submitted batch job }" ;; esac
echo "$answer"
"""
"""Program that leaves out what a site prints beside the answer of sbatch. submitit takes the first `job NUMBER`."""


@dataclass(frozen=True)
class SubmittedArrayTask:
    """Task of a job array that was submitted.

    Attributes
    ----------
    id : str
        Identifier in SLURM, such as 17_3.
    pieces : list of PlanPiece
        Pieces that the task runs.
    seed : int
        Seed of the order in which the pieces of the submission were dealt out to its tasks.
    """

    id: str
    pieces: list[PlanPiece]
    seed: int


TaskState = tuple[SubmittedArrayTask, str]


@dataclass(frozen=True)
class ArrayTask:
    """Work of one task of a job array. This class must be importable on the node, because submitit pickles it.

    Attributes
    ----------
    run : callable
        Function of the folder of the sweep, the pieces and the overrides, which returns the exit code: 128 + `WARNING`
        if that signal has ended it.
    overrides : tuple of str
        Overrides that are added to those of the sweep.
    """

    run: Callable[[str, Sequence[PlanPiece], Sequence[str]], int]
    sweep: str
    pieces: tuple[PlanPiece, ...]
    overrides: tuple[str, ...]

    def __call__(self) -> int:
        """Run the pieces and return the exit code. Before the time limit, have submitit queue the task again."""
        from submitit.core.utils import UncompletedJobError

        try:
            exit_code = self.run(self.sweep, self.pieces, self.overrides)
            if exit_code == 128 + WARNING:  # the searches have stopped
                signal.raise_signal(WARNING)  # submitit's handler ends this process, unless it has queued it too often
        except UncompletedJobError:
            message(
                "this task has reached its time limit for the last time; "
                f"to continue: python -m runner submit --resume {shlex.quote(self.sweep)}"
            )
            return FAILED
        return exit_code

    def checkpoint(self) -> Any:
        """Return the submission that submitit queues again at the time limit. It continues from the rows on disk."""
        import submitit

        return submitit.helpers.DelayedSubmission(self)


def arrays_of(tasks: Sequence[ArrayTask]) -> list[Sequence[ArrayTask]]:
    """Divide tasks into as few job arrays as this cluster allows, of about the same size."""
    count = -(-len(tasks) // (_largest_array() or len(tasks)))
    size = -(-len(tasks) // count)
    return [tasks[first : first + size] for first in range(0, len(tasks), size)]


def submit(sweep: Path, arrays: Sequence[Sequence[ArrayTask]], parameters: Mapping[str, Any], seed: int) -> list[str]:
    """Submit job arrays to SLURM, record their tasks in the folder of the sweep, and return the ids of the tasks.

    If SLURM refuses an array after others, print its reason. The tasks of those before it are submitted.

    Parameters
    ----------
    parameters : mapping
        Parameters of submitit's executor.
    seed : int
        Seed with which the pieces were dealt out, for the record.

    Raises
    ------
    UserError
        If SLURM refuses the first array.
    """
    submitted = submissions(sweep)
    ids: list[str] = []
    for tasks in arrays:
        try:
            with _first_on_path({"sbatch": _SBATCH}):
                jobs = _submitted(sweep / LOGS, tasks, parameters)
        except UserError as error:
            if ids:
                message(f"error: {error}")
                break
            if not submitted:
                shutil.rmtree(sweep / LOGS, ignore_errors=True)
            raise
        ids += [job.job_id for job in jobs]
        for job, task in zip(jobs, tasks, strict=True):
            submitted.append(SubmittedArrayTask(job.job_id, list(task.pieces), seed))
    with atomic_write(sweep / SUBMITTED, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(submitted), indent=1))
    return ids


def script(sweep: Path, tasks: Sequence[ArrayTask], parameters: Mapping[str, Any]) -> str:
    """Return the script that `submit` would give to sbatch. SLURM need not be installed.

    submitit offers no function for it, so the tasks are submitted to a program that only looks like sbatch.
    """
    with _first_on_path(dict.fromkeys(("sbatch", "srun"), "echo Submitted batch job 1")) as folder:
        job = _submitted(Path(folder, LOGS), tasks, parameters)[0]
        text: str = job.paths.submission_file.read_text(encoding="utf-8")
        return text.replace(str(Path(folder, LOGS)), str(sweep / LOGS))


@contextmanager
def _first_on_path(programs: Mapping[str, str]) -> Iterator[str]:
    """Put programs, by their names, before all others on PATH, and return the temporary folder that has them."""
    path = os.environ.get("PATH", os.defpath)
    with TemporaryDirectory(prefix="search-runner-slurm-") as folder:
        for name, text in programs.items():
            program = Path(folder, name)
            program.write_text(f"#!/bin/sh\nPATH={shlex.quote(path)}\n{text}\n", encoding="utf-8")
            program.chmod(0o700)
        os.environ["PATH"] = os.pathsep.join([folder, path])
        try:
            yield folder
        finally:
            os.environ["PATH"] = path


def _submitted(logs: Path, tasks: Sequence[ArrayTask], parameters: Mapping[str, Any]) -> list[Any]:
    """Give tasks to sbatch as a job array, and return the jobs of submitit."""
    try:
        import submitit
    except ImportError:
        raise UserError("submit: needs submitit; install it with: pip install 'search-runner[cluster]'") from None
    try:
        # `exec` replaces the shell, so that signals of SLURM reach Python
        executor = submitit.SlurmExecutor(logs, python=f"exec {shlex.quote(sys.executable)}")
        # a cluster that checks keys of accounting would refuse submitit's own
        executor.update_parameters(use_srun=False, stderr_to_stdout=True, wckey=None, **parameters)
        with redirect_stderr(StringIO()), executor.batch():  # submitit also prints its errors
            return [executor.submit(task) for task in tasks]
    except (RuntimeError, subprocess.CalledProcessError, OSError, submitit.core.utils.FailedJobError) as error:
        raise UserError(f"submit: SLURM refused the job: {' '.join(str(error).split())[-300:]}") from None


def _largest_array() -> int | None:
    """Return the largest number of tasks of an array on this cluster; None if scontrol does not tell."""
    try:
        done = subprocess.run(_CONFIG, capture_output=True, text=True, timeout=_QUEUE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"^MaxArraySize\s*=\s*([0-9]+)", done.stdout, re.MULTILINE)
    return int(found[1]) if found else None


def submissions(sweep: Path) -> list[SubmittedArrayTask]:
    """Return the submitted tasks of a sweep, oldest first."""
    return SweepFolder(sweep).entries(SUBMITTED, SubmittedArrayTask) if (sweep / SUBMITTED).exists() else []


def states() -> dict[str, str] | None:
    """Return the states of this user's tasks by their ids; None if squeue does not answer."""
    try:
        done = subprocess.run(_QUEUE, capture_output=True, text=True, timeout=_QUEUE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return {name: state for name, _, state in (line.partition("|") for line in done.stdout.splitlines())}


def tasks_of(sweep: Path) -> list[TaskState]:
    """Return the submitted tasks of a sweep with their states, oldest first. States are `UNKNOWN` if squeue fails."""
    submitted = submissions(sweep)
    known = states() if submitted else {}
    return [(each, UNKNOWN if known is None else known.get(each.id, GONE)) for each in submitted]


@SCHEDULERS.register("slurm")
def submitted_tasks(sweep: Path) -> list[SubmittedTask]:
    """Return the submitted tasks of a sweep, as the command `status` shows them."""
    return [
        SubmittedTask(
            id=task.id,
            state=state,
            instances=PlanPiece.instances(task.pieces),
            log=log if (sweep / (log := f"{LOGS}/{task.id}_0_log.out")).is_file() else "",
            is_over=is_over(state),
            unknown="squeue failed or timed out" if state == UNKNOWN else "",
        )
        for task, state in tasks_of(sweep)
    ]


def is_over(state: str) -> bool:
    """Return whether a task in this state has ended."""
    return state in _ENDED
