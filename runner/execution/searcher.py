"""Search of the instances of tasks, in a worker or in the process of the command."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from algorithms.engine.search import Counts
from runner.base.errors import UserError, error_text, own_traceback
from runner.config.schema import Cell
from runner.execution.protocol import Building, CellStarted, Failed, Log, Rows, Send, WorkerTask
from runner.execution.solver import Attempt, Solver
from runner.execution.stop import Stopped
from runner.execution.worker_state import BUILDING, IDLE, ITERATING, NoLimits, WorkerState
from runner.records.result import Improvement
from runner.records.row import Row, RowFormat, improvement_line, key_of
from worlds.interface import Instance
from worlds.sources import IndependentSource

_BATCH_SECONDS, _MAX_ROWS = 0.02, 256


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
    system_limits : NoLimits or SystemLimits
        Limits by which the system ends this process.
    is_stopped : callable
        Returns whether to stop. Called between instances, and between the steps of a search.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        send: Send,
        state: WorkerState,
        system_limits: NoLimits,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._cells, self._send, self._state, self._is_stopped = cells, send, state, is_stopped
        self._system_limits = system_limits
        self._cell = -1
        self._logging = _LogSender(lambda text: send(Log(self._cell, text)))
        self._rows: list[Row] = []
        self._repeated, self._sent = 0, time.monotonic()

    def run(self, task: WorkerTask) -> None:
        """Search the instances of a task until a stop is requested. Send the task back, or the failure of the cell."""
        outcome: WorkerTask | Failed | None = task
        logging.getLogger().addHandler(self._logging)
        try:
            if task.cell != self._cell:
                self._enter(task.cell)
            for number, instance in self._instances(task):
                self._raise_if_stopped()
                self._search(number, instance)
                self._state.phase = ITERATING
        except Stopped:
            outcome = None
        except UserError as error:
            outcome = Failed(self._cell, str(error), is_mistake=True)
        except BaseException as error:  # the code of users may raise anything
            outcome = Failed(self._cell, error_text(error), own_traceback(error))
        finally:
            logging.getLogger().removeHandler(self._logging)
        self._flush()
        self._state.phase = IDLE
        if outcome is not None:
            self._send(outcome)

    def _raise_if_stopped(self) -> None:
        if self._is_stopped():
            raise Stopped

    def _enter(self, number: int) -> None:
        """Begin a cell: build what its heuristics need."""
        self._state.phase = BUILDING
        cell = self._cells[number]
        self._cell, self._source, self._limits = number, cell.source, cell.limits
        self._is_warm, self._seen = False, set[int]()
        self._position = 0
        self._iterator: Iterator[Instance] = iter(())
        self._solver, self._format = Solver.of(cell), RowFormat(cell.declared)
        for sample in cell.source.samples():
            cell.stack.build(sample, self._report_building)
        self._send(CellStarted(number))

    def _report_building(self, title: str, share: float) -> None:
        self._raise_if_stopped()
        self._send(Building(title, share))

    def _instances(self, task: WorkerTask) -> Iterator[tuple[int, Instance]]:
        """Yield the instances of a task with their numbers. Continue the iteration of the last task where possible."""
        self._state.phase = ITERATING
        can_continue = 0 < self._position <= task.first and not isinstance(self._source, IndependentSource)
        if not can_continue:
            self._position = task.first
            self._iterator = self._source.part(range(task.first, len(self._source)))
        rest = itertools.islice(self._iterator, task.first - self._position, None)
        self._position = task.first
        for number, instance in zip(range(task.first, task.last), rest, strict=False):
            self._position = number + 1
            yield number, instance
        if self._position < task.last:
            raise RuntimeError(f"the source has {self._position} instances, but its length is {len(self._source)}")

    def _search(self, number: int, instance: Instance) -> None:
        attempt = self._solver.attempt(instance)
        key = key_of(attempt.columns["run_id"])
        if key in self._seen:  # the source has repeated an instance
            self._repeated += 1
            return
        self._seen.add(key)
        begin = partial(self._begin, number)
        begin(attempt.columns)
        if not self._is_warm:
            self._warm(attempt)
            begin(attempt.columns)  # a new clock
        result = attempt.result(self._watch, partial(self._improve, attempt.columns), begin)
        self._system_limits.pause()
        self._rows.append(self._format.encode(number, result))
        self._flush_if_due()

    def _begin(self, number: int, columns: Mapping[str, Any]) -> None:
        """Begin a search, its validation or the preparation of its kernels. Each has the full time."""
        self._state.begin_search(number, columns)
        self._system_limits.begin(self._limits)

    def _warm(self, attempt: Attempt) -> None:
        was_enabled = gc.isenabled()
        gc.disable()  # imports are a tenth of a second faster
        self._is_warm = attempt.warm()
        if was_enabled:
            gc.enable()

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
        if self._rows or self._repeated or plans:
            self._send(Rows(self._cell, self._rows, plans, self._repeated))
            self._rows, self._repeated = [], 0
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
