"""What is finished in the folder of a sweep.

A sweep that is run again into its folder goes on where it ended. What is finished is told by the `run_id` of a row, not
by the number of a job. Rows under other limits are others, because limits are no part of a `run_id`.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from algorithms.engine.search import LIMITS
from runner.environment import recorded
from runner.registry import UserError
from runner.result import FAILED
from runner.results import DAMAGED, ENVIRONMENT, METRICS, read_rows
from runner.schema import Retry
from worlds.files import natural_order

_MASK = (1 << 64) - 1


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

    def adopt(self, job: Path, limits: str) -> int:
        """Count the rows in the folder of a job under the limits that it has now, whatever is recorded of it.

        Returns how many instances need not be made again by them.
        """
        own = set()
        if (job / METRICS).is_file():
            for row in checked_rows(job / METRICS):
                self.add(row["run_id"], limits, row["status"])
                if self.has(row["run_id"], limits):
                    own.add(number_of(row["run_id"]))
        return len(own)

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
    except (csv.Error, *DAMAGED) as error:
        raise UserError(f"{file}: damaged, mend it or put it away ({type(error).__name__}: {error})") from None


def number_of(run_id: str) -> int:
    """A `run_id` as a number, which takes less room; any other text as a number, too."""
    try:
        return int(run_id, 16) & _MASK
    except ValueError:
        return int.from_bytes(hashlib.blake2b(run_id.encode(errors="replace"), digest_size=8).digest(), "little")


def cell_of(job: Path) -> str | None:
    """What identifies the cell that a job ran, from its record of the environment."""
    return str(recorded(job / ENVIRONMENT).get("cell") or "") or None


def limits_of(job: Path) -> str:
    """The limits under which a job ran, from the same record; empty if that is missing."""
    try:
        return str(json.loads(cell_of(job) or "")[2])
    except DAMAGED:
        return ""
