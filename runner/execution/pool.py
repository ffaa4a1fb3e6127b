"""Pool: a queue of instances and the workers that search them. A worker that dies is one row, and is replaced."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Protocol

from runner.base.errors import UserError
from runner.config.schema import Cell
from runner.execution.process import WorkerProcess, exit_reason, last_result
from runner.execution.protocol import Building, CellStarted, Failed, Loaded, Log, Message, Rows, WorkerTask
from runner.execution.recorder import Recorder
from runner.execution.searcher import Searcher
from runner.execution.stop import Stop
from runner.execution.worker_state import BUILDING, ITERATING, SEARCHING, NoLimits, SystemLimits, WorkerState
from runner.records.row import RowFormat
from worlds.compile.clock import Identity
from worlds.compile.kernel import load

TICK_SECONDS = 0.25
STOP_SECONDS = 5.0
"""Time for which workers that were asked to stop may finish what they do."""
_MAX_WITHOUT_ROW = 10
"""Number of workers that may end without a row, one after the other."""


_MAX_TASK = 256
_TASKS_LEFT = 4
"""A task holds at most 1 / (_TASKS_LEFT * workers) of the remaining instances, so that all workers end together."""


class ProgressDisplay(Protocol):
    """Display of progress."""

    def show_workers(self, workers: Sequence[WorkerState]) -> None:
        """Show the state of the workers. Called several times a second."""

    def advance(self, count: int) -> None:
        """Count instances that have got a row."""

    def show_building(self, title: str, share: float) -> None:
        """Show what is built, and the share of it that is done."""


def run(
    cells: Sequence[Cell],
    ranges: Iterable[tuple[int, range]],
    workers: int,
    recorder: Recorder,
    progress: ProgressDisplay,
    stop: Stop,
) -> None:
    """Search instances of cells until all have rows or a stop is requested.

    Parameters
    ----------
    ranges : iterable of (int, range)
        Cells and numbers of instances, in the order in which they are searched.
    workers : int
        Number of processes; 0 searches in this one.

    Raises
    ------
    OSError
        If no worker can be started.
    UserError
        If workers end again and again without a row.
    """
    queue = Queue(ranges, max(1, workers))
    if workers == 0 or not hasattr(os, "fork"):
        _run_here(cells, queue, recorder, progress, stop)
    else:
        with contextlib.closing(Pool(cells, queue, workers, recorder, progress, stop)) as pool:
            pool.run()


def _run_here(cells: Sequence[Cell], queue: Queue, recorder: Recorder, progress: ProgressDisplay, stop: Stop) -> None:
    state = WorkerState()
    with stop.listening():

        def take(message: Message) -> None:
            _handle(message, queue, recorder, progress)
            progress.show_workers([state])

        searcher = Searcher(cells, take, state, NoLimits(), lambda: stop.requested)
        while not stop.requested and (task := queue.take()) is not None:
            searcher.run(task)


def _handle(message: Message, queue: Queue, recorder: Recorder, progress: ProgressDisplay) -> None:
    if isinstance(message, Rows):
        if recorder.write(message.cell, message.rows, message.plans, message.repeated):
            progress.advance(len(message.rows) + message.repeated)
        else:
            queue.drop(message.cell)
    elif isinstance(message, CellStarted):
        if not recorder.begin(message.cell):
            queue.drop(message.cell)
    elif isinstance(message, Building):
        progress.show_building(message.title, message.share)
    elif isinstance(message, Log):
        recorder.log(message.cell, message.text)
    elif isinstance(message, Failed):
        queue.drop(message.cell)
        recorder.fail(message.cell, message.problem, message.traceback, is_mistake=message.is_mistake)
    elif isinstance(message, WorkerTask) and queue.close(message.cell, message.last - message.first):
        recorder.finish(message.cell)


class Queue:
    """Instances that no worker has yet, and the number of instances without a row of each cell.

    Parameters
    ----------
    ranges : iterable of (int, range)
        Cells and numbers of instances, in the order in which they are searched.
    workers : int
        Number of workers.
    """

    def __init__(self, ranges: Iterable[tuple[int, range]], workers: int) -> None:
        self._ranges = deque(ranges)
        self._workers = workers
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)
        self._open: dict[int, int] = {}
        for cell, numbers in self._ranges:
            self._open[cell] = self._open.get(cell, 0) + len(numbers)

    def take(self) -> WorkerTask | None:
        """Remove and return the next task; None if the queue is empty."""
        if not self._ranges:
            return None
        cell, numbers = self._ranges.popleft()
        size = max(1, min(_MAX_TASK, self._waiting // (_TASKS_LEFT * self._workers), len(numbers)))
        if size < len(numbers):
            self._ranges.appendleft((cell, numbers[size:]))
        self._waiting -= size
        return WorkerTask(cell, numbers[0], numbers[size - 1] + 1)

    def put_back(self, cell: int, parts: Sequence[range]) -> None:
        """Put back instances that a worker has not searched, before all others."""
        if cell in self._open:
            for part in reversed([part for part in parts if part]):
                self._ranges.appendleft((cell, part))
                self._waiting += len(part)

    def close(self, cell: int, count: int) -> bool:
        """Count finished instances of a cell, and return whether they were its last."""
        if cell not in self._open:
            return False
        self._open[cell] -= count
        if self._open[cell] > 0:
            return False
        del self._open[cell]
        return True

    def drop(self, cell: int) -> None:
        """Remove the remaining instances of a cell."""
        self._open.pop(cell, None)
        self._ranges = deque((each, numbers) for each, numbers in self._ranges if each != cell)
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)

    def clear(self) -> None:
        """Remove all instances."""
        self._ranges.clear()
        self._open.clear()


class Pool:
    """Workers of one command.

    Parameters
    ----------
    cells, workers, recorder, progress, stop
        Arguments of `run`.
    queue : Queue
        Instances to search.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        queue: Queue,
        workers: int,
        recorder: Recorder,
        progress: ProgressDisplay,
        stop: Stop,
    ) -> None:
        self._cells, self._queue, self._recorder, self._progress, self._stop = cells, queue, recorder, progress, stop
        self._count = workers
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._kernels: dict[Identity, None] = {}
        self._built: set[int] = set()
        self._interrupted: set[int] = set()  # cells during whose iteration a worker has died
        self._ended = self._without_row = 0

    def run(self) -> None:
        """Search all instances of the queue, until a stop is requested."""
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
        """Ask the workers to stop, and receive the rows of their current instances. Kill them after a while."""
        self._queue.clear()
        for worker in self._workers:
            worker.state.is_stopped = True
        deadline = time.monotonic() + STOP_SECONDS
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
        """Assign tasks to idle workers, and start workers for further tasks."""
        for worker in [each for each in self._workers if each.task is None]:
            task = self._queue.take()
            if task is None:
                return
            worker.assign(task)
        while len(self._workers) < self._count and (task := self._queue.take()) is not None:
            if self._ended:
                load(self._kernels)  # here, so that new workers inherit the kernels that the ended ones had loaded
            try:
                searching = partial(_work, self._cells)
                worker = WorkerProcess(searching, self._recorder.close_inherited, self._workers)
            except OSError:  # too many open files or processes
                if not self._workers:
                    raise
                self._count = len(self._workers)
                self._queue.put_back(task.cell, [range(task.first, task.last)])
                return
            self._workers.append(worker)
            for file in worker.files:
                self._selector.register(file, selectors.EVENT_READ, worker)
            if self._stop.requested:  # during the fork
                worker.state.is_stopped = True
            worker.assign(task)

    def _wait(self) -> None:
        """Wait for messages, the end of a worker or a signal."""
        for worker in {key.data for key, _ in self._selector.select(TICK_SECONDS)}:
            if worker is None:
                self._stop.drain()
            else:
                self._receive(worker)
        for worker in self._workers:
            worker.kill_if_overdue()
        self._progress.show_workers([worker.state for worker in self._workers if worker.task])

    def _receive(self, worker: WorkerProcess) -> None:
        message: Message | None = worker.receive()
        if message is None:
            self._handle_end(worker)
        elif isinstance(message, Loaded):
            self._kernels[message.kernel] = None
        else:
            if isinstance(message, CellStarted):
                self._built.add(message.cell)
            _handle(message, self._queue, self._recorder, self._progress)
            worker.acknowledge(message)

    def _handle_end(self, worker: WorkerProcess) -> None:
        """Remove a worker that has ended. Its current instance becomes a row, the rest of its task is put back."""
        for file in worker.files:
            self._selector.unregister(file)
        self._workers.remove(worker)
        self._ended += 1
        code, task, state = worker.end(), worker.task, worker.state
        if task is None:
            return
        is_builder = state.phase == BUILDING and task.cell not in self._built  # if one worker has built it, others can
        is_source = state.phase == ITERATING and task.cell in self._interrupted  # once may be a kill from outside
        if state.phase == ITERATING:
            self._interrupted.add(task.cell)
        if (is_builder or is_source) and not state.is_stopped:
            activity = "building what its heuristics need" if state.phase == BUILDING else "making its instances"
            _handle(Failed(task.cell, f"{activity}: {exit_reason(code)}"), self._queue, self._recorder, self._progress)
            return
        number, received = state.number, worker.received
        rest = [range(received, task.last)]
        if state.phase == SEARCHING and received <= number < task.last:
            cell = self._cells[task.cell]
            row = RowFormat(cell.declared).encode(number, last_result(state, code, cell.limits, worker.was_overdue))
            _handle(Rows(task.cell, [row]), self._queue, self._recorder, self._progress)
            rest = [range(received, number), range(number + 1, task.last)]
        count = task.last - task.first - sum(map(len, rest))
        self._without_row = 0 if count or state.is_stopped else self._without_row + 1
        if self._without_row > _MAX_WITHOUT_ROW:
            raise UserError(
                f"{self._without_row} worker processes in a row ended without a result ({exit_reason(code)}); "
                "is there enough memory?"
            )
        self._queue.put_back(task.cell, rest)
        if self._queue.close(task.cell, count):
            self._recorder.finish(task.cell)


def _work(cells: Sequence[Cell], pipe: Connection, state: WorkerState) -> None:
    """Search the tasks that come through a pipe, until it is closed or the worker is asked to stop.

    Parameters
    ----------
    pipe : Connection
        Pipe for tasks, messages, and an acknowledgement of every `Rows`.
    state : WorkerState
        State that the parent reads.
    """
    process = os.getpid()

    def send(message: Message) -> None:
        if os.getpid() != process:  # a process that the code of an instance has forked
            os._exit(1)
        pipe.send(message)
        if isinstance(message, Rows):
            pipe.recv()

    system_limits = SystemLimits(state, lambda kernel: send(Loaded(kernel)))
    searcher = Searcher(cells, send, state, system_limits, lambda: state.is_stopped)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while not state.is_stopped:
            searcher.run(pipe.recv())
