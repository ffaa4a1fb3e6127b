"""The folder of a sweep: who works in it, and which of its folders belongs to which job."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, ClassVar

from runner.command import reason
from runner.locks import acquire
from runner.progress import Cells
from runner.registry import UserError
from runner.results import DAMAGED, METRICS, overrides
from runner.schema import Retry
from worlds.files import natural_order, whole_file

LOCK, JOBS, SWEEP = ".lock", "jobs.json", "multirun.yaml"
SUBDIR = "${job_folder:${hydra.job.num}}"
"""Of conf/config.yaml: the folders that are given out here."""

_PATIENCE = 60.0
_HOW_TO_RUN = ("retry", "dry_run", "progress", "isolation")


def assign_folders(sweep: Path, jobs: Sequence[Sequence[str]], retry: Retry = "failed") -> list[str]:
    """Give each job a folder (`shared_out`), and note them."""
    names = shared_out(sweep, jobs, retry)
    noted = [{"folder": name, "overrides": list(job)} for name, job in zip(names, jobs, strict=True)]
    sweep.mkdir(parents=True, exist_ok=True)
    with whole_file(sweep / JOBS) as out:
        json.dump(noted, out, indent=1)
    return names


def shared_out(sweep: Path, jobs: Sequence[Sequence[str]], retry: Retry = "failed") -> list[str]:
    """A folder for each job: the one in which the same overrides ran before, or one that is free.

    With ``retry=limits``, what was run under other limits goes on in its folder.

    Parameters
    ----------
    sweep : Path
    jobs : sequence of sequence of str
        The overrides of each job, in order.

    Returns
    -------
    list of str
        Names of the folders; those of a new sweep are the numbers of the jobs.
    """
    folders = sorted(sweep.iterdir(), key=natural_order) if sweep.is_dir() else []
    taken = {folder.name: telling(overrides(folder), retry) for folder in folders if (folder / ".hydra").is_dir()}
    known = {recorded: name for name, recorded in reversed(taken.items())}
    names: list[str] = []
    free = 1 + max((int(name) for name in taken if name.isdigit()), default=-1)
    for number, job in enumerate(jobs):
        name = known.pop(telling(job, retry), None)
        if name is None and str(number) not in taken:
            name = str(number)
        if name is None or name in names:
            free = max(free, len(jobs))
            name, free = str(free), free + 1
        names.append(name)
    return names


def telling(job: Sequence[str], retry: Retry = "failed") -> tuple[str, ...]:
    """The overrides of a job without those that change nothing in its rows, in an order of their own."""
    keys = {override: override.lstrip("+").split("=")[0] for override in job}
    ignored = (*_HOW_TO_RUN, *(key for key in keys.values() if retry == "limits" and key.split(".")[0] == "limits"))
    return tuple(sorted(override for override, key in keys.items() if key not in ignored))


def folders_of(sweep: Path) -> list[str] | None:
    """The folders of the jobs of the newest sweep there, in order; None if that was not noted."""
    try:
        return _folders(sweep / JOBS, (sweep / JOBS).stat().st_mtime_ns)
    except (OSError, *DAMAGED):
        return None


@lru_cache(maxsize=4)
def _folders(file: Path, _: int) -> list[str]:
    return [str(job["folder"]) for job in json.loads(file.read_text(encoding="utf-8"))]


def folder_of(sweep: Path, number: int) -> str:
    """The folder of a job; its number, where folders were not given out."""
    folders = folders_of(sweep)
    return folders[number] if folders is not None and number < len(folders) else str(number)


@dataclass
class Opened:
    """The folder of the sweep that this process runs.

    Attributes
    ----------
    current : Opened or None
        In a process that works for another one there is none.
    cells : Cells
    is_part : bool
        Others work there, too, and somebody else collects the rows.
    has_begun : bool
        Jobs were handed to other processes.
    """

    directory: Path
    cells: Cells
    _lock: IO[str]
    _record: dict[Path, bytes]
    is_part: bool = False
    has_begun: bool = False
    current: ClassVar[Opened | None] = None

    def restore_record(self) -> None:
        """Put back what was recorded of the sweep before, because this command has not run anything."""
        for file, content in self._record.items():
            with suppress(OSError), whole_file(file) as out:
                out.write(content.decode(errors="replace"))


def open_sweep(sweep: Path, jobs: Sequence[Sequence[str]] | None, retry: Retry) -> None:
    """Lock the folder of a sweep, and give every job its folder there.

    Parameters
    ----------
    jobs : sequence of sequence of str, optional
        The overrides of each job; without them somebody else decides on the folders, and there must be no results yet.

    Raises
    ------
    UserError
        If it cannot be used.
    """
    if (sweep / METRICS).exists() or jobs is None:
        refuse_occupied(sweep, f"**/{METRICS}")
    try:
        held = lock(sweep)
        record = {file: file.read_bytes() for file in (sweep / SWEEP, sweep / JOBS) if file.is_file()}
        if jobs is None:
            (sweep / JOBS).unlink(missing_ok=True)
        else:
            assign_folders(sweep, jobs, retry)
    except OSError as error:
        raise UserError(reason(error, sweep)) from None
    Opened.current = Opened(sweep, Cells(None if jobs is None else len(jobs)), held, record)


def join_sweep(sweep: Path, jobs: Sequence[Sequence[str]], only: Sequence[int]) -> None:
    """Work in the folder of a sweep beside others, on some of the jobs.

    Raises
    ------
    UserError
        If these are not the jobs that were noted there.
    """
    try:
        noted = [telling(job["overrides"]) for job in json.loads((sweep / JOBS).read_text(encoding="utf-8"))]
    except (OSError, *DAMAGED) as error:
        raise UserError(f"{sweep / JOBS}: damaged ({type(error).__name__}: {error})") from None
    if not all(number < len(noted) and noted[number] == telling(jobs[number]) for number in only):
        raise UserError(f"{sweep}: its jobs are others now than when they were submitted; submit it again")
    Opened.current = Opened(sweep, Cells(len(only)), lock(sweep, shared=True), {}, is_part=True)


def sweep_at(folder: str) -> Path:
    """The folder of a sweep.

    Raises
    ------
    UserError
        If no sweep was run there.
    """
    path = Path(folder)
    try:
        path = path.resolve()
        is_sweep, is_run = (path / SWEEP).is_file(), (path / METRICS).exists()
    except OSError as error:
        raise UserError(reason(error, path)) from None
    if not is_sweep:
        hint = "; a single run cannot go on, start it anew" if is_run else ""
        raise UserError(f"{path}: there is no sweep ({SWEEP} is missing){hint}")
    return path


def is_locked(sweep: Path) -> bool:
    """Whether some process works there."""
    if not (sweep / LOCK).is_file():
        return False
    with open(sweep / LOCK, "a+", encoding="utf-8") as file:
        return not acquire(file)


def refuse_locked(sweep: Path) -> None:
    """Raise `UserError`: another process works there."""
    holder = (sweep / LOCK).read_text(encoding="utf-8", errors="replace").strip() or "it does not say which"
    raise UserError(f"{sweep}: another sweep works there ({holder})")


def note_instances(sweep: Path, counts: Sequence[int]) -> None:
    """Note how many instances each job has; 0 if it is left out."""
    noted = json.loads((sweep / JOBS).read_text(encoding="utf-8"))
    with whole_file(sweep / JOBS) as out:
        json.dump([{**job, "instances": count} for job, count in zip(noted, counts, strict=True)], out, indent=1)


def refuse_occupied(directory: Path, pattern: str = METRICS) -> None:
    """Raise `UserError` if there are results in a directory."""
    if next(directory.glob(pattern), None) is not None:
        raise UserError(f"{directory}: holds results already, which are never overwritten; choose another directory")


def lock(sweep: Path, shared: bool = False) -> IO[str]:
    """Keep other processes out of a sweep's folder as long as what is returned is open; not those that share it.

    Raises
    ------
    UserError
        If another process works there.
    """
    sweep.mkdir(parents=True, exist_ok=True)
    file = open(sweep / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
    deadline = time.monotonic() + (_PATIENCE if shared else 0)
    while not (is_free := acquire(file, shared)) and time.monotonic() < deadline:  # of who submits it
        time.sleep(0.1)
    if not is_free:
        file.close()
        refuse_locked(sweep)
    file.truncate(0)
    who = "tasks of a cluster, such as " if shared else ""
    file.write(f"{who}process {os.getpid()} on {socket.gethostname()}\n")
    file.flush()
    return file
