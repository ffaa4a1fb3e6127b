"""Searches the instances of tasks one after the other, in a worker or in the process of the command itself."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from algorithms.engine.search import Counts
from runner.config.schema import Cell
from runner.execution.board import BUILDING, IDLE, ITERATING, Board
from runner.execution.protocol import Begun, Building, Failed, Log, Rows, Send, Task
from runner.execution.solver import Solver
from runner.execution.stop import Stopped
from runner.execution.system_limits import SystemLimits
from runner.messages import own_traceback, text_of
from runner.records.result import Improvement
from runner.records.row import Row, RowFormat, improvement_line, key_of
from runner.registry import UserError
from worlds.interface import IndependentSource, Instance

_BATCH_SECONDS, _MAX_ROWS = 0.02, 256


class Searcher:
    """Searches tasks one after the other, in this process.

    Rows are sent when 20 ms have passed since those before, at the end of a search or between its steps: a row of an
    instance that took longer is on disk before the next instance begins.

    Parameters
    ----------
    is_stopped : callable
        Whether to stop; asked between instances, and between the steps of a search.
    system_limits : SystemLimits, optional
        In a process of its own.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        send: Send,
        board: Board,
        is_stopped: Callable[[], bool],
        system_limits: SystemLimits | None = None,
    ) -> None:
        self._cells, self._send, self._board, self._is_stopped = cells, send, board, is_stopped
        self._system_limits = system_limits
        self._cell = -1
        self._logging = _LogSender(lambda text: send(Log(self._cell, text)))
        self._rows: list[Row] = []
        self._repeated, self._sent = 0, time.monotonic()

    def run(self, task: Task) -> None:
        """Search the instances of a task until a stop is requested; report its end, or that the cell has failed."""
        outcome: Task | Failed | None = task
        logging.getLogger().addHandler(self._logging)
        try:
            if task.cell != self._cell:
                self._enter(task.cell)
            for number, instance in self._instances(task):
                self._check()
                self._search(number, instance)
                self._board.enter(ITERATING)
        except Stopped:
            outcome = None
        except UserError as error:
            outcome = Failed(self._cell, str(error), is_mistake=True)
        except BaseException as error:  # code of the user's may raise anything, and signals raise nothing
            outcome = Failed(self._cell, text_of(error), own_traceback(error))
        finally:
            logging.getLogger().removeHandler(self._logging)
        self._flush()
        self._board.enter(IDLE)
        if outcome is not None:
            self._send(outcome)

    def _check(self) -> None:
        if self._is_stopped():
            raise Stopped

    def _enter(self, number: int) -> None:
        """Build what the heuristics of a cell need."""
        self._board.enter(BUILDING)
        cell = self._cells[number]
        self._cell, self._source, self._limits = number, cell.source, cell.limits
        self._is_warm, self._seen = False, set[int]()
        self._position = 0
        self._iterator: Iterator[Instance] = iter(())
        self._solver, self._format = Solver.of(cell), RowFormat(cell.declared)
        for sample in cell.source.samples():
            cell.stack.build(sample, self._report_building)
        self._send(Begun(number))

    def _report_building(self, title: str, share: float) -> None:
        self._check()
        self._send(Building(title, share))

    def _instances(self, task: Task) -> Iterator[tuple[int, Instance]]:
        """Yield the instances of a task; those before it are made only if the source cannot do without."""
        self._board.enter(ITERATING)
        is_ahead = 0 < self._position <= task.first and not isinstance(self._source, IndependentSource)
        if not is_ahead:
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
        columns = self._solver.columns(instance)
        key = key_of(columns["run_id"])
        if key in self._seen:  # the source has it twice
            self._repeated += 1
            return
        self._seen.add(key)
        if not self._is_warm:
            self._begin(number, columns)
            self._warm(instance)
        self._begin(number, columns)
        result = self._solver.solve(instance, self._watch, self._improved(columns), columns)
        if self._system_limits is not None:
            self._system_limits.pause()
        self._rows.append(self._format.encode(number, result))
        self._flush_if_due()

    def _begin(self, number: int, columns: dict[str, Any]) -> None:
        self._board.begin(number, columns)
        if self._system_limits is not None:
            self._system_limits.begin(self._limits)

    def _warm(self, instance: Instance) -> None:
        collects = gc.isenabled()
        gc.disable()  # a tenth of a second, while modules are imported
        self._is_warm = self._solver.warm(instance)
        if collects:
            gc.enable()

    def _watch(self, counts: Counts) -> bool:
        self._board.count(counts.expanded, counts.peak_nodes)
        self._flush_if_due()
        return self._is_stopped()

    def _improved(self, columns: Mapping[str, Any]) -> Callable[[Improvement], None]:
        def send(improvement: Improvement) -> None:
            self._flush(improvement_line(columns["run_id"], columns["instance"], improvement))

        return send

    def _flush_if_due(self) -> None:
        if self._rows and (time.monotonic() - self._sent > _BATCH_SECONDS or len(self._rows) >= _MAX_ROWS):
            self._flush()

    def _flush(self, plans: bytes = b"") -> None:
        if self._rows or self._repeated or plans:
            self._send(Rows(self._cell, self._rows, plans, self._repeated))
            self._rows, self._repeated = [], 0
        self._sent = time.monotonic()


class _LogSender(logging.Handler):
    """Sends what is logged to the log of the cell."""

    def __init__(self, send: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._process = os.getpid()
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._send_text = send

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record; a process that an instance has forked sends none."""
        if os.getpid() != self._process:
            return
        try:
            self._send_text(self.format(record))
        except Exception:
            self.handleError(record)
