"""Progress of the cells of a sweep, by the rows on disk."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from runner.records.declared import declared_in
from runner.records.folder import SweepFolder
from runner.records.reader import checked_rows, metrics_below
from runner.records.row import key_of


@dataclass(frozen=True)
class RunProgress:
    """Progress of one or several cells.

    Attributes
    ----------
    instances : int
        Number of planned instances.
    done : int
        Number of instances with a row that has not failed.
    failed : int
        Number of instances that have only failed rows.
    """

    instances: int = 0
    done: int = 0
    failed: int = 0

    @property
    def missing(self) -> int:
        """Number of instances without a row."""
        return max(0, self.instances - self.done - self.failed)

    def __add__(self, other: RunProgress) -> RunProgress:
        return RunProgress(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def progress_of(sweep: SweepFolder) -> dict[str, RunProgress]:
    """Return the progress of the cells of the newest command in a sweep, by their folders."""
    found: dict[str, RunProgress] = {}
    for job in sweep.jobs():
        done: set[int] = set()
        failed: set[int] = set()
        for file in metrics_below(sweep.path / job.folder):
            declared = declared_in(file.parent)
            for row in checked_rows(file):
                is_failed = declared.status(row["status"]).is_made_again("failed")
                (failed if is_failed else done).add(key_of(row["run_id"]))
        found[job.folder] = RunProgress(job.instances, len(done), len(failed - done))
    return found
