"""How far the jobs of a sweep have come, by the rows on disk."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from pathlib import Path

from runner.environment import instances_of
from runner.registry import UserError
from runner.result import FAILED
from runner.results import DAMAGED, ENVIRONMENT, METRICS, REFUSED_FILE, SKIPPED_FILE
from runner.sweep.finished import checked_rows, number_of
from runner.sweep.folder import JOBS


@dataclass(frozen=True)
class Advance:
    """How far a job has come, or several.

    Attributes
    ----------
    instances : int
        That it has, as it was planned or recorded when it began.
    done, failed : int
        Instances with a row that is an outcome, and those with failed rows only.
    waiting : int
        Jobs that have not begun, where it was not planned how many instances they have.
    """

    instances: int = 0
    done: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def left(self) -> int:
        """Instances without any row."""
        return max(0, self.instances - self.done - self.failed)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is known to be missing."""
        return not self.left and not self.waiting

    def __add__(self, other: Advance) -> Advance:
        return Advance(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def advances_of(sweep: Path) -> dict[str, Advance]:
    """How far the jobs of the newest command in the folder of a sweep have come, by their folders.

    Raises
    ------
    UserError
        If the record of the jobs, or their rows, cannot be read.
    """
    try:
        noted = json.loads((sweep / JOBS).read_text(encoding="utf-8"))
        planned = {str(job["folder"]): int(job["instances"]) if "instances" in job else None for job in noted}
    except FileNotFoundError:
        return {}
    except DAMAGED as error:
        raise UserError(f"{sweep / JOBS}: damaged ({type(error).__name__}: {error})") from None
    return {folder: _advance(sweep / folder, count) for folder, count in planned.items()}


def _advance(job: Path, planned: int | None) -> Advance:
    done: set[int] = set()
    failed: set[int] = set()
    if (job / METRICS).is_file():
        for row in checked_rows(job / METRICS):
            (failed if row["status"] in FAILED else done).add(number_of(row["run_id"]))
    recorded = instances_of(job / ENVIRONMENT)  # rows that other jobs have are no part of it
    instances = planned if recorded is None else recorded
    is_left_out = any((job / name).is_file() for name in (SKIPPED_FILE, REFUSED_FILE))
    return Advance(instances or 0, len(done), len(failed - done), int(instances is None and not is_left_out))
