"""Pool: a queue of instances and the workers that search them. A worker that dies is one row, and is replaced."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import groupby
from multiprocessing.connection import Connection
from operator import itemgetter

from runner.base import UserError, exit_reason
from runner.config import Cell
from runner.execution.display import ProgressDisplay
from runner.execution.places import Place
from runner.execution.process import WorkerProcess, Workers, last_result
from runner.execution.recorder import Recorder
from runner.execution.stop import Stop
from runner.execution.worker_loop import (
    MAX_ENTERED,
    Building,
    Loaded,
    LogLine,
    Message,
    Rows,
    Searcher,
    TaskEnded,
    WorkerTask,
    work,
)
from runner.execution.worker_state import BUILDING, ITERATING, SEARCHING, WorkerState
from runner.records import Row, RowFormat
from worlds.compile import Identity, load

_MAX_WITHOUT_ROW = 10
"""Number of workers that may end one after the other while no worker makes a row."""
_MAX_TASK = 256
_TASKS_LEFT = 4
"""A task holds at most 1 / (_TASKS_LEFT * workers) of the remaining instances, so that all workers end together."""


class Queue:
    """Searches that no worker has yet, and the number of searches of each cell that have not ended.

    Parameters
    ----------
    ranges : iterable of (int, range)
        Positions of cells and numbers of instances, in the order in which they are searched.
    workers : int
        Number of workers.

    Attributes
    ----------
    returns_to_cells : bool
        Whether other cells are searched between the searches of a cell.
    """

    def __init__(self, ranges: Iterable[tuple[int, range]], workers: int) -> None:
        self._ranges = deque(ranges)
        visits = [position for position, _ in groupby(self._ranges, key=itemgetter(0))]
        self.returns_to_cells = len(visits) > len({*visits})
        self._workers = workers
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)
        self._left_out: dict[int, set[int]] = {}
        self._skipped: list[int] = []
        self._open: dict[int, int] = {}
        for position, numbers in self._ranges:
            self._open[position] = self._open.get(position, 0) + len(numbers)

    def take(self) -> WorkerTask | None:
        """Remove and return the next task; None if the queue is empty."""
        self._skip_left_out()
        if not self._ranges:
            return None
        position, numbers = self._ranges.popleft()
        size = max(1, min(_MAX_TASK, self._waiting // (_TASKS_LEFT * self._workers), len(numbers)))
        left_out = self._left_out.get(position, ())
        if left_out:
            size = next((place for place in range(size) if numbers[place] in left_out), size)
        if size < len(numbers):
            self._ranges.appendleft((position, numbers[size:]))
        self._waiting -= size
        return WorkerTask(position, numbers[:size])

    def _skip_left_out(self) -> None:
        """Remove the instances at the front that are not searched again."""
        while self._ranges:
            position, numbers = self._ranges[0]
            if numbers[0] not in self._left_out.get(position, ()):
                return
            self._waiting -= 1
            self._skipped.append(position)
            self._ranges.popleft()
            if len(numbers) > 1:
                self._ranges.appendleft((position, numbers[1:]))

    def skipped(self) -> list[int]:
        """Return the position of the cell of each search that `take` has left out since the last call."""
        cells = self._skipped
        self._skipped = []
        return cells

    def leave_out(self, position: int, numbers: Sequence[int]) -> None:
        """Search instances of a cell not again."""
        if numbers:
            self._left_out.setdefault(position, set()).update(numbers)

    def put_back(self, position: int, parts: Sequence[range]) -> None:
        """Put back instances that a worker has not searched, before all others."""
        if position in self._open:
            for part in reversed([part for part in parts if part]):
                self._ranges.appendleft((position, part))
                self._waiting += len(part)

    def count_ended(self, position: int, count: int) -> bool:
        """Count finished instances of a cell, and return whether they were its last."""
        if position not in self._open:
            return False
        self._open[position] -= count
        if self._open[position] > 0:
            return False
        del self._open[position]
        return True

    def drop(self, position: int) -> None:
        """Remove the remaining instances of a cell."""
        self._open.pop(position, None)
        self._ranges = deque((each, numbers) for each, numbers in self._ranges if each != position)
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)

    def clear(self) -> None:
        """Remove all instances."""
        self._ranges.clear()
        self._open.clear()


class Pool:
    """Workers of one command.

    Parameters
    ----------
    ranges : iterable of (int, range)
        Positions of cells and numbers of instances, in the order in which they are searched.
    places : sequence of Place
        Place of each worker; without any, this process searches.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        ranges: Iterable[tuple[int, range]],
        places: Sequence[Place],
        recorder: Recorder,
        progress: ProgressDisplay,
        stop: Stop,
    ) -> None:
        self._cells, self._recorder, self._progress, self._stop = cells, recorder, progress, stop
        self._queue = Queue(ranges, max(1, len(places)))
        self._most_entered = MAX_ENTERED if self._queue.returns_to_cells else 1
        self._count = len(places) if hasattr(os, "fork") else 0
        self._places = deque(places)
        self._tasks: dict[WorkerState, WorkerTask] = {}  # what busy workers have still to do
        self._kernels: dict[Identity, None] = {}
        self._begun: set[int] = set()
        self._interrupted: set[int] = set()  # cells during whose iteration a worker has died
        self._without_row = 0

    def run(self) -> None:
        """Search the instances until all have rows or a stop is requested.

        Raises
        ------
        OSError
            If no worker can be started.
        UserError
            If workers end again and again without a row.
        """
        with self._stop.listening():
            if self._count == 0:
                self._search_here()
                return
            with Workers(self._stop) as self._workers:
                self._assign()
                while self._tasks:  # after a signal, rows of current instances still come
                    self._wait()
                    if self._stop.requested:
                        self._queue.clear()
                    self._assign()

    def _search_here(self) -> None:
        state = WorkerState()

        def handle(message: Message) -> None:
            self._handle(state, message)
            self._progress.show_workers([state])

        searcher = Searcher(self._cells, handle, state, None, lambda: self._stop.requested, self._most_entered)
        with closing(searcher):
            while not self._stop.requested and (task := self._next_task()) is not None:
                self._tasks[state] = task
                searcher.run(task)

    def _assign(self) -> None:
        """Assign tasks to idle workers, and start workers for further tasks."""
        idle = [worker for worker in self._workers.running if worker.state not in self._tasks]
        while (idle or len(self._workers.running) < self._count) and not self._stop.requested:
            task = self._next_task()
            if task is None:
                return
            try:
                worker = idle.pop(0) if idle else self._start()
            except OSError:  # too many open files or processes
                if not self._workers.running:
                    raise
                self._count = len(self._workers.running)
                self._queue.put_back(task.position, [task.numbers])
                return
            self._tasks[worker.state] = task
            worker.send(task)

    def _next_task(self) -> WorkerTask | None:
        task = self._queue.take()
        for position in self._queue.skipped():
            self._progress.advance(1)
            self._finish(position, 1)
        return task

    def _start(self) -> WorkerProcess:
        if self._kernels:
            load(self._kernels)  # here, so that new workers inherit the kernels that the ended ones had loaded
        place = self._places[0]

        def work_there(pipe: Connection, state: WorkerState) -> None:
            self._recorder.close_inherited()
            work(self._cells, place, self._most_entered, pipe, state)

        worker = self._workers.start(place, work_there)
        self._places.popleft()
        return worker

    def _wait(self) -> None:
        for worker, message in self._workers.wait():
            if message is None:
                self._replace(worker)
            else:
                self._handle(worker.state, message)
                if isinstance(message, Rows):
                    worker.send(None)  # the rows are on disk
        self._progress.show_workers([*self._tasks])

    def _handle(self, state: WorkerState, message: Message) -> None:
        if state not in self._tasks:  # a thread of the user's code has logged something after the task
            return
        position, numbers = self._tasks[state]
        match message:
            case Rows(rows, plans):
                self._begun.add(position)
                self._write(position, rows, plans)
                if rows:
                    rest = range(rows[-1].number + 1, numbers.stop)
                    self._tasks[state] = WorkerTask(position, rest)
                    self._finish(position, len(numbers) - len(rest))
            case Building(title, share):
                self._progress.show_building(title, share)
            case LogLine(text):
                self._recorder.log(position, text)
            case Loaded(kernel):
                self._kernels[kernel] = None
            case TaskEnded(problem, traceback, is_mistake):
                del self._tasks[state]
                if problem is None:
                    self._finish(position, len(numbers))
                else:
                    self._fail(position, problem, traceback, is_mistake=is_mistake)

    def _write(self, position: int, rows: Sequence[Row], plans: bytes = b"") -> None:
        if rows:
            self._without_row = 0
        ended = self._recorder.write(position, rows, plans)
        if ended is None:
            self._queue.drop(position)
            return
        self._progress.advance(len(rows))
        self._queue.leave_out(position, ended)

    def _finish(self, position: int, count: int) -> None:
        if self._queue.count_ended(position, count):
            self._recorder.finish(position)

    def _fail(self, position: int, problem: str, traceback: str = "", *, is_mistake: bool = False) -> None:
        self._queue.drop(position)
        self._recorder.fail(position, problem, traceback, is_mistake=is_mistake)

    def _replace(self, worker: WorkerProcess) -> None:
        """Remove a worker that has ended. Its current instance becomes a row, the rest of its task is put back."""
        state = worker.state
        code = self._workers.end(worker, at_once=state in self._tasks)
        self._places.append(worker.place)
        task = self._tasks.pop(state, None)
        if task is None:
            return
        position, numbers = task
        is_builder = state.phase == BUILDING and position not in self._begun  # if one worker has built it, others can
        is_source = state.phase == ITERATING and position in self._interrupted  # once may be a kill from outside
        if state.phase == ITERATING:
            self._interrupted.add(position)
        if (is_builder or is_source) and not state.is_stopped:
            activity = "building what its heuristics need" if is_builder else "making its instances"
            self._fail(position, f"{activity}: {exit_reason(code)}")
        elif state.phase == SEARCHING and state.number in numbers:
            parts = self._cells[position]
            result = last_result(state, code, parts, worker.ended_at)
            row_format = RowFormat(parts.declared, keeps_results=parts.repeat > 1)
            self._write(position, [row_format.encode(state.number, result)])
            self._queue.put_back(position, [range(numbers.start, state.number), range(state.number + 1, numbers.stop)])
            self._finish(position, 1)
        else:
            self._without_row += not state.is_stopped
            if self._without_row > _MAX_WITHOUT_ROW:
                raise UserError(
                    f"{self._without_row} worker processes in a row ended without a result ({exit_reason(code)}); "
                    "is there enough memory?"
                )
            self._queue.put_back(position, [numbers])
