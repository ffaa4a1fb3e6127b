"""The instances that no worker has yet, in the order in which they are begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from runner.execution.protocol import Task

_MAX_TASK = 256
_TASKS_LEFT = 4
"""Tasks become smaller towards the end: each is at most what is left, over so many times the number of workers."""


class Queue:
    """Instances that no worker has yet, and how many of each cell have no row."""

    def __init__(self, ranges: Iterable[tuple[int, range]], workers: int) -> None:
        self._ranges = deque(ranges)
        self._workers = workers
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)
        self._open: dict[int, int] = {}
        for cell, numbers in self._ranges:
            self._open[cell] = self._open.get(cell, 0) + len(numbers)

    def take(self) -> Task | None:
        """Return the next task; None if there is none."""
        if not self._ranges:
            return None
        cell, numbers = self._ranges.popleft()
        size = max(1, min(_MAX_TASK, self._waiting // (_TASKS_LEFT * self._workers), len(numbers)))
        if size < len(numbers):
            self._ranges.appendleft((cell, numbers[size:]))
        self._waiting -= size
        return Task(cell, numbers[0], numbers[size - 1] + 1)

    def put_back(self, cell: int, parts: Sequence[range]) -> None:
        """Give instances back that a worker has not searched."""
        if cell in self._open:
            for part in reversed([part for part in parts if part]):
                self._ranges.appendleft((cell, part))
                self._waiting += len(part)

    def close(self, cell: int, count: int) -> bool:
        """Note that so many instances of a cell need no worker any more; returns whether that was the last of them."""
        if cell not in self._open:
            return False
        self._open[cell] -= count
        if self._open[cell] > 0:
            return False
        del self._open[cell]
        return True

    def drop(self, cell: int) -> None:
        """Leave out the rest of a cell."""
        self._open.pop(cell, None)
        self._ranges = deque((each, numbers) for each, numbers in self._ranges if each != cell)
        self._waiting = sum(len(numbers) for _, numbers in self._ranges)

    def clear(self) -> None:
        """Leave out everything."""
        self._ranges.clear()
        self._open.clear()
