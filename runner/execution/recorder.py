"""Recorder of the rows that workers send: writes them into the folders of the cells, and adds up their totals."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from runner.base import UserError, reason
from runner.config import Cell
from runner.execution.cells import SweepCell
from runner.execution.display import Display
from runner.execution.repetitions import Repetitions
from runner.machine import Observer, Reading
from runner.records import (
    NUMBER,
    Log,
    LogWriter,
    RecordFile,
    Row,
    RowFormat,
    SweepFolder,
    SweepLogs,
    Totals,
    csv_line,
    record_interference,
    record_provenance,
    write_declared,
)

_MAX_OPEN = 64
"""Cells whose files, two of each, are open at the same time. macOS allows a process 256 files."""


def open_writer(planned: SweepCell) -> LogWriter:
    """Open the files of a cell, and write its configuration and environment beside them."""
    writer = _reopened(planned)
    try:
        write_declared(planned.folder, planned.cell.declared)
        record_provenance(
            planned.folder, planned.composition, planned.cell.parts, planned.number, code=planned.cell.code,
            keeps_interference=planned.finished > 0, keeps_environment=planned.cell.kept is not None,
        )  # fmt: skip
    except BaseException:
        writer.close()
        raise
    return writer


def _reopened(planned: SweepCell) -> LogWriter:
    cell = planned.cell
    return LogWriter(
        planned.folder, cell.declared.columns, cell.code, keeps_repetitions=cell.repeat > 1,
        writes_outputs=cell.kept is None,
    )  # fmt: skip


def adopt(cells: Sequence[SweepCell], logs: SweepLogs) -> None:
    """Make the logs of planned cells as they need them, before new rows are appended.

    Copy the finished rows that stand elsewhere, leave out rows whose instances are gone, and settle the logs of cells
    that are complete now.

    Raises
    ------
    UserError
        If the files cannot be written.
    """
    for cell in cells:
        with _writing(cell):
            if cell.elsewhere:
                _copy(cell)
    for cell in cells:  # when no rows are read from their logs any more
        is_open = bool(cell.missing or cell.not_reread)
        if is_open and not cell.gone:
            continue
        with _writing(cell):
            log = Log(cell.folder, with_parts=True) if cell.elsewhere else logs.of(cell.folder)
            rows = _remaining(cell, log, range(len(log)) if is_open else log.counted(cell.rule))
            if cell.elsewhere or not log.is_settled(rows):
                log.settle(cell.cell.declared.columns, rows)


def _remaining(planned: SweepCell, log: Log, rows: Iterable[int]) -> list[int]:
    """Return the rows whose instances are not gone."""
    return [row for row in rows if log.keys[row] not in planned.gone]


@contextmanager
def _writing(planned: SweepCell) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(reason(error, planned.folder)) from None


def _copy(planned: SweepCell) -> None:
    """Append the finished rows that stand elsewhere, and their plans."""
    columns = planned.cell.declared.columns
    numbers_by_log: dict[Log, dict[int, int]] = {}
    for log, row, number in planned.elsewhere:
        numbers_by_log.setdefault(log, {})[row] = number
    with closing(open_writer(planned)) as writer:
        for log, numbers in numbers_by_log.items():
            plans = log.plans(log.keys[row] for row in numbers)
            for (row, number), (_, values), lines in zip(numbers.items(), log.rows([*numbers]), plans, strict=True):
                values[NUMBER] = str(number)
                line = csv_line(values.get(name, "") for name in columns)
                writer.append([Row(number, log.keys[row], line, lines, {})])


class _Recording:
    """State of a cell from its first row until it is complete."""

    def __init__(self, cell: Cell, reading: Reading | None) -> None:
        self.cell = cell
        self.reading = reading  # of the machine when the cell began; None if nothing is searched
        self.numbers: dict[int, int] = {}  # of the instances that have the rows, by the keys of these
        self.counted: set[int] = set()  # keys of the finished rows
        self.wall = self.cpu = 0.0  # seconds of all searches
        self.repetitions = Repetitions(cell)
        self.format = RowFormat(cell.declared)

    def add_seconds(self, rows: Sequence[Row]) -> None:
        """Add the times of searches for which both are known: that of a worker that was killed is not."""
        for row in rows:
            if {"search_seconds", "cpu_seconds"} <= row.values.keys():
                self.wall += row.values["search_seconds"]
                self.cpu += row.values["cpu_seconds"]


class Recorder:
    """Writer of the rows of all cells of a sweep.

    Parameters
    ----------
    sweep : SweepFolder or None
        Folder of the sweep; None for a single run.
    display : Display
        Shows cells that are finished, and those that cannot continue.
    observer : Observer
        Reads what else the machine does when a cell begins and ends.
    pinned : bool
        Whether each worker has a core for itself.

    Attributes
    ----------
    totals : list of Totals
        Totals of the new rows of each cell.
    repeated : dict of int to int
        Number of instances that have turned out to repeat another, by the positions of cells.
    mistakes, failures : int
        Numbers of cells that could not continue: because of a `UserError`, and for other reasons.
    """

    def __init__(
        self,
        cells: Sequence[SweepCell],
        sweep: SweepFolder | None,
        display: Display,
        observer: Observer,
        *,
        pinned: bool = False,
    ) -> None:
        self._cells = cells
        self._observer = observer
        self._is_pinned = pinned
        self._sweep = sweep
        self._display = display
        self._writers: OrderedDict[int, LogWriter] = OrderedDict()
        self._recordings: dict[int, _Recording] = {}
        self._ended: set[int] = set()
        self._failed: set[int] = set()
        self.totals = [Totals(cell.folder, cell.cell.declared, before=cell.finished) for cell in cells]
        self.repeated: dict[int, int] = {}
        self.mistakes = self.failures = 0

    def _begin(self, position: int) -> _Recording | None:
        """Open the files of a cell unless they are open. Return None if the cell cannot continue."""
        if position not in self._ended and position not in self._writers:
            planned = self._cells[position]
            try:
                if len(self._writers) >= _MAX_OPEN:
                    self._writers.popitem(last=False)[1].close()
                if position in self._recordings:
                    self._writers[position] = _reopened(planned)
                else:
                    self._writers[position] = open_writer(planned)
                    reading = self._observer.reading() if planned.cell.kept is None else None
                    self._recordings[position] = _Recording(planned.cell, reading)
            except UserError as error:
                self._end(position, str(error), is_mistake=True)
            except OSError as error:
                self._end(position, reason(error, planned.folder))
        return None if position in self._ended else self._recordings[position]

    def write(self, position: int, rows: Sequence[Row], plans: bytes = b"") -> list[int] | None:
        """Write rows, and lines of plans.jsonl before them.

        If instances are searched several times, each search is a row of repetitions.csv, with its number in
        `repetitions`. The first row of an instance is written at once, and one with the medians after the last search.

        Returns
        -------
        list of int or None
            Numbers of instances that are not searched again, although they have not been searched often enough. None if
            the cell cannot continue.
        """
        recording = self._begin(position)
        if recording is None:
            return None
        recording.add_seconds(rows)
        if recording.cell.repeat == 1:
            return [] if self._append(position, rows, rows, plans) else None
        first: list[Row] = []
        finished: list[Row] = []
        not_repeated: list[int] = []
        single: list[Row] = []
        encoded = recording.format.encode
        for row in rows:
            assert row.result is not None
            search = recording.repetitions.add(row.number, row.result)
            single.append(encoded(row.number, replace(row.result, repetitions=search.repetition)))
            if search.result is not None:
                finished.append(encoded(row.number, search.result))
                not_repeated += [row.number] if search.is_first else []
            elif search.is_first:
                first.append(row)
        return not_repeated if self._append(position, [*first, *finished], finished, plans, single) else None

    def _append(
        self,
        position: int,
        rows: Sequence[Row],
        finished: Sequence[Row],
        plans: bytes = b"",
        repetitions: Sequence[Row] = (),
    ) -> bool:
        """Append rows to the log of a cell, count those that are finished, and return whether the cell can continue."""
        recording = self._recordings[position]
        new_rows: list[Row] = []
        for row in rows:
            if row.number <= recording.numbers.get(row.key, row.number):  # the first of equal instances has the row
                recording.numbers[row.key] = row.number
                new_rows.append(row)
        try:
            self._writers[position].append(new_rows, plans, repetitions)
        except OSError as error:
            self._end(position, reason(error, self._cells[position].folder))
            return False
        totals = self.totals[position]
        for row in finished:
            if row.key in recording.counted:
                self.repeated[position] = self.repeated.get(position, 0) + 1
                totals.before += 1
            else:
                recording.counted.add(row.key)
                totals.add(row.values)
        return True

    def log(self, position: int, text: str) -> None:
        """Append a line to the log of a cell."""
        if self._begin(position) is not None:
            with suppress(OSError), open(self._cells[position].folder / RecordFile.LOG, "a", encoding="utf-8") as file:
                file.write(text.encode(errors="backslashreplace").decode() + "\n")

    def fail(self, position: int, problem: str, traceback: str = "", *, is_mistake: bool = False) -> None:
        """Report the first failure of a cell. Rows that workers still send are written."""
        if position in self._failed:
            return
        self._failed.add(position)
        self.mistakes += is_mistake
        self.failures += not is_mistake
        planned = self._cells[position]
        text = f"{problem}\n{traceback}" if traceback else problem
        self._display.failed(planned, text)
        if self._sweep is not None:
            with suppress(OSError):
                planned.folder.mkdir(parents=True, exist_ok=True)
                name = RecordFile.REFUSED if is_mistake else RecordFile.FAILED
                (planned.folder / name).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")

    def _end(self, position: int, problem: str, *, is_mistake: bool = False) -> None:
        """Close a cell whose files cannot be written, and report the problem."""
        self._ended.add(position)
        if position in self._writers:
            with suppress(OSError):
                self._writers.pop(position).close()
        self.fail(position, problem, is_mistake=is_mistake)

    def finish(self, position: int) -> None:
        """Close the files of a cell whose instances all have rows."""
        if position not in self._recordings or self._begin(position) is None:
            return
        planned, recording = self._cells[position], self._recordings[position]
        recording.numbers.clear()
        recording.counted.clear()
        try:
            with _writing(planned):
                writer = self._writers.pop(position)
                writer.close()
                if not writer.is_settled and not planned.not_reread:
                    log = Log(planned.folder, with_parts=self._sweep is not None)
                    log.settle(planned.cell.declared.columns, _remaining(planned, log, log.counted(planned.rule)))
                self._record_interference(planned, recording)
        except UserError as error:
            self.fail(position, str(error))
            return
        self._ended.add(position)
        del self._recordings[position]
        self._display.finished(planned, self.totals[position])

    def close(self) -> None:
        """Write the medians of what has been repeated, and close the files of unfinished cells."""
        for position, recording in self._recordings.items():
            unfinished = recording.repetitions.unfinished()
            rows = [recording.format.encode(number, result) for number, result in unfinished]
            if rows and self._begin(position) is not None:
                self._append(position, rows, rows)
            self._record_interference(self._cells[position], recording)
        for position in list(self._writers):
            try:
                self._writers.pop(position).close()
            except OSError as error:
                self.fail(position, reason(error, self._cells[position].folder))

    def _record_interference(self, planned: SweepCell, recording: _Recording) -> None:
        """Write what may have changed the times of a cell, once."""
        before, recording.reading = recording.reading, None
        if before is not None:
            times = recording.wall, recording.cpu
            interference = self._observer.interference(before, self._observer.reading(), *times, pinned=self._is_pinned)
            record_interference(planned.folder, interference)

    def close_inherited(self) -> None:
        """Close, in a new worker, the files that it inherits. They stay open in the parent."""
        for writer in self._writers.values():
            writer.close_inherited()
        if self._sweep is not None:
            self._sweep.unlock()
