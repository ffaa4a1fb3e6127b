"""Messages of runs and sweeps on standard error, while they are prepared and run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager

from runner.base.messages import message, plural
from runner.cli.progress import TerminalProgress
from runner.config.space import SECTION
from runner.execution.plan import PlannedCell, SweepPlan
from runner.execution.pool import ProgressDisplay
from runner.records.totals import Totals

FEW_CELLS = 8
"""Largest number of cells that have a line each in any case, in the table and while they run."""
_SECONDS_BETWEEN_LINES = 10.0


class TerminalDisplay:
    """Display of a run or a sweep on standard error: of every cell of a small sweep, now and then of a large one."""

    def __init__(self) -> None:
        self._cells = 0
        self._due = 0.0

    def excluded(self, index: int, count: int) -> None:
        """Print how many combinations an entry of ``sweep.exclude`` excludes."""
        note = "" if count else "note: "
        message(f"{note}{SECTION}.exclude[{index}]: excludes {plural(count, 'combination')}")

    def planned(self, planned: SweepPlan) -> None:
        """Print why combinations are not run, each reason once, and how many rows on disk do not count."""
        for (is_wrong, problem), labels in sorted(planned.problems().items(), key=lambda item: item[0][0]):
            others = f" and {len(labels) - 1:,} more" if len(labels) > 1 else ""
            message(f"{labels[0]}{others}: {'error' if is_wrong else 'skipped'}: {problem}")
        for note in dict.fromkeys(note for each in planned.cells for note in each.cell.all_notes):
            message(f"note: {note}")
        if planned.by_code:
            action = "retry=none keeps them" if planned.retry == "none" else "made again"
            message(f"note: {plural(planned.by_code, 'row')} made by other code: {action}")
        if planned.by_content:
            message(f"note: {plural(planned.by_content, 'row')} of instances that have changed or are gone: left out")

    def begins(self, planned: SweepPlan, totals: Sequence[Totals]) -> None:
        """Print the totals of the cells that are done before; of many cells, their number and that of their rows."""
        self._cells = len(planned.cells)
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        done = [(cell, each) for cell, each in zip(planned.cells, totals, strict=True) if not cell.missing_count]
        if len(done) > FEW_CELLS:
            rows = sum(each.before for _, each in done)
            message(f"{len(done):,} of {plural(self._cells, 'cell')} done before: {plural(rows, 'row')}")
            return
        for cell, each in done:
            self.finished(cell, each)

    def finished(self, cell: PlannedCell, totals: Totals) -> None:
        """Print the totals of a cell: of each if they are few, else of those with errors, and every 10 s."""
        is_due = self._cells <= FEW_CELLS or totals.faulty or time.monotonic() > self._due
        if not is_due or not cell.label:
            return
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        message(f"{cell.label}: {totals}" + (f", {totals.search_seconds:.3f} s" if totals.rows else ""))

    def failed(self, cell: PlannedCell, problem: str) -> None:
        """Print why a cell cannot continue."""
        message(f"{cell.label}: error: {problem}" if cell.label else f"error: {problem}")

    def progress(self, title: str, total: int, enabled: bool) -> AbstractContextManager[ProgressDisplay]:
        """Return a bar on a terminal, and lines elsewhere."""
        return TerminalProgress(title, total, enabled)
