"""Recorder of the rows that workers send: writes them into the folders of the cells, and adds up their totals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from runner.base.errors import UserError
from runner.base.messages import reason
from runner.execution.plan import PlannedCell, SweepPlan
from runner.records import provenance
from runner.records.declared import write_declared
from runner.records.folder import SweepFolder
from runner.records.row import Row, RowFormat
from runner.records.totals import Totals
from runner.records.writer import LOG, Writer

REFUSED_FILE, FAILED_FILE = "refused.txt", "failed.txt"
_MAX_FIRST = 100


def open_writer(planned: PlannedCell, *, goes_on: bool) -> Writer:
    """Open the files of a cell, and write its configuration and environment beside them."""
    directory, declared = planned.folder, planned.cell.declared
    writer = Writer(directory, RowFormat(declared).columns, goes_on, planned.finished_rows)
    try:
        write_declared(directory, declared)
        provenance.record_configuration(directory, planned.composition, planned.number)
        provenance.record(directory, planned.cell.parts)
    except BaseException:
        writer.close()
        raise
    return writer


class Recorder:
    """Writer of the rows of all cells of a plan.

    Parameters
    ----------
    sweep : SweepFolder or None
        Folder of the sweep; None for a single run.
    on_finished : callable
        Called with a cell and its totals when every instance of the cell has a row.
    on_failed : callable
        Called with a cell and the problem when the cell cannot continue.

    Attributes
    ----------
    totals : list of Totals
        Totals of the new rows of each cell.
    first : list of (int, dict)
        Numbers of instances and columns of their rows, of the first rows that came.
    mistakes, failures : int
        Numbers of cells that could not continue: because of a `UserError`, and for other reasons.
    """

    def __init__(
        self,
        plan: SweepPlan,
        sweep: SweepFolder | None,
        on_finished: Callable[[PlannedCell, Totals], None],
        on_failed: Callable[[PlannedCell, str], None],
    ) -> None:
        self._plan, self._sweep, self._on_finished, self._on_failed = plan, sweep, on_finished, on_failed
        self._writers: dict[int, Writer] = {}
        self._ended: set[int] = set()
        self._failed: set[int] = set()
        self._written: dict[int, set[int]] = {}
        self._formats = [RowFormat(each.cell.declared) for each in plan.cells]
        self.totals = [Totals(each.folder, each.cell.declared, before=len(each.finished_rows)) for each in plan.cells]
        self.first: list[tuple[int, dict[str, str]]] = []
        self.mistakes = self.failures = 0

    def begin(self, cell: int) -> bool:
        """Open the files of a cell unless they are open, and return whether the cell can continue."""
        if cell in self._ended or cell in self._writers:
            return cell not in self._ended
        planned = self._plan.cells[cell]
        directory = planned.folder
        try:
            if self._sweep is not None and cell not in self._failed:
                for name in (REFUSED_FILE, FAILED_FILE):  # from an earlier command
                    (directory / name).unlink(missing_ok=True)
            self._writers[cell] = open_writer(planned, goes_on=self._sweep is not None)
        except UserError as error:
            self._end(cell, str(error), is_mistake=True)
        except OSError as error:
            self._end(cell, reason(error, directory))
        return cell not in self._ended

    def write(self, cell: int, rows: Sequence[Row], plans: bytes = b"", repeated: int = 0) -> bool:
        """Write rows, and lines of plans.jsonl before them, and return whether the cell can continue."""
        if not self.begin(cell):
            return False
        planned, totals, writer = self._plan.cells[cell], self.totals[cell], self._writers[cell]
        written = self._written.setdefault(cell, set())
        new: list[Row] = []
        known: list[Row] = []
        for row in rows:
            (known if row.key in written or row.key in planned.finished_rows else new).append(row)
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
            if len(self.first) < _MAX_FIRST:
                self.first.append((row.number, columns))
        return True

    def log(self, cell: int, text: str) -> None:
        """Append a line to the log of a cell."""
        if self.begin(cell):
            with suppress(OSError), open(self._plan.cells[cell].folder / LOG, "a", encoding="utf-8") as file:
                file.write(text.encode(errors="backslashreplace").decode() + "\n")

    def fail(self, cell: int, problem: str, traceback: str = "", *, is_mistake: bool = False) -> None:
        """Report the first failure of a cell. Rows that workers still send are written."""
        if cell in self._failed:
            return
        self._failed.add(cell)
        self.mistakes, self.failures = self.mistakes + is_mistake, self.failures + (not is_mistake)
        planned = self._plan.cells[cell]
        text = f"{problem}\n{traceback}" if traceback else problem
        self._on_failed(planned, text)
        if self._sweep is not None:
            with suppress(OSError):
                planned.folder.mkdir(parents=True, exist_ok=True)
                name = REFUSED_FILE if is_mistake else FAILED_FILE
                (planned.folder / name).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")

    def _end(self, cell: int, problem: str, *, is_mistake: bool = False) -> None:
        """Close a cell whose files cannot be written, and report the problem."""
        self._ended.add(cell)
        if cell in self._writers:
            with suppress(OSError):
                self._writers.pop(cell).close()
        self.fail(cell, problem, is_mistake=is_mistake)

    def finish(self, cell: int) -> None:
        """Close the files of a cell whose instances all have rows."""
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
        self._on_finished(planned, self.totals[cell])

    def close(self) -> None:
        """Close the files of unfinished cells."""
        for cell in list(self._writers):
            try:
                self._writers.pop(cell).close()
            except OSError as error:
                self.fail(cell, reason(error, self._plan.cells[cell].folder))

    def close_inherited(self) -> None:
        """Close, in a new worker, the files that it inherits. They stay open in the parent."""
        for writer in self._writers.values():
            writer.close_inherited()
        if self._sweep is not None:
            self._sweep.close_inherited()
