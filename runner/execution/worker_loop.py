"""Search of the instances of tasks, in a worker or in the process of the command, and what it sends to its parent."""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
import os
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from algorithms.engine import Counts
from runner.base import PluginError, Result, UserError, directory_kept, error_text, own_traceback
from runner.config import Cell
from runner.execution.attempt import Attempt
from runner.execution.places import Place
from runner.execution.solver import Solver
from runner.execution.stop import Stopped
from runner.execution.worker_state import BUILDING, IDLE, ITERATING, SystemLimits, WorkerState
from runner.records import Improvement, Row, RowFormat, improvement_line
from worlds.compile import Identity, without_collection
from worlds.interface import Instance

_BATCH_SECONDS, _MAX_ROWS = 0.02, 256
MAX_ENTERED = 64
"""Cells between which a worker changes without preparing them again, if it returns to cells."""
_MAX_PRINTED = 1 << 20
"""Most characters of a task that go to the log of its cell, for code that prints in every call."""


class WorkerTask(NamedTuple):
    """Instances of the cell at a position, by their numbers."""

    position: int
    numbers: range


class Rows(NamedTuple):
    """Rows of the task. The first are none: what heuristics need is built, and the parent opens the files of the cell.

    Attributes
    ----------
    plans : bytes
        Lines of plans.jsonl with improved solutions of the instance that is searched.
    """

    rows: list[Row]
    plans: bytes = b""


class Building(NamedTuple):
    """Share that is done, from 0 to 1, of something that the heuristics of the cell need."""

    title: str
    share: float


class LogLine(NamedTuple):
    """Line for the log of the cell."""

    text: str


class Loaded(NamedTuple):
    """Kernel that the worker has loaded or compiled."""

    kernel: Identity


class TaskEnded(NamedTuple):
    """End of the task; with a problem, failure of its cell: of its source, or of the preparation of its heuristics.

    Attributes
    ----------
    traceback : str
        Traceback in a plug-in; empty if there is none.
    is_mistake : bool
        Whether the problem is a `UserError`, and no failure of a plug-in.
    """

    problem: str | None = None
    traceback: str = ""
    is_mistake: bool = False


Message = Rows | Building | LogLine | Loaded | TaskEnded
Send = Callable[[Message], None]
"""Function that sends a message about the current task. When it returns, the rows of a `Rows` are on disk."""


class _EnteredCell:
    """Cell whose instances a worker searches.

    Attributes
    ----------
    is_warm : bool
        Whether the kernels, or the program, are ready.
    """

    def __init__(self, cell: Cell) -> None:
        self.solver = Solver.of(cell)
        self.format = RowFormat(cell.declared, keeps_results=cell.repeat > 1)
        self.is_warm = False
        self._source = cell.source
        self._position = 0
        self._iterator: Iterator[Instance] = iter(())

    def instances(self, numbers: range) -> Iterator[tuple[int, Instance]]:
        """Yield instances with their numbers. Continue the iteration of the last task where possible."""
        first = numbers.start
        can_continue = 0 < self._position <= first and not self._source.series.is_independent
        if not can_continue:
            self._position = first
            self._iterator = self._source.series.part(range(first, len(self._source)))
        rest = itertools.islice(self._iterator, first - self._position, None)
        self._position = first
        for number in numbers:
            with directory_kept():
                instance = next(rest, None)
            if instance is None:
                break
            self._position = number + 1
            yield number, instance
        if self._position < numbers.stop:
            raise RuntimeError(f"the source has {self._position} instances, but its length is {len(self._source)}")


