"""The folder of a sweep: its lock, its record of cells, and which of its folders belongs to which cell."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import msgspec
from filelock import lock_descriptor

from runner.messages import reason
from runner.records.reader import read_record, text_of
from runner.records.writer import METRICS, RESULTS
from runner.registry import UserError
from worlds.files import atomic_write

LOCK, JOBS, SWEEP, TASK_LOCKS = ".lock", "jobs.json", "multirun.yaml", ".tasks"
_PATIENCE = 60.0
_TRIES, _SECONDS_BETWEEN_TRIES = 5, 0.02


@dataclass(frozen=True)
class Job:
    """A cell as it is recorded in jobs.json.

    Attributes
    ----------
    cell : str
        Digest of what the cell is.
    search : str
        The same without its limits.
    instances : int
        That have their rows in this folder, or will have.
    is_current : bool
        Of the newest command; if not, of an earlier one.
    values : dict of str to str
        By keys, what distinguishes the cells of its command, or may.
    swept : list of str
        Keys that its command has swept.
    """

    folder: str
    overrides: list[str]
    cell: str
    search: str
    instances: int
    is_current: bool = True
    values: dict[str, str] = field(default_factory=dict)
    swept: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not Path(self.folder).parts or Path(self.folder).is_absolute() or ".." in Path(self.folder).parts:
            raise ValueError(f"'{self.folder}' is no folder below that of the sweep")
        if self.instances < 0:
            raise ValueError(f"{self.instances} instances")


class SweepFolder:
    """The folder of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    @classmethod
    def at(cls, folder: str) -> SweepFolder:
        """Return the folder of a sweep that there is."""
        path = Path(folder)
        try:
            path = path.resolve()
            is_sweep, is_run = (path / SWEEP).is_file(), (path / METRICS).exists()
        except OSError as error:
            raise UserError(reason(error, path)) from None
        if not is_sweep:
            hint = "; a single run cannot be resumed, start it again" if is_run else ""
            raise UserError(f"{path}: there is no sweep ({SWEEP} is missing){hint}")
        return cls(path)

    def has_rows(self) -> bool:
        """Whether any cell has rows here."""
        return self.path.is_dir() and next(self.path.glob(f"*/**/{METRICS}"), None) is not None

    def is_collected(self) -> bool:
        """Whether results.csv is newer than all rows."""
        try:
            collected = (self.path / RESULTS).stat().st_mtime_ns
            return all(file.stat().st_mtime_ns <= collected for file in self.path.glob(f"*/**/{METRICS}"))
        except OSError:
            return False

    def allocate(self, cells: Sequence[tuple[str, str] | None], *, with_limits: bool = True) -> list[str]:
        """Return a folder for each cell: the one in which it ran before, or one that is free.

        Parameters
        ----------
        cells : sequence of (str, str) or None
            Digests of the cells, with and without limits; None of what is not run. Those of a new sweep get their
            numbers.
        with_limits : bool
            If False, a cell also goes on in the folder of one that differs in its limits only.
        """
        used = 1 if with_limits else 2
        recorded = reversed(self.recorded())  # the first of several goes before
        known = {digest: job.folder for job in recorded for digest in (job.cell, job.search)[:used]}
        taken = {path.name for path in self.path.iterdir() if path.is_dir()} if self.path.is_dir() else set()
        free = 1 + max((int(name) for name in taken if name.isdecimal()), default=-1)
        names: list[str] = []
        for number, cell in enumerate(cells):
            found = [known[digest] for digest in (cell or ())[:used] if digest in known]
            name = next((folder for folder in found if folder not in names), None)
            if name is None and str(number) not in taken:
                name = str(number)
            if name is None or name in names:
                free = max(free, len(cells))
                name, free = str(free), free + 1
            names.append(name)
        return names

    def record(self, jobs: Sequence[Job]) -> None:
        """Write jobs.json; cells of earlier commands stay on record."""
        named = {job.folder for job in jobs}
        former = [replace(job, is_current=False) for job in self.recorded() if job.folder not in named]
        with atomic_write(self.path / JOBS, "wb") as out:
            out.write(msgspec.json.format(msgspec.json.encode([*former, *jobs]), indent=1))

    def jobs(self) -> list[Job]:
        """Return the cells of the newest command."""
        return [job for job in read_record(self.path / JOBS, Job) if job.is_current]

    def recorded(self) -> list[Job]:
        """Return the cells of all commands; none if the record is not there or corrupt."""
        try:
            return read_record(self.path / JOBS, Job)
        except UserError:  # rows are known by their run_id, wherever they are
            return []

    def lock(self) -> None:
        """Keep other processes out as long as this one lives."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = open(self.path / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
            if not _acquire(file):
                file.close()
                self.refuse_locked()
            tasks = [task for task in self.path.glob(f"{TASK_LOCKS}/*") if not _can_be_locked(task)]
            if tasks:
                file.close()
                raise UserError(f"{self.path}: another sweep works there (tasks of a cluster, such as {tasks[0].name})")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
            file.flush()
        except OSError as error:
            raise UserError(reason(error, self.path)) from None
        self._lock = file

    def lock_as_task(self, name: str) -> None:
        """Keep commands that are no tasks out, as long as this process lives; other tasks may work here."""
        deadline = time.monotonic() + _PATIENCE
        while self.is_locked():
            if time.monotonic() > deadline:
                self.refuse_locked()
            time.sleep(0.1)
        (self.path / TASK_LOCKS).mkdir(exist_ok=True)
        self._lock = open(self.path / TASK_LOCKS / name, "a+", encoding="utf-8")  # noqa: SIM115
        _acquire(self._lock)

    def is_locked(self, *, by_tasks: bool = False) -> bool:
        """Whether some process works here; tasks of a cluster count only if asked for."""
        tasks = list(self.path.glob(f"{TASK_LOCKS}/*")) if by_tasks else []
        return any(file.is_file() and not _can_be_locked(file) for file in (self.path / LOCK, *tasks))

    def refuse_locked(self) -> None:
        """Raise `UserError`: another process works here."""
        holder = text_of(self.path / LOCK).strip() or "it does not say which"
        raise UserError(f"{self.path}: another sweep works there ({holder})")

    def disown(self) -> None:
        """Close the lock in a forked process; its parent keeps it."""
        if self._lock is not None:
            self._lock.close()

    def discard(self) -> None:
        """Remove a folder that holds nothing but the lock."""
        with suppress(OSError):
            (self.path / LOCK).unlink()
            self.path.rmdir()


def refuse_occupied(directory: Path) -> None:
    """Raise `UserError` if there are results in a folder."""
    if (directory / METRICS).exists():
        raise UserError(f"{directory}: holds results already, which are never overwritten; choose another directory")


def _is_free(file: IO[Any]) -> bool:
    """Lock an open file if no other process has; True without a lock where the file system has none."""
    try:
        return lock_descriptor(file.fileno(), blocking=False)
    except OSError:
        return True


def _acquire(file: IO[Any]) -> bool:
    """Lock an open file; another process may hold it for a moment, to find out whether it can be locked."""
    for _ in range(_TRIES):
        if _is_free(file):
            return True
        time.sleep(_SECONDS_BETWEEN_TRIES)
    return False


def _can_be_locked(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return _is_free(file)
    except PermissionError:
        return True  # nobody knows
