"""Best-first search over flat arrays: a resumable step, and the growth of what it fills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.best_first_step import best_first_step
from algorithms.engine.nodes import Nodes, capacity_within, insert_all
from algorithms.engine.open_list import (
    BUCKETS,
    DEAD,
    HEAP,
    HIGH_H,
    IN_HAND,
    LARGEST_BUCKET_TABLE,
    TIES,
    buckets_to_heap,
)
from algorithms.engine.search import Counts, Search, Status
from heuristics.interface import DEAD_END
from heuristics.stack import BoundStack
from worlds.kernel import first_class


@dataclass(frozen=True)
class Priority:
    """Order of the open list: the smallest ``weight_g * g + weight_h * h`` first, ties as `ties` says.

    Attributes
    ----------
    weight_g, weight_h : float
        (1, 0) is uniform-cost search, (0, 1) greedy search, (1, 1) A*, (1, w) weighted A*.
    ties : {"low_h", "high_h", "fifo", "lifo"}
    reopen : bool
        Put a closed node back when a cheaper path to it is found.
    """

    weight_g: float
    weight_h: float
    ties: str = "low_h"
    reopen: bool = True


class BestFirstSearch(Search):
    """A resumable best-first search over flat arrays.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priority : Priority
    """

    def __init__(self, stack: BoundStack, priority: Priority) -> None:
        problem = stack.problem
        words, successors = problem.initial.size, problem.max_successors
        self._stack = stack
        self._nodes = Nodes(words)
        self._out = (
            np.empty(words * successors, np.uint64),
            np.empty(successors, np.int32),
            np.empty(successors, np.int16),
            np.empty(successors, np.int32),
            np.empty(successors, np.int32),
            np.empty(successors, np.int32),
        )
        self._weights = np.array([priority.weight_g, priority.weight_h], np.float64)
        self._kernels = (first_class((problem.expand,)), first_class((problem.is_goal,)), stack.terms, stack.params)
        self._control = np.zeros(c.SIZE, np.int64)
        self._insert_root(problem.initial)
        self._set_up(priority)

    def _insert_root(self, initial: np.ndarray) -> None:
        nodes = self._nodes
        nodes.states[: initial.size] = initial
        nodes.g[0] = nodes.parent[0] = 0
        nodes.action[0] = 0
        h = self._stack.evaluate(initial)
        self._initial_h = None if h >= DEAD_END else int(h)
        nodes.h[0] = DEAD_END if self._initial_h is None else self._initial_h
        nodes.previous[0] = DEAD if self._initial_h is None else IN_HAND
        insert_all.compiled(nodes.table, nodes.states, nodes.words, 1)
        self._out[-1][0] = 0

    def _set_up(self, priority: Priority) -> None:
        control = self._control
        integral = all(float(weight).is_integer() for weight in self._weights)
        control[c.NODES] = 1
        control[c.SIMULATED] = 1
        control[c.EVALUATED] = 1 if self._stack.kernels else 0
        control[c.PENDING] = 0 if self._initial_h is None else 1
        control[c.REOPEN] = priority.reopen
        control[c.MAX_SUCCESSORS] = self._stack.problem.max_successors
        control[c.TERM_COUNT] = len(self._stack.kernels)
        control[c.MAXIMUM] = self._stack.maximum
        control[c.OPEN_KIND] = BUCKETS if integral else HEAP
        control[c.TIES] = TIES[priority.ties]
        if integral:
            control[[c.WEIGHT_G, c.WEIGHT_H]] = self._weights.astype(np.int64)
        rows = columns = 0
        if integral:
            h = self._initial_h or 0
            rows = 2 * int(control[c.WEIGHT_H]) * h + 64
            columns = 2 * h + 2 if self._stack.kernels and priority.ties.endswith("_h") else 1
            integral = rows * columns <= LARGEST_BUCKET_TABLE
        if not integral:
            rows = columns = 0
            control[c.OPEN_KIND] = HEAP
        control[c.ROWS], control[c.COLUMNS] = rows, columns
        self._buckets = _bucket_table(rows, columns)
        self._heap = _heap_arrays(0 if integral else 1024)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        nodes, problem = self._nodes, self._stack.problem
        status = best_first_step.compiled(
            *self._kernels, problem.world, problem.action_lengths,
            nodes.states, nodes.g, nodes.h, nodes.parent, nodes.action, nodes.next, nodes.previous, nodes.table,
            *self._buckets, *self._heap, *self._out, self._control, self._weights, budget,
        )  # fmt: skip
        return Status(status) if status >= 0 else status

    def grow(self, memory_limit: int | None) -> bool:
        """Make room for what the last step lacked: nodes, buckets or heap entries."""
        control = self._control
        if control[c.PUSHED] == control[c.PENDING]:
            capacity = capacity_within(self._nodes, self._open_list_bytes(), memory_limit)
            if capacity > 0:
                self._nodes.grow(capacity, int(control[c.NODES]))
            return capacity > 0
        if control[c.OPEN_KIND] == BUCKETS:
            rows = _enough(int(control[c.ROWS]), int(control[c.NEED_ROWS]))
            columns = (
                1
                if control[c.TIES] > TIES["high_h"]
                else _enough(int(control[c.COLUMNS]), int(control[c.NEED_COLUMNS]))
            )
            if rows * columns > LARGEST_BUCKET_TABLE:
                self._switch_to_heap()
            elif memory_limit is not None and self._nodes.nbytes + 4 * rows * (columns + 2) > memory_limit:
                return False
            else:
                self._enlarge_buckets(rows, columns)
            return memory_limit is None or self._nodes.nbytes + self._open_list_bytes() <= memory_limit
        if memory_limit is not None and self._nodes.nbytes + 2 * self._open_list_bytes() > memory_limit:
            return False
        old = self._heap
        self._heap = _heap_arrays(2 * old[0].size)
        for new, kept in zip(self._heap, old, strict=True):
            new[: kept.size] = kept
        return True

    @property
    def counts(self) -> Counts:
        """The counts so far."""
        control = self._control
        return Counts(
            expanded=int(control[c.EXPANDED]),
            generated=int(control[c.GENERATED]),
            evaluated=int(control[c.EVALUATED]),
            reopened=int(control[c.REOPENED]),
            simulated_actions=int(control[c.SIMULATED]),
            peak_nodes=int(control[c.NODES]),
            memory_bytes=self._nodes.nbytes + self._open_list_bytes(),
        )

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._initial_h

    def path(self) -> list[int]:
        """Action codes from the start to the goal."""
        return self._nodes.path(int(self._control[c.GOAL]))

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        return int(self._nodes.g[self._control[c.GOAL]])

    def _open_list_bytes(self) -> int:
        return sum(array.nbytes for array in (*self._buckets, *self._heap))

    def _enlarge_buckets(self, rows: int, columns: int) -> None:
        control = self._control
        old_rows, old_columns = int(control[c.ROWS]), int(control[c.COLUMNS])
        heads, row_low, row_count = self._buckets
        self._buckets = _bucket_table(rows, columns)
        shift = columns - old_columns if control[c.TIES] == HIGH_H else 0
        table = self._buckets[0].reshape(rows, columns)
        table[:old_rows, shift : shift + old_columns] = heads.reshape(old_rows, old_columns)
        self._buckets[1][:old_rows] = row_low + shift
        self._buckets[2][:old_rows] = row_count
        control[c.ROWS], control[c.COLUMNS] = rows, columns

    def _switch_to_heap(self) -> None:
        """Too wide a range of priorities for buckets: move the open list to a heap, which keeps the order."""
        size = int(self._buckets[2].sum())
        self._heap = _heap_arrays(2 * size + 1024)
        nodes = self._nodes
        buckets_to_heap.compiled(
            self._control, self._weights, nodes.g, nodes.h, nodes.next, nodes.previous, self._buckets[0], *self._heap
        )
        self._buckets = _bucket_table(0, 0)


def _enough(present: int, needed: int) -> int:
    return present if needed <= present else max(2 * present, needed)


def _bucket_table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.full(rows * columns, -1, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int32)


def _heap_arrays(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return np.empty(size, np.float64), np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
