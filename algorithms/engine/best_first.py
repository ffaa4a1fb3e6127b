"""Best-first search over flat arrays: a resumable step, and the growth of what it fills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.best_first_step import best_first_step, expansion_buffers
from algorithms.engine.nodes import PREVIOUS, G, Nodes, capacity_within
from algorithms.engine.open_list import (
    BUCKETS,
    DEAD,
    HEAP,
    HIGH_H,
    IN_HAND,
    LARGEST_BUCKET_TABLE,
    TIES,
    WEIGHTED,
    bucket_table,
    buckets_to_heap,
    heap_arrays,
    requeue,
)
from algorithms.engine.search import Counts, Search, Status
from heuristics.interface import DEAD_END
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weighting
from worlds.kernel import first_class

_FIRST_ROWS = 64
_SCALES = (1, 2, 4, 8)
_ONE = Constant(1.0)


@dataclass(frozen=True)
class Priority:
    """Order of the open list: the smallest ``weight_g * g + w * h`` first, ties as `ties` says.

    Attributes
    ----------
    weight_g : float
    weighting : Weighting
        Says what w is. (1, 0) is uniform-cost search, (0, 1) greedy search, (1, 1) A*, (1, w) weighted A*.
    ties : {"low_h", "high_h", "fifo", "lifo"}
    reopen : bool
        Put a closed node back when a cheaper path to it is found.
    """

    weight_g: float = 1.0
    weighting: Weighting = _ONE
    ties: str = "low_h"
    reopen: bool = True


class BestFirstSearch(Search):
    """A resumable best-first search over flat arrays.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priority : Priority
    upper : int, optional
        Only solutions that cost less are of interest: nodes that cannot be on one (by g + h if the stack is
        admissible, else by g) are not put into the open list.
    """

    def __init__(self, stack: BoundStack, priority: Priority, upper: int | None = None) -> None:
        problem = stack.problem
        self._stack, self._priority = stack, priority
        self._nodes = Nodes(problem.initial.size)
        self._buffers = expansion_buffers(problem.initial.size, problem.max_successors)
        self._kernels = (first_class((problem.expand,)), first_class((problem.is_goal,)), stack.terms, stack.params)
        self._changes = priority.weighting.changes()
        weight = next(self._changes)[1]
        self._next_change = next(self._changes, None)
        self._weights = np.array([priority.weight_g, weight, *priority.weighting.by_depth], np.float64)
        self._weight = self._largest_weight = weight + priority.weighting.by_depth[0]
        self._control = np.zeros(c.SIZE, np.int64)
        self._set_up_root(problem.initial)
        self._set_up_control(upper)
        self._set_up_open_list()

    def _set_up_root(self, initial: np.ndarray) -> None:
        h = self._stack.evaluate(initial)
        self._initial_h = None if h >= DEAD_END else int(h)
        self._nodes.put(0, initial, DEAD_END if self._initial_h is None else self._initial_h)
        self._nodes.fields[PREVIOUS] = DEAD if self._initial_h is None else IN_HAND
        self._nodes.index(1)
        self._buffers[-1][0] = 0

    def _set_up_control(self, upper: int | None) -> None:
        control, stack = self._control, self._stack
        control[c.NODES] = 1
        control[c.SIMULATED] = 1
        control[c.EVALUATED] = 1 if stack.kernels else 0
        control[c.PENDING] = 0 if self._initial_h is None else 1
        control[c.WORDS] = stack.problem.initial.size
        control[c.INDEX_MASK] = self._nodes.index_mask
        control[c.MAX_SUCCESSORS] = stack.problem.max_successors
        control[c.TERM_COUNT] = len(stack.kernels)
        control[c.MAXIMUM] = stack.maximum
        control[c.REOPEN] = self._priority.reopen
        control[c.UPPER] = c.NO_UPPER if upper is None else upper
        control[c.UPPER_ON_F] = stack.stack.admissible is True
        control[c.PRIORITY] = WEIGHTED
        control[c.TIES] = TIES[self._priority.ties]

    def _set_up_open_list(self) -> None:
        """Buckets, if all priorities are integers once they are multiplied by a small power of two."""
        control, h = self._control, self._initial_h or 0
        scale = (
            next((s for s in _SCALES if (self._weights[:2] * s % 1 == 0).all()), None) if self._is_constant else None
        )
        if scale is not None:
            self._weights[:2] *= scale
        columns = 2 * h + 2 if self._stack.kernels and self._priority.ties.endswith("_h") else 1
        rows = 0 if scale is None or _FIRST_ROWS * columns > LARGEST_BUCKET_TABLE else _FIRST_ROWS
        columns = columns if rows else 0
        control[c.OPEN_KIND] = BUCKETS if rows else HEAP
        control[c.BASE] = int(self._weights[1]) * h
        control[c.ROWS], control[c.COLUMNS] = rows, columns
        self._buckets = bucket_table(rows, columns)
        self._heap = heap_arrays(0 if rows else 1024)

    @property
    def _is_constant(self) -> bool:
        """Whether the weight is the same for all nodes."""
        return isinstance(self._priority.weighting, Constant)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, with the weight that the schedule says for each."""
        control = self._control
        while True:
            before, following = int(control[c.EXPANDED]), self._next_change
            allowed = budget if following is None else min(budget, following[0] - before)
            status = self._run_kernel(allowed)
            done = int(control[c.EXPANDED]) - before
            budget -= done
            if done > 0:
                self._largest_weight = max(self._largest_weight, self._weight)
            if status != Status.RUNNING:
                return status
            if following is not None and before + done == following[0]:
                self._change_weight(following[1])
            if budget == 0:
                return Status.RUNNING

    def _run_kernel(self, budget: int) -> Status:
        nodes, problem = self._nodes, self._stack.problem
        return best_first_step.compiled(  # type: ignore[no-any-return]
            *self._kernels, problem.world, problem.action_lengths, nodes.states, nodes.fields, nodes.table,
            (*self._buckets, *self._heap), self._buffers, self._control, self._weights, budget,
        )  # fmt: skip

    def _change_weight(self, weight: float) -> None:
        self._weights[1] = weight
        self._weight = weight + self._priority.weighting.by_depth[0]
        self._next_change = next(self._changes, None)
        if self._priority.weighting.requeue:
            requeue.compiled(
                self._control, self._weights, self._nodes.fields, 2 * self._nodes.stride,
                (*self._buckets, *self._heap),
            )  # fmt: skip

    def grow(self, memory_limit: int | None) -> bool:
        """Make room for what the last step lacked: nodes, buckets or heap entries."""
        control = self._control
        if control[c.PUSHED] == control[c.PENDING]:
            capacity = capacity_within(self._nodes, self._open_list_bytes(), memory_limit)
            if capacity > 0:
                self._nodes.grow(capacity, int(control[c.NODES]))
                control[c.INDEX_MASK] = self._nodes.index_mask
            return capacity > 0
        if control[c.OPEN_KIND] == BUCKETS:
            base, rows, columns = self._needed_buckets()
            if rows * columns > LARGEST_BUCKET_TABLE:
                self._switch_to_heap()
            elif memory_limit is not None and self._nodes.nbytes + 8 * rows * (columns + 1) > memory_limit:
                return False
            else:
                self._enlarge_buckets(base, rows, columns)
            return memory_limit is None or self._nodes.nbytes + self._open_list_bytes() <= memory_limit
        if memory_limit is not None and self._nodes.nbytes + 2 * self._open_list_bytes() > memory_limit:
            return False
        old = self._heap
        self._heap = heap_arrays(2 * old[0].size)
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
        return self._nodes.field(int(self._control[c.GOAL]), G)

    @property
    def bound(self) -> float | None:
        """The largest weight that was used, but at least 1, if that is proven.

        Without reopening, a consistent heuristic is enough if all nodes have the same weight: then a node is expanded
        with a g of at most w times its distance from the start (Likhachev, Gordon and Thrun 2003).
        """
        weighs_h = self._largest_weight > 0
        if not weighs_h:
            return 1.0
        stack, reopen = self._stack.stack, self._priority.reopen
        exact = stack.admissible and (reopen or (stack.consistent and self._is_constant))
        if not exact or self._priority.weight_g == 0:
            return None
        return max(1.0, self._largest_weight / self._priority.weight_g)

    def _open_list_bytes(self) -> int:
        return sum(array.nbytes for array in (*self._buckets, *self._heap))

    def _needed_buckets(self) -> tuple[int, int, int]:
        """Base, rows and columns of a table that has room for the node to be pushed."""
        control = self._control
        base, rows, columns, f = (int(control[name]) for name in (c.BASE, c.ROWS, c.COLUMNS, c.NEED_F))
        if f < base:
            lower = max(0, min(f, base - rows))
            base, rows = lower, rows + base - lower
        rows = _enough(rows, f - base + 1)
        return base, rows, 1 if control[c.TIES] > HIGH_H else _enough(columns, int(control[c.NEED_COLUMNS]))

    def _enlarge_buckets(self, base: int, rows: int, columns: int) -> None:
        control = self._control
        old_rows, old_columns = int(control[c.ROWS]), int(control[c.COLUMNS])
        ends, row_low, row_count = self._buckets
        self._buckets = bucket_table(rows, columns)
        right = columns - old_columns if control[c.TIES] == HIGH_H else 0
        down = int(control[c.BASE]) - base
        kept = slice(down, down + old_rows)
        table = self._buckets[0].reshape(rows, columns, 2)
        table[kept, right : right + old_columns] = ends.reshape(old_rows, old_columns, 2)
        self._buckets[1][kept] = row_low + right
        self._buckets[2][kept] = row_count
        control[c.BASE], control[c.ROWS], control[c.COLUMNS] = base, rows, columns
        control[c.LOWEST_ROW] += down

    def _switch_to_heap(self) -> None:
        """Too wide a range of priorities for buckets: move the open list to a heap, which keeps the order."""
        size = int(self._buckets[2].sum())
        self._heap = heap_arrays(2 * size + 1024)
        queue = (*self._buckets, *self._heap)
        buckets_to_heap.compiled(self._control, self._weights, self._nodes.fields, 2 * self._nodes.stride, queue)
        self._buckets = bucket_table(0, 0)


def _enough(present: int, needed: int) -> int:
    return present if needed <= present else max(2 * present, needed)
