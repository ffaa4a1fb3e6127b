"""One iteration of IDA* in place, split into subtrees that several threads search.

The tree is first searched down to a small depth, without its subtrees there. The threads take the subtrees in the order
of the search, and publish how far they are. Subtrees are counted in this order only, up to the goal. So all counts are
those of a search without threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event, Lock

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import in_place_step as s
from algorithms.engine.in_place_walk import NO_EXCESS, NO_PATH, Path, Walk
from algorithms.engine.search import Status

_MAX_ROOTS, _MAX_DEPTH = 1 << 14, 24
_STEP_SECONDS, _SECONDS_BETWEEN_LOOKS, _CHUNK_SECONDS = 0.1, 0.01, 0.005
_FIRST_RATE, _MIN_CHUNK, _MAX_CHUNK = 1e6, 1_000, 10_000_000


@dataclass(frozen=True)
class SubtreeProgress:
    """Counts of a subtree so far, its root included, and the number of moves of its longest path."""

    expanded: int = 0
    generated: int = 0
    longest: int = 0


@dataclass
class Subtree:
    """Nodes below a root.

    Attributes
    ----------
    path : ndarray of uint64
        Path to the root.
    expanded_before, generated_before : int
        Counts above the depth of the roots, when the root was generated.
    progress : list of SubtreeProgress
        What its thread has published, oldest first.
    status : Status
        RUNNING until its thread has ended it; then EXHAUSTED or SOLVED.
    excess : int
        By how much the smallest f beyond the bound exceeds it.
    walk : Walk or None
        Walk that stands on the goal, after SOLVED.
    """

    path: Path
    expanded_before: int
    generated_before: int
    progress: list[SubtreeProgress] = field(default_factory=list)
    status: Status = Status.RUNNING
    excess: int = NO_EXCESS
    walk: Walk | None = None


class SplitIteration:
    """Iteration whose subtrees are searched by threads. The threads live only during `search`.

    Parameters
    ----------
    top : Walk
        Walk for the nodes above the subtrees. It stands on the start.
    walks : sequence of Walk
        One for each thread.
    bound : int
        Bound on f.
    wanted : int
        Number of subtrees that divides the work evenly. There may be fewer or more.

    Attributes
    ----------
    subtrees : list of Subtree
        Subtrees in the order of the search.
    above : SubtreeProgress
        All counts above the subtrees.
    status : Status
        How the search above the subtrees ended: EXHAUSTED, or SOLVED after the last subtree.
    """

    def __init__(self, top: Walk, walks: Sequence[Walk], bound: int, wanted: int) -> None:
        self._walks, self._bound = walks, bound
        self.status, roots = _split(top, bound, wanted)
        self.above = SubtreeProgress(top.expanded, top.generated, top.longest)
        self.subtrees = [
            Subtree(root[s.ROOT_PATH :].copy(), int(root[s.ROOT_EXPANDED]), int(root[s.ROOT_GENERATED]))
            for root in roots
        ]
        self._current: list[int | None] = [None] * len(walks)
        self._next, self._end, self._rate = 0, len(self.subtrees), _FIRST_RATE
        self._lock = Lock()

    def search(self, is_enough: Callable[[], bool]) -> None:
        """Let the threads search until `is_enough` returns True, all subtrees have ended, or a step's time is over."""
        stop, deadline = Event(), time.perf_counter() + _STEP_SECONDS
        with ThreadPoolExecutor(len(self._walks)) as pool:
            threads = [pool.submit(self._search, number, stop, deadline) for number in range(len(self._walks))]
            try:
                waiting = {*threads}
                while waiting and not is_enough() and time.perf_counter() < deadline:
                    waiting = wait(threads, _SECONDS_BETWEEN_LOOKS, FIRST_EXCEPTION).not_done
            finally:
                stop.set()
        for thread in threads:
            thread.result()  # raises its exception, if it has one

    def _search(self, thread: int, stop: Event, deadline: float) -> None:
        """Search subtrees, one after the other, and publish the progress after each chunk of expansions.

        The last chunk ends near the deadline, so that no thread waits long for another.
        """
        walk = self._walks[thread]
        while not stop.is_set() and (now := time.perf_counter()) < deadline:
            number = self._current[thread]
            if number is None:
                number = self._take()
                if number is None:
                    return
                path = self.subtrees[number].path
                walk.enter(self._bound, path, floor=path.size)
                self._current[thread] = number
            if number >= self._end or self.subtrees[number].walk is walk:
                return
            before = walk.expanded
            chunk = int(self._rate * min(_CHUNK_SECONDS, deadline - now))
            status = walk.step(max(_MIN_CHUNK, min(chunk, _MAX_CHUNK)))
            self._publish(number, walk, status)
            if status == Status.EXHAUSTED:
                self._current[thread] = None
            elif walk.expanded > before:
                self._rate = (walk.expanded - before) / (time.perf_counter() - now)

    def _take(self) -> int | None:
        """Return the number of the next subtree."""
        with self._lock:
            if self._next >= self._end:
                return None
            self._next += 1
            return self._next - 1

    def _publish(self, number: int, walk: Walk, status: Status) -> None:
        subtree = self.subtrees[number]
        if status == Status.SOLVED:
            subtree.walk = walk
            with self._lock:
                self._end = min(self._end, number + 1)
        subtree.excess = walk.excess
        subtree.progress.append(SubtreeProgress(1 + walk.expanded, walk.generated, walk.longest))
        subtree.status = status  # last: whoever reads it finds everything else


def _split(top: Walk, bound: int, wanted: int) -> tuple[Status, NDArray[np.uint64]]:
    """Search the tree above the smallest depth at which it has enough nodes, and return these."""
    depth, before = 1, 0
    while True:
        top.begin(bound)
        status, roots = top.split(depth, _MAX_ROOTS)
        if status == Status.OUT_OF_MEMORY:
            top.enter(bound, NO_PATH, floor=0)
            return top.split(depth - 1, _MAX_ROOTS)
        if status == Status.SOLVED or len(roots) >= wanted or len(roots) < before or depth == _MAX_DEPTH:
            return status, roots
        depth, before = depth + 1, len(roots)
