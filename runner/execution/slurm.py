"""Slices of a plan on SLURM, through submitit: tasks of a job array, and what the queue says of them.

Only rows on disk decide what is finished. The queue only says what waits or runs, which works without accounting.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from runner.execution.plan import PlannedCell
from runner.records.reader import read_record
from runner.records.writer import PART
from runner.registry import UserError
from worlds.files import atomic_write

SUBMITTED, LOGS = "submitted.json", "slurm"
GONE, UNKNOWN = "GONE", "UNKNOWN"
_QUEUE = ("squeue", "--me", "-h", "-r", "-t", "all", "-o", "%i|%T")
_ENDED = (GONE, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE")
_QUEUE_SECONDS = 60
_PIECES_PER_TASK = 4


@dataclass(frozen=True)
class Piece:
    """Instances of a cell: those with the numbers from `first` to `last` - 1.

    Attributes
    ----------
    folder : str
        Of the cell.
    part : str
        Of the folder in that one where the rows go; empty for a whole cell.
    """

    folder: str
    part: str
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class Submission:
    """A task that was handed to SLURM.

    Attributes
    ----------
    id : str
        Of SLURM.
    pieces : list of Piece
        That it runs.
    """

    id: str
    pieces: list[Piece]


TaskState = tuple[Submission, str]


@dataclass(frozen=True)
class Task:
    """The work of one task of a job array. Must be importable where it runs, because submitit pickles it.

    Attributes
    ----------
    run : callable
        Takes the folder of the sweep, pieces and overrides; returns the exit code.
    overrides : tuple of str
        Beside those of the sweep.
    """

    run: Callable[[str, Sequence[Piece], Sequence[str]], int]
    sweep: str
    pieces: tuple[Piece, ...]
    overrides: tuple[str, ...]

    def __call__(self) -> int:
        """Run the pieces; returns the exit code."""
        return self.run(self.sweep, self.pieces, self.overrides)

    def checkpoint(self) -> Any:
        """Return what submitit queues again when the time of a task is up: it goes on where it ended."""
        import submitit

        return submitit.helpers.DelayedSubmission(self)


def deal(cells: Sequence[PlannedCell], tasks: int) -> list[tuple[Piece, ...]]:
    """Deal what is left to do out among tasks: whole cells, or parts of them where there are few.

    Returns
    -------
    list of tuple of Piece
        For each task; there are no empty ones.
    """
    parts = -(-_PIECES_PER_TASK * tasks // max(1, len(cells)))
    pieces: list[Piece] = []
    for cell in cells:
        size = -(-cell.waiting // max(1, min(parts, cell.waiting)))
        for numbers in cell.missing:
            for first in range(numbers.start, numbers.stop, size):
                last = min(first + size, numbers.stop)
                is_whole = len(cell.missing) == 1 and size >= cell.waiting
                part = "" if is_whole else f"{PART}{first:09}"
                pieces.append(Piece(cell.folder.name, part, first, last))
    return [tuple(pieces[task::tasks]) for task in range(min(tasks, len(pieces)))]


def submit(sweep: Path, tasks: Sequence[Task], parameters: Mapping[str, Any]) -> list[str]:
    """Hand tasks to SLURM as a job array, and note them in the folder of the sweep; returns their ids.

    Parameters
    ----------
    parameters : mapping
        Of submitit's executor.
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
        with redirect_stderr(StringIO()), executor.batch():  # submitit prints what it raises
            jobs = [executor.submit(task) for task in tasks]
    except (RuntimeError, subprocess.CalledProcessError, OSError, submitit.core.utils.FailedJobError) as error:
        if not submissions(sweep):
            shutil.rmtree(sweep / LOGS, ignore_errors=True)
        raise UserError(f"submit: SLURM does not take it: {' '.join(str(error).split())[-300:]}") from None
    new = [Submission(job.job_id, list(task.pieces)) for job, task in zip(jobs, tasks, strict=True)]
    with atomic_write(sweep / SUBMITTED, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode([*submissions(sweep), *new]), indent=1))
    return [each.id for each in new]


def submissions(sweep: Path) -> list[Submission]:
    """Return what was handed to SLURM for a sweep, oldest first."""
    file = sweep / SUBMITTED
    return read_record(file, Submission) if file.exists() else []


def states() -> dict[str, str] | None:
    """Return the tasks of this user that the queue knows, with their states; None if it cannot be asked."""
    try:
        done = subprocess.run(_QUEUE, capture_output=True, text=True, timeout=_QUEUE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return {name: state for name, _, state in (line.partition("|") for line in done.stdout.splitlines())}


def tasks_of(sweep: Path) -> list[TaskState]:
    """Return what was handed to SLURM for a sweep, oldest first, and its states: `UNKNOWN` without an answer."""
    submitted = submissions(sweep)
    known = states() if submitted else {}
    return [(each, UNKNOWN if known is None else known.get(each.id, GONE)) for each in submitted]


def is_over(state: str) -> bool:
    """Whether a task in this state runs no more."""
    return state in _ENDED


def log_of(task: str) -> str:
    """Return where a task writes to, in the folder of the sweep."""
    return f"{LOGS}/{task}_0_log.out"
