"""Folder of a sweep: its lock, its record of cells, and the folder of each cell."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import GenericAlias
from typing import IO, Any, NoReturn, TypeVar

import msgspec

from runner.base import UserError, atomic_write, files_below, reason, remove_abandoned, text_if_any
from runner.records.bounded_files import RecordBound, read_json
from runner.records.given import given_folder
from runner.records.log import PART, lock_file
from runner.records.rule import RowRule
from runner.records.run_folder import RecordFile, newest_time

T = TypeVar("T")

_PATIENCE = 60.0  # seconds in which the command that submits tasks, and holds the lock, ends after their first start
_TRIES, _SECONDS_BETWEEN_TRIES = 5, 0.02


@dataclass(frozen=True)
class Job:
    """Record of a cell in jobs.json.

    Attributes
    ----------
    folder : str
        Folder of the cell, relative to that of the sweep.
    cell : str
        Digest of the cell.
    search : str
        Digest of the cell without its limits.
    instances : int
        Number of instances that have a row when the cell is complete: an instance that the source repeats has one row.
    code : str
        Fingerprint of the code whose rows count; empty if all rows count.
    reading : str
        Digest of how the output of its program is read.
    limits : str
        Limits of the cell.
    repeat : int
        Number of searches of each instance.
    is_current : bool
        Whether the cell belongs to the newest command.
    values : dict of str to str
        Values of the keys in which the cells of the command may differ.
    swept : list of str
        Keys that the command has swept.
    """

    folder: str
    overrides: list[str]
    cell: str
    search: str
    instances: int
    code: str = ""
    reading: str = ""
    limits: str = ""
    repeat: int = 1
    is_current: bool = True
    values: dict[str, str] = field(default_factory=dict)
    swept: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not Path(self.folder).parts or Path(self.folder).is_absolute() or ".." in Path(self.folder).parts:
            raise ValueError(f"'{self.folder}' is not a folder inside that of the sweep")
        if self.instances < 0:
            raise ValueError("instances: expected at least 0")

    @property
    def rule(self) -> RowRule:
        """Rule for the rows of the cell."""
        return RowRule(self.code or None, self.limits, self.repeat)


class SweepFolder:
    """Folder of a sweep on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None
        self._is_tidy = False

    @classmethod
    def at(cls, folder: str) -> SweepFolder:
        """Return the folder of an existing sweep; `latest` is the newest."""
        path = given_folder(folder, (RecordFile.SWEEP,))
        try:
            path = path.resolve()
            is_sweep = (path / RecordFile.SWEEP).is_file()
            is_run = (path / RecordFile.METRICS).exists()
        except OSError as error:
            raise UserError(reason(error, path)) from None
        if not is_sweep:
            hint = "; a single run cannot be resumed, run it again" if is_run else ""
            raise UserError(f"{path}: there is no sweep ({RecordFile.SWEEP} is missing){hint}")
        return cls(path)

    def is_collected(self) -> bool:
        """Whether there is a results.csv; in the folder of a sweep, not older than any row and the record of cells."""
        rows = files_below(self.path, RecordFile.METRICS) if (self.path / RecordFile.SWEEP).exists() else []
        changed = newest_time([*rows, self.path / RecordFile.JOBS]) if rows else 1
        return newest_time([self.path / RecordFile.RESULTS]) >= changed

    def allocate(self, cells: Sequence[tuple[str, ...] | None], *, with_limits: bool = True) -> list[str]:
        """Return a folder for each cell: the folder of an earlier command for this cell, or a new one.

        The names of new folders are numbers; in a new sweep, the numbers of the cells.

        Parameters
        ----------
        cells : sequence of tuple of str or None
            Digests of the cells, with and without limits, and of how their outputs are read; None for a cell that does
            not run. Of cells that differ only in the last one, each continues in its own folder if there is one.
        with_limits : bool
            If False, a cell also continues in the folder of a cell that differs only in its limits.
        """
        digests = 1 if with_limits else 2
        recorded: dict[str, list[Job]] = {}
        for job in self.recorded():
            for digest in (job.cell, job.search)[:digests]:
                recorded.setdefault(digest, []).append(job)
        taken = {path.name for path in self.path.iterdir() if path.is_dir()} if self.path.is_dir() else set()
        free = 1 + max((int(name) for name in taken if name.isdecimal()), default=-1)
        names: list[str] = []
        for number, cell in enumerate(cells):
            former = [job for digest in (cell or ())[:digests] for job in recorded.get(digest, ())]
            if cell is not None:
                former.sort(key=lambda job: (job.cell not in cell, job.reading not in cell))
            name = next((job.folder for job in former if job.folder not in names), None)
            if name is None and str(number) not in taken:
                name = str(number)
            if name is None or name in names:
                free = max(free, len(cells))
                name = str(free)
                free += 1
            names.append(name)
        return names

    def record(self, jobs: Sequence[Job]) -> None:
        """Write jobs.json; cells of earlier commands stay on record."""
        named = {job.folder for job in jobs}
        former = [replace(job, is_current=False) for job in self.recorded() if job.folder not in named]
        with atomic_write(self.path / RecordFile.JOBS, "wb") as out:
            out.write(msgspec.json.format(msgspec.json.encode([*former, *jobs]), indent=1))

    def jobs(self) -> list[Job]:
        """Return the cells of the newest command."""
        return [job for job in self.entries(RecordFile.JOBS, Job) if job.is_current]

    def recorded(self) -> list[Job]:
        """Return the cells of all commands; none if the record is missing or corrupt."""
        try:
            return self.entries(RecordFile.JOBS, Job)
        except UserError:  # the record is not needed: each row has its run_id
            return []

    def entries(self, name: str, cls: type[T]) -> list[T]:
        """Return the entries of a JSON file in the folder that the runner has written, checked against a type."""
        list_of_entries: Any = GenericAlias(list, (cls,))
        try:
            entries: list[T] = read_json(self.path / name, list_of_entries, RecordBound.RECORD)
        except UserError as error:
            raise UserError(f"{error}. Run the sweep again into its folder.") from None
        return entries

    def lock(self, names: Sequence[str] = ()) -> None:
        """Lock the folder until `unlock` or the end of this process; first remove what earlier commands have left."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = open(self.path / RecordFile.LOCK, "a+", encoding="utf-8")  # noqa: SIM115
            if not _acquire(file):
                file.close()
                self.refuse_locked()
            tasks = [task for task in self.path.glob(f"{RecordFile.TASK_LOCKS}/*") if not _can_be_locked(task)]
            if tasks:
                file.close()
                raise self._busy_error(f"tasks of a cluster, such as {tasks[0].name}")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
            file.flush()
            if not self._is_tidy:
                self._tidy(names)
        except OSError as error:
            raise UserError(reason(error, self.path)) from None
        self._lock = file

    def _tidy(self, names: Sequence[str]) -> None:
        """Remove problems and temporary files of cells (numbered, on record, or in `names`); all else is the user's."""
        numbered = {path.name for path in self.path.iterdir() if path.name.isdecimal()}
        cells = [self.path / name for name in numbered.union(names, (job.folder for job in self.recorded()))]
        cells = [cell for cell in cells if not cell.is_symlink()]
        folders = [*cells, *(part for cell in cells for part in cell.glob(f"{PART}*"))]
        for problem in (folder / name for folder in folders for name in (RecordFile.REFUSED, RecordFile.FAILED)):
            with suppress(OSError):  # most do not exist
                problem.unlink()
                os.removedirs(problem.parent)
        of_atomic_write = f".?*.{'[0-9a-f]' * 8}.tmp"
        remove_abandoned(file for folder in (self.path, *folders) for file in folder.glob(of_atomic_write))
        self._is_tidy = True

    def problems(self, name: str) -> list[Path]:
        """Return the files of cells with a name; if `hydra.sweep.subdir` has named the cells, all files with it."""
        files = files_below(self.path, name)
        is_numbered = all(job.folder.isdecimal() for job in self.jobs())
        return [file for file in files if not is_numbered or file.relative_to(self.path).parts[0].isdecimal()]

    def lock_as_task(self, name: str) -> None:
        """Lock the folder for tasks of a cluster until this process ends; only other tasks can lock it, too.

        Raises
        ------
        UserError
            If a task with this name, or a process that is no task, has locked it.
        """
        deadline = time.monotonic() + _PATIENCE
        while self.is_locked():
            if time.monotonic() > deadline:
                self.refuse_locked()
            time.sleep(0.1)
        (self.path / RecordFile.TASK_LOCKS).mkdir(exist_ok=True)
        self._lock = open(self.path / RecordFile.TASK_LOCKS / name, "a+", encoding="utf-8")  # noqa: SIM115
        if not _acquire(self._lock):
            self._lock.close()
            raise self._busy_error(name)

    def has_task(self, name: str) -> bool:
        """Whether a task with this name has locked the folder."""
        file = self.path / RecordFile.TASK_LOCKS / name
        return file.is_file() and not _can_be_locked(file)

    def is_locked(self, *, by_tasks: bool = False) -> bool:
        """Whether another process has locked the folder.

        Parameters
        ----------
        by_tasks : bool
            Count the locks of tasks of a cluster, too.
        """
        tasks = list(self.path.glob(f"{RecordFile.TASK_LOCKS}/*")) if by_tasks else []
        return any(file.is_file() and not _can_be_locked(file) for file in (self.path / RecordFile.LOCK, *tasks))

    def refuse_locked(self) -> NoReturn:
        """Raise `UserError`: another process has locked the folder."""
        raise self._busy_error(text_if_any(self.path / RecordFile.LOCK).strip() or "unknown which")

    def _busy_error(self, holder: str) -> UserError:
        problem = f"another process may be writing to this folder ({holder})"
        return UserError(f"{self.path}: {problem}; wait until it ends, or choose another folder")

    def unlock(self) -> None:
        """Close the file of the lock, which is released when every process that has inherited it has closed it."""
        if self._lock is not None:
            self._lock.close()

    def discard(self) -> None:
        """Remove the lock, and the folder if it holds nothing else."""
        with suppress(OSError):
            (self.path / RecordFile.LOCK).unlink()
            self.path.rmdir()


def refuse_occupied(directory: Path, *others: str) -> None:
    """Raise `UserError` if a folder holds results: rows of a run, or one of some other files."""
    if any((directory / name).exists() for name in (RecordFile.METRICS, *others)):
        raise UserError(f"{directory}: holds results already, which are never overwritten; choose another directory")


def _acquire(file: IO[Any]) -> bool:
    """Lock an open file. Try several times: a process that tests the lock holds it for a moment."""
    for _ in range(_TRIES):
        if lock_file(file):
            return True
        time.sleep(_SECONDS_BETWEEN_TRIES)
    return False


def _can_be_locked(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return lock_file(file)
    except PermissionError:
        return True  # it cannot be tested
