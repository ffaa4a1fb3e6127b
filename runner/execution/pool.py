"""Worker processes that search the instances of cells; what kills a worker is one row, and another takes its place."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from runner.config.schema import Cell
from runner.execution.board import BUILDING, ITERATING, SEARCHING, Board
from runner.execution.process import WorkerProcess, exit_reason, last_result
from runner.execution.protocol import Begun, Building, Failed, Loaded, Log, Message, Rows, Task
from runner.execution.queue import Queue
from runner.execution.recorder import Recorder
from runner.execution.searcher import Searcher
from runner.execution.stop import Stop
from runner.records.row import RowFormat
from runner.registry import UserError
from worlds.kernel import Identity, load

_TICK_SECONDS = 0.25
_STOP_SECONDS = 5.0
_MAX_USELESS_WORKERS = 10


class Display(Protocol):
    """Is told how far the workers are."""

    def tick(self, boards: Sequence[Board]) -> None:
        """Called several times a second."""

    def advance(self, count: int) -> None:
        """So many instances have got their rows."""

    def build(self, title: str, share: float) -> None:
        """Something that takes long is being built."""


def run(
    cells: Sequence[Cell],
    ranges: Iterable[tuple[int, range]],
    workers: int,
    recorder: Recorder,
    display: Display,
    stop: Stop,
) -> None:
    """Search instances of cells, until all have rows or a stop is requested.

    Parameters
    ----------
    ranges : iterable of (int, range)
        Cells and numbers of instances, in the order in which they are begun.
    workers : int
        Number of processes; 0 searches in this one.

    Raises
    ------
    OSError, UserError
        If rows cannot be written. No worker is left behind.
    """
    queue = Queue(ranges, max(1, workers))
    if workers == 0 or not hasattr(os, "fork"):
        _run_here(cells, queue, recorder, display, stop)
    else:
        with contextlib.closing(Pool(cells, queue, workers, recorder, display, stop)) as pool:
            pool.run()


def _run_here(cells: Sequence[Cell], queue: Queue, recorder: Recorder, display: Display, stop: Stop) -> None:
    board = Board()
    with stop.listening():

        def take(message: Message) -> None:
            _handle(message, queue, recorder, display)
            display.tick([board])

        searcher = Searcher(cells, take, board, lambda: stop.requested)
        while not stop.requested and (task := queue.take()) is not None:
            searcher.run(task)


def _handle(message: Message, queue: Queue, recorder: Recorder, display: Display) -> None:
    if isinstance(message, Rows):
        if recorder.write(message.cell, message.rows, message.plans, message.repeated):
            display.advance(len(message.rows) + message.repeated)
        else:
            queue.drop(message.cell)
    elif isinstance(message, Begun):
        if not recorder.begin(message.cell):
            queue.drop(message.cell)
    elif isinstance(message, Building):
        display.build(message.title, message.share)
    elif isinstance(message, Log):
        recorder.log(message.cell, message.text)
    elif isinstance(message, Failed):
        queue.drop(message.cell)
        recorder.fail(message.cell, message.problem, message.traceback, is_mistake=message.is_mistake)
    elif isinstance(message, Task) and queue.close(message.cell, message.last - message.first):
        recorder.finish(message.cell)


class Pool:
    """The workers of one command.

    Parameters
    ----------
    cells, workers, recorder, display, stop
        As for `run`.
    """

    def __init__(
        self, cells: Sequence[Cell], queue: Queue, workers: int, recorder: Recorder, display: Display, stop: Stop
    ) -> None:
        self._cells, self._queue, self._recorder, self._display, self._stop = cells, queue, recorder, display, stop
        self._count = workers
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._kernels: dict[Identity, None] = {}
        self._built: set[int] = set()
        self._lost = self._useless = 0

    def run(self) -> None:
        """Search everything in the queue."""
        with self._stop.listening():
            if self._stop.fileno() >= 0:
                self._selector.register(self._stop.fileno(), selectors.EVENT_READ)
            self._assign()
            while self._is_busy() and not self._stop.requested:
                self._wait()
                self._assign()
            if self._is_busy():
                self._selector.unregister(self._stop.fileno())
                self._stop_workers()

    def _is_busy(self) -> bool:
        return any(worker.task for worker in self._workers)

    def _stop_workers(self) -> None:
        """Let the instances at work become rows."""
        self._queue.clear()
        for worker in self._workers:
            worker.board.stop()
        deadline = time.monotonic() + _STOP_SECONDS
        while self._is_busy():
            self._wait()
            if time.monotonic() > deadline:
                for worker in self._workers:
                    worker.signal(signal.SIGKILL)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._selector.close()

    def _assign(self) -> None:
        """Give every idle worker a task; start workers as long as there are more tasks."""
        for worker in [each for each in self._workers if each.task is None]:
            task = self._queue.take()
            if task is None:
                return
            worker.assign(task)
        while len(self._workers) < self._count and (task := self._queue.take()) is not None:
            if self._lost:
                load(self._kernels)  # so that those that follow have what the lost ones had loaded
            try:
                worker = WorkerProcess(self._cells, self._recorder.disown, self._workers)
            except OSError:  # too many open files or processes
                if not self._workers:
                    raise
                self._count = len(self._workers)
                self._queue.put_back(task.cell, [range(task.first, task.last)])
                return
            self._workers.append(worker)
            for file in worker.files:
                self._selector.register(file, selectors.EVENT_READ, worker)
            if self._stop.requested:  # while it was forked
                worker.board.stop()
            worker.assign(task)

    def _wait(self) -> None:
        """Wait for messages, the end of a worker or a signal."""
        for worker in {key.data for key, _ in self._selector.select(_TICK_SECONDS)}:
            if worker is None:
                self._stop.drain()
            else:
                self._receive(worker)
        self._display.tick([worker.board for worker in self._workers if worker.task])

    def _receive(self, worker: WorkerProcess) -> None:
        message = worker.receive()
        if message is None:
            self._bury(worker)
        elif isinstance(message, Loaded):
            self._kernels[message.kernel] = None
        else:
            if isinstance(message, Begun):
                self._built.add(message.cell)
            _handle(message, self._queue, self._recorder, self._display)
            worker.acknowledge(message)

    def _bury(self, worker: WorkerProcess) -> None:
        """Take leave of a worker that has ended: the instance at work becomes a row, others are given back."""
        for file in worker.files:
            self._selector.unregister(file)
        self._workers.remove(worker)
        self._lost += 1
        code, task, board = worker.end(), worker.task, worker.board
        if task is None:
            return
        is_builder = board.phase == BUILDING and task.cell not in self._built  # what one has built, others can
        if (is_builder or board.phase == ITERATING) and not board.is_stopped:
            what = "building what its heuristics need" if board.phase == BUILDING else "making its instances"
            _handle(Failed(task.cell, f"{what}: {exit_reason(code)}"), self._queue, self._recorder, self._display)
            return
        number, received = board.number, worker.received
        rest = [range(received, task.last)]
        if board.phase == SEARCHING and received <= number < task.last:
            cell = self._cells[task.cell]
            row = RowFormat(cell.declared).encode(number, last_result(board, code, cell.limits))
            _handle(Rows(task.cell, [row]), self._queue, self._recorder, self._display)
            rest = [range(received, number), range(number + 1, task.last)]
        count = task.last - task.first - sum(map(len, rest))
        self._useless = 0 if count or board.is_stopped else self._useless + 1
        if self._useless > _MAX_USELESS_WORKERS:
            raise UserError(f"worker processes end at once: {exit_reason(code)}; is there enough memory?")
        self._queue.put_back(task.cell, rest)
        if self._queue.close(task.cell, count):
            self._recorder.finish(task.cell)
