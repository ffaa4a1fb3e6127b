"""Display on a terminal of runs and sweeps while they are prepared and run, and of their plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.table import Table
from rich.text import Text

from algorithms.programs.interface import ExternalPlanner
from runner.base import REFUSED, SUCCESS, Retry, UserError, console, message, plural
from runner.cli.progress import TerminalProgress
from runner.config import SWEEP_KEY
from runner.execution import OmittedCell, ProgressDisplay, Sweep, SweepCell
from runner.records import Totals
from worlds.interface import OutOfTime, Unsolvable

FEW_CELLS = 8
"""Largest number of cells that have a line each in any case, in the table and while they run."""
_SECONDS_BETWEEN_LINES = 10.0


class TerminalDisplay:
    """Display of a run or a sweep on standard error: of every cell of a small sweep, now and then of a large one.

    Parameters
    ----------
    shows_cells : bool
        Whether it shows the totals of cells.
    progress : callable
        Function of a title, a number of instances and the setting `progress`, which returns the display of progress. By
        default a bar on a terminal, and lines elsewhere.
    """

    def __init__(
        self,
        shows_cells: bool = True,
        progress: Callable[[str, int, bool], AbstractContextManager[ProgressDisplay]] = TerminalProgress,
    ) -> None:
        self._shows_cells = shows_cells
        self._progress = progress
        self._cells = 0
        self._due = 0.0

    def excluded(self, index: int, count: int) -> None:
        """Print how many combinations an entry of ``sweep.exclude`` excludes."""
        note = "" if count else "note: "
        message(f"{note}{SWEEP_KEY}.exclude[{index}]: excludes {plural(count, 'combination')}")

    def planned(self, cells: Sequence[SweepCell], omitted: Sequence[OmittedCell], retry: Retry) -> None:
        """Print why combinations are not run, each reason once, and how many rows on disk do not count."""
        labels_of: dict[tuple[bool, str], list[str]] = {}
        for each in sorted(omitted, key=lambda each: each.is_wrong):
            labels_of.setdefault((each.is_wrong, each.problem), []).append(each.label)
        for (is_wrong, problem), labels in labels_of.items():
            others = f" and {len(labels) - 1:,} more" if len(labels) > 1 else ""
            message(f"{labels[0]}{others}: {'error' if is_wrong else 'skipped'}: {problem}")
        for note in dict.fromkeys(note for each in cells for note in each.cell.all_notes):
            message(f"note: {note}")
        of_other_code = sum(each.of_other_code for each in cells)
        by_content = sum(len(each.gone) for each in cells)
        if of_other_code:
            action = "retry=none keeps them" if retry == "none" else "made again"
            message(f"note: {plural(of_other_code, 'row')} made by other code: {action}")
        kept = [each for each in cells if each.cell.kept is not None]
        if kept:
            message(f"reads again: {plural(sum(each.missing_count for each in kept), 'kept output')}")
        unread = sum(each.unread for each in kept)
        without_row = sum(each.not_reread for each in kept) - unread
        if unread:
            message(f"note: left as they are: {plural(unread, 'row')} whose output was not kept whole")
        if without_row:
            message(f"note: not searched: {plural(without_row, 'instance')} without a finished row by this code")
        if by_content:
            message(f"note: {plural(by_content, 'row')} of instances that have changed or are gone: left out")

    def begins(self, cells: Sequence[SweepCell], totals: Sequence[Totals]) -> None:
        """Print the totals of the cells that are done before; of many cells, their number and that of their rows."""
        self._cells = len(cells)
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        if not self._shows_cells:
            return
        done = [(cell, each) for cell, each in zip(cells, totals, strict=True) if not cell.missing_count]
        if len(done) > FEW_CELLS:
            rows = sum(each.before for _, each in done)
            message(f"{len(done):,} of {plural(self._cells, 'cell')} done before: {plural(rows, 'row')}")
            return
        for cell, each in done:
            self.finished(cell, each)

    def finished(self, cell: SweepCell, totals: Totals) -> None:
        """Print the totals of a cell: of each if they are few, else of those with errors, and every 10 s."""
        is_due = self._cells <= FEW_CELLS or totals.faulty or time.monotonic() > self._due
        if not self._shows_cells or not is_due or not cell.label:
            return
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        message(f"{cell.label}: {totals}" + (f", {totals.search_seconds:.3f} s" if totals.rows else ""))

    def failed(self, cell: SweepCell, problem: str) -> None:
        """Print why a cell cannot continue."""
        message(f"{cell.label}: error: {problem}" if cell.label else f"error: {problem}")

    def progress(self, title: str, total: int, enabled: bool) -> AbstractContextManager[ProgressDisplay]:
        """Return the display of progress."""
        return self._progress(title, total, enabled)

    @staticmethod
    def show_plan(sweep: Sweep) -> int:
        """Print the plan of a sweep and return the exit code: 2 if a cell is wrong."""
        table = Table("cell", "instances", "done", "to do")
        for each in sweep.cells:
            table.add_row(
                Text(each.label or "run"),
                f"{each.total:,}",
                f"{each.total - each.missing_count:,}",
                f"{each.missing_count:,}",
            )
        total, waiting = sum(each.total for each in sweep.cells), sum(each.missing_count for each in sweep.cells)
        table.add_section()
        table.add_row(plural(len(sweep.cells), "cell"), *(f"{count:,}" for count in (total, total - waiting, waiting)))
        out = console()
        out.print(table)
        refused = len(sweep.refused)
        for count, outcome in ((len(sweep.omitted) - refused, "skipped"), (refused, "refused")):
            if count:
                out.print(f"{plural(count, 'cell')} would be {outcome}: see above")
        for line in _commands(sweep.cells[:FEW_CELLS]):
            out.print(Text(line), soft_wrap=True)
        out.print(_estimate(sweep))
        return REFUSED if refused else SUCCESS


def _commands(cells: Sequence[SweepCell]) -> Iterator[str]:
    """Yield how each cell that runs a program starts it for its first instance. FOLDER is the working directory."""
    for each in cells:
        algorithm, samples = each.cell.algorithm, each.cell.source.samples()
        if isinstance(algorithm, ExternalPlanner) and (instance := next(iter(samples), None)) is not None:
            line = None
            # it may have no such input, such as a task that is proven unsolvable: its row will say so
            with TemporaryDirectory(prefix="search-runner-") as folder, suppress(UserError, Unsolvable, OutOfTime):
                line = algorithm.by_hand(instance, each.cell.limits, Path(folder))
            if line is not None:
                number = each.label.partition(" ")[0]
                yield f"{number} {instance.id}: {line.replace(folder, 'FOLDER')}".strip()


def _estimate(sweep: Sweep) -> str:
    """Estimate the time for the remaining instances from the finished rows of their cell, or else of all cells."""
    if not any(each.missing_count for each in sweep.cells):
        return "nothing to do"
    known: dict[Path, float] = {}
    for folder, log in sweep.logs.logs.items():
        if (ends := log.of_kind(lambda kind: kind.status.is_end) > 0).any():
            known[folder] = float(log.table["seconds"][ends].mean())
    if not known:
        return "no estimate of the time: there are no rows yet"
    mean = sum(known.values()) / len(known)
    rest = sum(each.missing_count * each.cell.repeat * known.get(each.folder, mean) for each in sweep.cells)
    return f"about {timedelta(seconds=round(rest))} of search, estimated from the finished rows"
