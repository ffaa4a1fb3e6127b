"""All states that can be reached from a start, the steps between them, and the exact distance of each to the goals."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.compiled import BUFFERS, expansion_buffers
from algorithms.engine.distances import INFINITY, distances_to_goals, reverse_steps
from algorithms.engine.memory import Memory
from algorithms.engine.nodes import (
    FIELD_WORDS,
    PARENT,
    Nodes,
    copy_state,
    enter,
    find_slot,
    hash_state,
    node_in,
    set_path,
)
from algorithms.engine.nodes import G as COST
from algorithms.engine.search import Limits
from worlds.interface import Problem, Words
from worlds.kernel import EXPAND, IS_GOAL, borrowed, cost_error, first_class, kernel, list_of, raise_on_error

EXPANDED, STATES, STEPS, PROGRESS = range(4)
DONE, NO_ROOM_FOR_STATES, NO_ROOM_FOR_STEPS = range(3)

_FIRST_BUDGET, _MAX_BUDGET = 4, 200_000
_GROWTH = 1.5


class TooLarge(Exception):
    """A state space exceeds a limit; the message says which, and how far it was explored."""


class StateSpace:
    """The states that can be reached from the start of a problem. Goals are not expanded, as in every search.

    States are numbered in breadth-first order from the start, which is 0; the steps of state i are numbered from
    ``first[i]`` to ``first[i + 1]`` (excluded), in the order of its successors.

    Parameters
    ----------
    problem : Problem
    limits : Limits, optional
        `nodes` bounds the states, `memory` the bytes of all arrays, `time` the seconds.
    watch : callable, optional
        Called with the number of states on the way.

    Attributes
    ----------
    problem : Problem
    count : int
        Number of states.
    first : ndarray of int64, shape (count + 1,)
    target, cost : ndarray of int32
        Where each step leads, and its cost.
    is_goal : ndarray of bool, shape (count,)
    distance : ndarray of int64, shape (count,)
        Cost of an optimal path to a goal (h_star); `INFINITY` where there is none. Computed by Dijkstra's algorithm,
        backwards from all goals at once.
    toward : ndarray of int32, shape (count,)
        The next state on such a way; -1 at goals and where there is none.

    Raises
    ------
    TooLarge
        If a limit is exceeded.
    worlds.kernel.KernelError
        If a kernel of the world reports an error.
    """

    def __init__(
        self,
        problem: Problem,
        limits: Limits | None = None,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        self.problem, self._limits = problem, limits or Limits()
        self._began = time.monotonic()
        self._nodes = Nodes(problem.initial.size, 1024)
        self._nodes.put(0, problem.initial, 0)
        self._nodes.index(1)
        self._progress = np.zeros(PROGRESS, np.int64)
        self._progress[STATES] = 1
        self._explore(watch)
        self.count, steps = int(self._progress[STATES]), int(self._progress[STEPS])
        self.first = self._first.view(np.int64)[: self.count + 1]
        self.target = self._target.view(np.int32)[:steps]
        self.cost = self._cost.view(np.int32)[:steps]
        self.is_goal = self._goal.view(np.uint8)[: self.count] != 0
        self.distance, self.toward = self._distances()

    def state(self, number: int) -> Words:
        """One state."""
        return self._nodes.state(number)

    def find(self, states: Words) -> NDArray[np.int64]:
        """Numbers of states that lie one after the other; -1 where they cannot be reached."""
        nodes, count = self._nodes, states.size // self.problem.initial.size
        found = np.empty(count, np.int64)
        find_states.compiled(nodes.table, nodes.states, nodes.words, nodes.index_mask, states, found)
        return found

    def all_states(self) -> Words:
        """All states, one after the other."""
        records = self._nodes.states[: self.count * self._nodes.stride].reshape(self.count, -1)
        return np.ascontiguousarray(records[:, FIELD_WORDS:]).reshape(-1)

    def path(self, number: int) -> list[int]:
        """Action codes of a way of the fewest steps from the start to a state."""
        return self._nodes.path(number)

    def states_on_path(self, number: int) -> list[int]:
        """The states on that way, the start first."""
        way = [number]
        while (parent := self._nodes.field(way[-1], PARENT)) != way[-1]:
            way.append(parent)
        return way[::-1]

    def path_to_goal(self, number: int) -> list[int]:
        """Action codes of a cheapest way from a state to a goal; empty where there is none."""
        codes = []
        while (after := int(self.toward[number])) >= 0:
            codes.append(self.action(number, after))
            number = after
        return codes

    def action(self, number: int, after: int) -> int:
        """Code of the cheapest step from a state to another."""
        steps = range(self.first[number], self.first[number + 1])
        best = min((step for step in steps if self.target[step] == after), key=lambda step: (self.cost[step], step))
        successors = self.problem.successors(self.state(number))
        return successors[best - int(self.first[number])][2]

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, with those that the distances take."""
        explored = sum(block.view(np.uint8).size for block in (self._first, self._goal, self._target, self._cost))
        return self._nodes.nbytes + explored + 16 * int(self._progress[STEPS]) + 28 * int(self._progress[STATES])

    def _explore(self, watch: Callable[[int], None] | None) -> None:
        problem, nodes, progress = self.problem, self._nodes, self._progress
        room = 2 * max(1024, problem.max_successors)
        self._first, self._goal = Memory(8 * (nodes.capacity + 1)), Memory(nodes.capacity)
        self._target, self._cost = Memory(4 * room), Memory(4 * room)
        kernels = first_class((problem.expand,)), first_class((problem.is_goal,))
        buffers = expansion_buffers(nodes.words, problem.max_successors)
        budget = _FIRST_BUDGET if problem.calls_python else _MAX_BUDGET
        while progress[EXPANDED] < progress[STATES]:
            status = explore.compiled(
                *kernels, problem.world, problem.max_successors, nodes.words, nodes.index_mask,
                nodes.states, nodes.fields, nodes.table, self._first.view(np.int64), self._goal.view(np.uint8),
                self._target.view(np.int32), self._cost.view(np.int32), buffers, progress, budget,
            )  # fmt: skip
            raise_on_error(status)
            if status == NO_ROOM_FOR_STATES:
                capacity = int(nodes.capacity * _GROWTH) + problem.max_successors
                nodes.grow(capacity, int(progress[STATES]))
                self._first.resize(8 * (capacity + 1))
                self._goal.resize(capacity)
            elif status == NO_ROOM_FOR_STEPS:
                room = int(room * _GROWTH) + problem.max_successors
                self._target.resize(4 * room)
                self._cost.resize(4 * room)
            else:
                budget = min(4 * budget, _MAX_BUDGET)
            self._check_limits()
            if watch is not None:
                watch(int(progress[STATES]))

    def _check_limits(self) -> None:
        limits, states, expanded = self._limits, int(self._progress[STATES]), int(self._progress[EXPANDED])
        if limits.nodes is not None and states > limits.nodes:
            exceeded = f"more than {limits.nodes:,} states (limits.nodes)"
        elif limits.memory is not None and self.nbytes > limits.memory:
            exceeded = f"more than {limits.memory:,} bytes (limits.memory)"
        elif limits.time is not None and time.monotonic() - self._began > limits.time:
            exceeded = f"more than {limits.time:g} s (limits.time)"
        else:
            return
        raise TooLarge(f"{exceeded}: {states:,} states found so far, {expanded:,} of them expanded")

    def _distances(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        steps = len(self.target)
        first, source, cost = np.zeros(self.count + 1, np.int64), np.empty(steps, np.int32), np.empty(steps, np.int32)
        reverse_steps.compiled(self.first, self.target, self.cost, first, source, cost)
        distance, toward = np.full(self.count, INFINITY), np.full(self.count, -1, np.int32)
        heap = np.empty(steps + self.count + 1, np.int64)
        raise_on_error(distances_to_goals.compiled(first, source, cost, self.is_goal, distance, toward, heap))
        return distance, toward


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, int64[::1], int64, int64, int64, uint64[::1], int32[::1],"
    f"int32[::1], int64[::1], uint8[::1], int32[::1], int32[::1], {BUFFERS}, int64[::1], int64)"
)
def explore(
    expand_list, is_goal_list, world, successors, words, mask, states, fields, table, first, goal, target, cost,
    buffers, progress, budget,
):  # fmt: skip
    """Expand at most `budget` states in the order in which they were found, and note their steps."""
    expand, is_goal = expand_list[0], is_goal_list[0]
    out, out_cost, out_action, _, _, _ = borrowed(buffers)
    states, fields, table, world = borrowed((states, fields, table, world))
    stride = words + FIELD_WORDS
    width = 2 * stride
    last = progress[EXPANDED] + budget
    while progress[EXPANDED] < min(last, progress[STATES]):
        if progress[STATES] + successors > states.size // stride:
            return NO_ROOM_FOR_STATES
        if progress[STEPS] + successors > target.size:
            return NO_ROOM_FOR_STEPS
        node = progress[EXPANDED]
        at = node * stride + FIELD_WORDS
        first[node] = progress[STEPS]
        if is_goal(world, states, at):
            goal[node] = 1
        else:
            n = expand(world, states, at, out, 0, out_cost, out_action, 0)
            if n < 0:
                return n
            for k in range(n):
                total = np.int64(fields[node * width + COST]) + out_cost[k]
                wrong = cost_error(out_cost[k], total)
                if wrong < 0:
                    return wrong
                hashed = hash_state(out, k * words, words)
                slot = find_slot(table, states, words, mask, out, k * words, hashed)
                after = node_in(table, slot, mask)
                if after < 0:
                    after = progress[STATES]
                    progress[STATES] += 1
                    enter(table, slot, mask, after, hashed)
                    copy_state(out, k * words, states, after * stride + FIELD_WORDS, words)
                    set_path(fields, after * width, node, node * width, total, out_action[k])
                target[progress[STEPS]] = after
                cost[progress[STEPS]] = out_cost[k]
                progress[STEPS] += 1
        progress[EXPANDED] += 1
        first[node + 1] = progress[STEPS]
    return DONE


@kernel("int64(int32[::1], uint64[::1], int64, int64, uint64[::1], int64[::1])")
def find_states(table, stored, words, mask, states, found):
    """Numbers of states that lie one after the other; -1 for one that is not there."""
    for k in range(found.size):
        hashed = hash_state(states, k * words, words)
        found[k] = node_in(table, find_slot(table, stored, words, mask, states, k * words, hashed), mask)
    return 0
