"""Best-first search: UCS, greedy, A* and weighted A* are one kernel, with the priority as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import Nodes, capacity_within, find_slot, insert_all
from algorithms.engine.open_list import (
    BUCKETS,
    CLOSED,
    DEAD,
    HEAP,
    HIGH_H,
    IN_HAND,
    LARGEST_BUCKET_TABLE,
    TIES,
    buckets_to_heap,
    pop,
    push,
    remove,
)
from algorithms.engine.search import Counts, Search, Status
from heuristics.interface import DEAD_END
from heuristics.stack import PARAMS, TERMS, BoundStack, evaluate, unpack_terms
from worlds.kernel import EXPAND, IS_GOAL, first_class, helper, kernel, list_of


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {PARAMS}, int64[::1], int64[::1],"
    "uint64[::1], int32[::1], int32[::1], int32[::1], int16[::1], int32[::1], int32[::1], int32[::1],"
    "int32[::1], int32[::1], int32[::1], float64[::1], int32[::1], int32[::1], int32[::1],"
    "uint64[::1], int32[::1], int16[::1], int32[::1], int32[::1], int32[::1], int64[::1], float64[::1], int64)"
)
def best_first_step(
    expand_list, is_goal_list, term_list, params, world, action_lengths,
    states, g, h, parent, action, next, previous, table,
    heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node,
    out, out_cost, out_action, out_h, scratch, pending, control, weights, budget,
):  # fmt: skip
    """Run at most `budget` expansions; returns a `Status`, or what a kernel returned on an error."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    successors, count, maximum = control[c.MAX_SUCCESSORS], control[c.TERM_COUNT], control[c.MAXIMUM] != 0
    words = out.size // successors
    reopen = control[c.REOPEN] != 0
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = np.int64(pending[control[c.PUSHED]])
            if not push(
                control, weights, node, g, h, next, previous, heads, row_low, row_count,
                heap_f, heap_tie, heap_stamp, heap_node,
            ):  # fmt: skip
                status = Status.OUT_OF_ROOM.value
                break
            control[c.PUSHED] += 1
        if status == Status.OUT_OF_ROOM.value or expanded >= budget:
            break
        if control[c.NODES] + successors > g.size:
            status = Status.OUT_OF_ROOM.value
            break
        node = pop(control, next, previous, heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node)
        if node < 0:
            status = Status.EXHAUSTED.value
            break
        at = node * words
        if is_goal(world, states, at):
            control[c.GOAL] = node
            status = Status.SOLVED.value
            break
        n = expand(world, states, at, out, 0, out_cost, out_action, 0)
        if n < 0:
            status = n
            break
        expanded += 1
        generated += n

        # Known states may have become cheaper; new ones move to the front of `out`, to be evaluated in one call.
        first = control[c.NODES]
        new = 0
        waiting = 0
        for k in range(n):
            simulated += action_lengths[out_action[k]]
            cost = g[node] + out_cost[k]
            slot = find_slot(table, states, out, k * words, words)
            known = np.int64(table[slot])
            if known < 0:
                known = first + new
                table[slot] = known
                for i in range(words):
                    states[known * words + i] = out[k * words + i]
                    out[new * words + i] = out[k * words + i]
                out_action[new] = out_action[k]
                g[known] = cost
                parent[known] = node
                action[known] = out_action[k]
                new += 1
            else:
                if cost >= g[known] or previous[known] == DEAD:
                    continue
                if previous[known] == CLOSED:
                    if not reopen:
                        continue
                    control[c.REOPENED] += 1
                elif previous[known] == IN_HAND:  # reached twice by this very expansion: to be pushed last
                    waiting = take_out(pending, waiting, known)
                else:
                    remove(control, known, g, h, next, previous, heads, row_count)
                g[known] = cost
                parent[known] = node
                action[known] = out_action[k]
            previous[known] = IN_HAND
            pending[waiting] = known
            waiting += 1

        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            terms, count, maximum, params,
            states, at, h[node], out, 0, out_action, out_h, scratch, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[c.NODES] += new
        for k in range(new):
            h[first + k] = out_h[k]
        alive = 0
        for k in range(waiting):
            known = np.int64(pending[k])
            if known >= first and h[known] >= DEAD_END:
                previous[known] = DEAD
            else:
                pending[alive] = known
                alive += 1
        control[c.PENDING] = alive
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status


@helper
def take_out(pending, waiting, node):
    """Remove a node from the first `waiting` entries of `pending`, keeping the order; returns how many are left."""
    kept = 0
    for i in range(waiting):
        if pending[i] != node:
            pending[kept] = pending[i]
            kept += 1
    return kept


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
