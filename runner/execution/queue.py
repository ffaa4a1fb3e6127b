"""Queue of the instances that no worker has yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from runner.execution.protocol import WorkerTask

_MAX_TASK = 256
_TASKS_LEFT = 4
"""A task holds at most 1 / (_TASKS_LEFT * workers) of the remaining instances, so that all workers end together."""


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
