"""The folder of a sweep: who works in it, which of its folders belongs to which job, and what is finished there.

A sweep that is run again into its folder goes on where it ended. What is finished is told by the `run_id` of a row, not
by the number of a job. Rows under other limits are others, because limits are no part of a `run_id`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import socket
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO

from algorithms.engine.search import MEMORY_LIMIT, NODE_LIMIT, TIME_LIMIT
from runner.locks import acquire
from runner.registry import UserError
from runner.result import ERROR, INTERRUPTED
from runner.results import ENVIRONMENT, METRICS, overrides, read_rows
from runner.schema import Retry
from worlds.files import natural_order, whole_file

LOCK, JOBS, SWEEP = ".lock", "jobs.json", "multirun.yaml"
FAILED = (ERROR, INTERRUPTED)
_HOW_TO_RUN = ("retry", "dry_run", "progress")
_MASK = (1 << 64) - 1
LIMITS = (TIME_LIMIT, NODE_LIMIT, MEMORY_LIMIT)


class Finished:
    """Which rows need not be made again.

    Parameters
    ----------
    sweep : Path
    retry : {"failed", "limits", "none"}
        What is tried again: rows with errors and interruptions; these and what ended at a limit, whatever the limits
        were; or nothing.

    Attributes
    ----------
    mean_seconds : float or None
        Of the searches that are there; None without any.

    Raises
    ------
    UserError
        If a file with rows cannot be read.
    """

    def __init__(self, sweep: Path, retry: Retry = "failed") -> None:
        self._retry = retry
        self._known: defaultdict[str, set[int]] = defaultdict(set)
        seconds, count = 0.0, 0
        for file in sorted(sweep.rglob(METRICS), key=natural_order):
            limits = limits_of(file.parent)
            for row in checked_rows(file):
                self.add(row["run_id"], limits, row["status"])
                seconds, count = seconds + float(row["search_seconds"] or 0), count + 1
        self.mean_seconds = seconds / count if count else None

    def add(self, run_id: str, limits: str, status: str) -> None:
        """There is such a row."""
        if not self._is_tried_again(status):
            self._known[self._kind(limits)].add(number_of(run_id))

    def adopt(self, job: Path, limits: str) -> None:
        """Count the rows in the folder of a job under the limits that it has now, whatever is recorded of it."""
        if (job / METRICS).is_file():
            for row in checked_rows(job / METRICS):
                self.add(row["run_id"], limits, row["status"])

    def has(self, run_id: str, limits: str) -> bool:
        """Whether there is a row that is not to be made again."""
        return number_of(run_id) in self._known[self._kind(limits)]

    def _kind(self, limits: str) -> str:
        return "" if self._retry == "limits" else limits

    def _is_tried_again(self, status: str) -> bool:
        return self._retry != "none" and (status in FAILED or (self._retry == "limits" and status in LIMITS))


def checked_rows(file: Path) -> Iterator[dict[str, str]]:
    """Rows of a job.

    Raises
    ------
    UserError
        If they are not what a job writes.
    """
    try:
        for row in read_rows(file):
            float(row["search_seconds"] or 0)
            yield {**row, "run_id": row["run_id"], "status": row["status"]}
    except (ValueError, KeyError, csv.Error) as error:
        raise UserError(f"{file}: damaged, mend it or put it away ({type(error).__name__}: {error})") from None


def number_of(run_id: str) -> int:
    """A `run_id` as a number, which takes less room; any other text as a number, too."""
    try:
        return int(run_id, 16) & _MASK
    except ValueError:
        return int.from_bytes(hashlib.blake2b(run_id.encode(errors="replace"), digest_size=8).digest(), "little")


def cell_of(job: Path) -> str | None:
    """What identifies the cell that a job ran, from its record of the environment."""
    try:
        return str(json.loads((job / ENVIRONMENT).read_text(encoding="utf-8"))["cell"]) or None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def limits_of(job: Path) -> str:
    """The limits under which a job ran, from the same record; empty if that is missing."""
    try:
        return str(json.loads(cell_of(job) or "")[2])
    except (ValueError, IndexError, TypeError):
        return ""


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
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=4)
def _folders(file: Path, _: int) -> list[str]:
    return [str(job["folder"]) for job in json.loads(file.read_text(encoding="utf-8"))]


def folder_of(sweep: Path, number: int) -> str:
    """The folder of a job; its number, where folders were not given out."""
    folders = folders_of(sweep)
    return folders[number] if folders is not None and number < len(folders) else str(number)


def lock(sweep: Path) -> IO[str]:
    """Keep other processes out of a sweep's folder as long as what is returned is open.

    Raises
    ------
    UserError
        If another process works there.
    """
    sweep.mkdir(parents=True, exist_ok=True)
    file = open(sweep / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
    if not acquire(file):
        file.seek(0)
        holder = file.read().strip() or "it does not say which"
        file.close()
        raise UserError(f"{sweep}: another sweep works there ({holder})")
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    file.flush()
    return file