class Searcher:
    """Search of one task after the other, in this process.

    Rows are sent at most every 20 ms, at the end of a search or between its steps. So the row of a search that took
    longer is on disk before the next search begins.

    Parameters
    ----------
    cells : sequence of Cell
        Cells that tasks refer to.
    send : callable
        Sends a message.
    state : WorkerState
        State of this worker, which is updated.
    system_limits : SystemLimits or None
        Limits by which the parent ends this process; None if it must not end.
    is_stopped : callable
        Returns whether to stop. Called between instances, and between the steps of a search.
    most_entered : int
        Number of cells that stay prepared, with their programs.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        send: Send,
        state: WorkerState,
        system_limits: SystemLimits | None,
        is_stopped: Callable[[], bool],
        most_entered: int,
    ) -> None:
        self._cells, self._send, self._state, self._is_stopped = cells, send, state, is_stopped
        self._system_limits = system_limits
        self._most_entered = most_entered
        self._entered: OrderedDict[int, _EnteredCell] = OrderedDict()
        self._logging = _LogSender(lambda text: send(LogLine(text)))
        self._rows: list[Row] = []
        self._sent = time.monotonic()

    def run(self, task: WorkerTask) -> None:
        """Search the instances of a task until a stop is requested. Otherwise send its end."""
        end: TaskEnded | None = TaskEnded()
        logging.getLogger().addHandler(self._logging)
        try:
            cell = self._enter(task.position)
            self._state.phase = ITERATING
            for number, instance in cell.instances(task.numbers):
                self._raise_if_stopped()
                self._search(cell, number, instance)
                self._state.phase = ITERATING
        except Stopped:
            end = None
        except UserError as error:
            end = TaskEnded(str(error), is_mistake=not isinstance(error, PluginError))
        except BaseException as error:  # the code of users may raise anything
            end = TaskEnded(error_text(error), own_traceback(error))
        finally:
            logging.getLogger().removeHandler(self._logging)
        self._flush()
        self._state.phase = IDLE
        if end is not None:
            self._send(end)

    def close(self) -> None:
        """End the programs of all cells."""
        while self._entered:
            self._entered.popitem()[1].solver.close()

    def _raise_if_stopped(self) -> None:
        if self._is_stopped():
            raise Stopped

    @directory_kept()
    def _enter(self, position: int) -> _EnteredCell:
        """Return a cell, prepared unless it is already. The one that was not used for longest may be left."""
        if position in self._entered:
            self._entered.move_to_end(position)
            return self._entered[position]
        self._state.phase = BUILDING
        cell = self._cells[position]
        entered = _EnteredCell(cell)
        self._entered[position] = entered
        if len(self._entered) > self._most_entered:
            self._entered.popitem(last=False)[1].solver.close()
        for sample in cell.source.samples():
            cell.stack.build(sample, self._report_building)
        self._send(Rows([]))
        return entered

    def _report_building(self, title: str, share: float) -> None:
        self._raise_if_stopped()
        self._send(Building(title, share))

    def _search(self, cell: _EnteredCell, number: int, instance: Instance) -> None:
        if (lost := cell.solver.lost_output(instance)) is not None:
            self._send(LogLine(f"{lost}: no longer there, so its row stays as it is"))
            return
        row = cell.format.encode(number, self._result(cell, number, instance))
        self._rows.append(row)  # after the search, which may have sent the rows before
        self._flush_if_due()

    @directory_kept()
    def _result(self, cell: _EnteredCell, number: int, instance: Instance) -> Result:
        attempt = cell.solver.attempt(instance)
        begin = partial(self._begin, number, attempt)  # of the search, and of the validation: each has the full time
        begin(attempt.columns)
        if not cell.is_warm:
            with without_collection():  # imports are a tenth of a second faster, too
                cell.is_warm = attempt.warm()
            begin(attempt.columns)  # a new clock
            if cell.is_warm:
                self._rehearse(attempt)
                begin(attempt.columns)
        result = attempt.result(self._watch, partial(self._improve, attempt.columns), begin)
        if self._system_limits is not None:
            self._system_limits.lift()
        return result

    def _rehearse(self, attempt: Attempt) -> None:
        """Search a little without counting. What the code of users prints is printed again in the search."""
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
        ):
            attempt.rehearse(self._watch)

    def _begin(self, number: int, attempt: Attempt, columns: Mapping[str, Any]) -> None:
        """Begin a search, its validation or the preparation of its kernels. Each has the full time."""
        self._state.begin_search(number, columns)
        if self._system_limits is not None:
            self._system_limits.begin(attempt.limits, is_planner=attempt.is_planner_at_work)

    def _watch(self, counts: Counts) -> bool:
        self._state.set_counts(counts)
        self._flush_if_due()
        return self._is_stopped()

    def _improve(self, columns: Mapping[str, Any], improvement: Improvement) -> None:
        self._flush(improvement_line(columns["run_id"], columns["instance"], improvement))

    def _flush_if_due(self) -> None:
        if self._rows and (time.monotonic() - self._sent > _BATCH_SECONDS or len(self._rows) >= _MAX_ROWS):
            self._flush()

    def _flush(self, plans: bytes = b"") -> None:
        if self._rows or plans:
            self._send(Rows(self._rows, plans))
            self._rows = []
        self._sent = time.monotonic()


class _LogSender(logging.Handler):
    """Handler that sends log records to the log of the cell."""

    def __init__(self, send: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._process = os.getpid()
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._send_text = send

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, unless this is a process that the code of an instance has forked."""
        if os.getpid() != self._process:
            return
        try:
            self._send_text(self.format(record))
        except Exception:
            self.handleError(record)


