"""Writes what workers find into the folders of cells, and sums it up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from runner.execution.plan import Plan, PlannedCell
from runner.messages import reason
from runner.records import provenance
from runner.records.declared import write_declared
from runner.records.folder import SweepFolder
from runner.records.row import Row, RowFormat
from runner.records.totals import Totals
from runner.records.writer import LOG, Writer
from runner.registry import UserError

REFUSED_FILE, FAILED_FILE = "refused.txt", "failed.txt"
_KEPT_FOR_DISPLAY = 100


class Report(Protocol):
    """Is told what becomes of cells."""

    def finished(self, cell: PlannedCell, totals: Totals) -> None:
        """Every instance of a cell has a row."""

    def failed(self, cell: PlannedCell, problem: str) -> None:
        """A cell cannot go on."""


def open_writer(planned: PlannedCell, *, goes_on: bool) -> Writer:
    """Open the files of rows of a cell, and record beside them what makes the rows."""
    directory, declared = planned.folder, planned.cell.declared
    writer = Writer(directory, RowFormat(declared).columns, goes_on, planned.known)
    try:
        write_declared(directory, declared)
        provenance.record_configuration(directory, planned.composition, planned.number)
        provenance.record(directory, planned.cell.parts)
    except BaseException:
        writer.close()
        raise
    return writer


class Recorder:
    """Writes the rows of the cells of a plan; nothing else does.

    Parameters
    ----------
    sweep : SweepFolder, optional
        None for a single run.

    Attributes
    ----------
    totals : list of Totals
        Of the new rows of each cell.
    first : list of (int, dict)
        Some rows for display, with the numbers of their instances.
    mistakes, failures : int
        Cells that could not go on: for reasons that the user can correct, and for others.
    """

    def __init__(self, plan: Plan, sweep: SweepFolder | None, report: Report) -> None:
        self._plan, self._sweep, self._report = plan, sweep, report
        self._writers: dict[int, Writer] = {}
        self._ended: set[int] = set()
        self._told: set[int] = set()
        self._written: dict[int, set[int]] = {}
        self._formats = [RowFormat(each.cell.declared) for each in plan.cells]
        self.totals = [Totals(each.folder, each.cell.declared, before=len(each.known)) for each in plan.cells]
        self.first: list[tuple[int, dict[str, str]]] = []
        self.mistakes = self.failures = 0

    def begin(self, cell: int) -> bool:
        """Open the files of a cell; returns whether it can go on. Called again, it does nothing."""
        if cell in self._ended or cell in self._writers:
            return cell not in self._ended
        planned = self._plan.cells[cell]
        directory = planned.folder
        try:
            if self._sweep is not None and cell not in self._told:
                for name in (REFUSED_FILE, FAILED_FILE):  # of an earlier command
                    (directory / name).unlink(missing_ok=True)
            self._writers[cell] = open_writer(planned, goes_on=self._sweep is not None)
        except UserError as error:
            self._end(cell, str(error), is_mistake=True)
        except OSError as error:
            self._end(cell, reason(error, directory))
        return cell not in self._ended

    def write(self, cell: int, rows: Sequence[Row], plans: bytes = b"", repeated: int = 0) -> bool:
        """Write rows, and plans on the way to further ones; returns whether the cell can go on."""
        if not self.begin(cell):
            return False
        planned, totals, writer = self._plan.cells[cell], self.totals[cell], self._writers[cell]
        written = self._written.setdefault(cell, set())
        new: list[Row] = []
        known: list[Row] = []
        for row in rows:
            (known if row.key in written or row.key in planned.known else new).append(row)
            written.add(row.key)
        totals.before += len(known) + repeated
        try:
            writer.write_plans(plans)
            writer.write(new, known)
        except OSError as error:
            self._end(cell, reason(error, planned.folder))
            return False
        for row in new:
            columns = self._formats[cell].columns_of(row)
            totals.add(columns)
            if len(self.first) < _KEPT_FOR_DISPLAY:
                self.first.append((row.number, columns))
        return True

    def log(self, cell: int, text: str) -> None:
        """Append to the log of a cell."""
        if self.begin(cell):
            with suppress(OSError), open(self._plan.cells[cell].folder / LOG, "a", encoding="utf-8") as file:
                file.write(text.encode(errors="backslashreplace").decode() + "\n")

    def fail(self, cell: int, problem: str, traceback: str = "", *, is_mistake: bool = False) -> None:
        """Report why a cell cannot go on. Rows that are on their way are still written."""
        if cell in self._told:
            return
        self._told.add(cell)
        self.mistakes, self.failures = self.mistakes + is_mistake, self.failures + (not is_mistake)
        planned = self._plan.cells[cell]
        text = f"{problem}\n{traceback}" if traceback else problem
        self._report.failed(planned, text)
        if self._sweep is not None:
            with suppress(OSError):
                planned.folder.mkdir(parents=True, exist_ok=True)
                name = REFUSED_FILE if is_mistake else FAILED_FILE
                (planned.folder / name).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")

    def _end(self, cell: int, problem: str, *, is_mistake: bool = False) -> None:
        """End a cell that nothing can be written of any more."""
        self._ended.add(cell)
        if cell in self._writers:
            with suppress(OSError):
                self._writers.pop(cell).close()
        self.fail(cell, problem, is_mistake=is_mistake)

    def finish(self, cell: int) -> None:
        """Close the files of a cell when all its instances have rows."""
        if cell not in self._writers:
            return
        planned = self._plan.cells[cell]
        try:
            self._written.pop(cell, None)
            self._writers.pop(cell).close(is_complete=True)
        except OSError as error:
            self.fail(cell, reason(error, planned.folder))
            return
        self._ended.add(cell)
        self._report.finished(planned, self.totals[cell])

    def close(self) -> None:
        """Close the files of cells that have not come to their end."""
        for cell in list(self._writers):
            try:
                self._writers.pop(cell).close()
            except OSError as error:
                self.fail(cell, reason(error, self._plan.cells[cell].folder))

    def disown(self) -> None:
        """Close, in a new worker, what belongs to its parent."""
        for writer in self._writers.values():
            writer.disown()
        if self._sweep is not None:
            self._sweep.disown()
