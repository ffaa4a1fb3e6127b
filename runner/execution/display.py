"""Events of a sweep while it is prepared and runs. This package prints nothing: commands and notebooks show them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from runner.base import Retry
from runner.execution.cells import OmittedCell, SweepCell
from runner.execution.worker_state import WorkerState
from runner.records import Totals


class ProgressDisplay(Protocol):
    """Display of progress."""

    def show_workers(self, workers: Sequence[WorkerState]) -> None:
        """Show the state of the workers. Called several times a second."""

    def advance(self, count: int) -> None:
        """Count searches that have ended."""

    def show_building(self, title: str, share: float) -> None:
        """Show what is built, and the share of it that is done."""


class Display(Protocol):
    """Display of a run or a sweep."""

    def excluded(self, index: int, count: int) -> None:
        """Show how many combinations an entry of ``sweep.exclude`` excludes."""

    def planned(self, cells: Sequence[SweepCell], omitted: Sequence[OmittedCell], retry: Retry) -> None:
        """Show which cells are not run, and which rows on disk do not count."""

    def begins(self, cells: Sequence[SweepCell], totals: Sequence[Totals]) -> None:
        """Show the cells that are done before the search begins, given the totals of all cells."""

    def finished(self, cell: SweepCell, totals: Totals) -> None:
        """Show the totals of a cell whose instances all have rows."""

    def failed(self, cell: SweepCell, problem: str) -> None:
        """Show why a cell cannot continue."""

    def progress(self, title: str, total: int, enabled: bool) -> AbstractContextManager[ProgressDisplay]:
        """Return the display of progress for a number of searches; `enabled` is the setting `progress`."""