class _Prints(io.TextIOBase):
    """Standard output and error of a worker: what the code of users prints goes to the log of the cell.

    Lines are sent when they are complete; those of other threads, with the next message.
    """

    encoding = "utf-8"

    def __init__(self, send: Callable[[str], None]) -> None:
        self._process, self._send_text = os.getpid(), send
        self._text, self._left = "", _MAX_PRINTED

    def fileno(self) -> int:
        """Return the file of the process, to which programs that the code of users starts print."""
        return 2

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Take some text. A process that the code of an instance has forked prints as before."""
        if os.getpid() != self._process:
            return 0 if sys.__stdout__ is None else sys.__stdout__.write(text)
        if self._left > 0:
            self._left -= len(text)
            self._text += text if self._left > 0 else f"\n(more than {_MAX_PRINTED:,} characters; the rest is left out)"
        if "\n" in text and threading.current_thread() is threading.main_thread():
            complete, _, self._text = self._text.rpartition("\n")
            self._send_lines(complete)
        return len(text)

    def end(self, *, of_task: bool) -> None:
        """Send what has no end of a line yet."""
        text, self._text = self._text.removesuffix("\n"), ""
        self._send_lines(text)
        if of_task:
            self._left = _MAX_PRINTED

    def _send_lines(self, text: str) -> None:
        if text:
            before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGVTALRM,))  # limits.call would cut it in two
            try:
                self._send_text(text)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(cells: Sequence[Cell], place: Place, most_entered: int, pipe: Connection, state: WorkerState) -> None:
    """Search the tasks that come through a pipe, until it is closed or the worker is asked to stop.

    Parameters
    ----------
    place : Place
        Place of this process.
    most_entered : int
        Number of cells that stay prepared.
    pipe : Connection
        Pipe for tasks, messages, and an acknowledgement of every `Rows`.
    state : WorkerState
        State that the parent reads.
    """
    process = os.getpid()

    def send(message: Message) -> None:
        if os.getpid() != process:  # a process that the code of an instance has forked
            os._exit(1)
        if not isinstance(message, LogLine):  # a log may be closed after the last row
            prints.end(of_task=isinstance(message, TaskEnded))
        pipe.send(message)
        if isinstance(message, Rows):
            pipe.recv()

    def loaded(kernel: Identity) -> None:
        send(Loaded(kernel))
        if state.is_stopped:  # the next kernel may take seconds
            raise Stopped

    system_limits = SystemLimits(state, place.group, loaded)
    searcher = Searcher(cells, send, state, system_limits, lambda: state.is_stopped, most_entered)
    prints = _Prints(lambda text: send(LogLine(text)))
    with (
        contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError),
        contextlib.redirect_stdout(prints),
        contextlib.redirect_stderr(prints),
        contextlib.closing(searcher),
    ):
        while not state.is_stopped:
            searcher.run(pipe.recv())
