"""State space: all states reachable from a start, the steps between them, and the distance of each to the goals."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import (
    BUFFERS,
    FIELD_WORDS,
    STORE,
    G,
    Limits,
    Memory,
    Nodes,
    child_depth,
    expansion_buffers,
    find_node,
    find_or_insert,
    hash_state,
    set_path,
)
from algorithms.engine import control as c
from algorithms.spaces.distances import INFINITY, distances_to_goals, reverse_steps
from worlds.compile import (
    ADDRESS,
    EXPAND,
    IS_GOAL,
    SUCCESSORS_CHANGED,
    as_index,
    call,
    compile_seconds,
    cost_error,
    kernel,
    raise_on_error,
    successor_count,
)
from worlds.interface import Problem, Words

STEPS = c.OWN
"""Index of the control array: recorded steps."""
STEPPED, STATES_FULL, STEPS_FULL = range(3)

STEP_ARRAYS = "Tuple((int64[::1], uint8[::1], int32[::1], int32[::1]))"
"""Numba type of the arrays that `explore` fills: `first`, `is_goal`, `target` and `cost` of a `StateSpace`."""

_FIRST_BUDGET, _MAX_BUDGET = 4, 200_000
_GROWTH = 1.5


class TooLarge(Exception):
    """A state space exceeds a limit. The message names the limit and how much was explored."""


class StateSpace:
    """States reachable from the start of a problem. Goals are not expanded, as in every search.

    States are numbered in breadth-first order, the start is 0. The steps from state i are numbered from ``first[i]`` to
    ``first[i + 1]`` (excluded), in the order of its successors.

    Parameters
    ----------
    problem : Problem
        Problem to explore.
    limits : Limits, optional
        `nodes` limits the number of states, `memory` the bytes of all arrays, `time` the seconds without those for
        kernels.
    watch : callable, optional
        Called with the number of states during the exploration.

    Attributes
    ----------
    problem : Problem
    count : int
        Number of states.
    first : ndarray of int64, shape (count + 1,)
        Number of the first step from each state.
    target, cost : ndarray of int32
        State to which each step leads, and cost of the step.
    is_goal : ndarray of bool, shape (count,)
    distance : ndarray of int64, shape (count,)
        Cost of an optimal path to a goal (h_star); `INFINITY` without one. Computed by Dijkstra's algorithm, backwards
        from all goals at once.
    toward : ndarray of int32, shape (count,)
        Next state on this path; -1 at goals and without a path.

    Raises
    ------
    TooLarge
        If a limit is exceeded.
    worlds.compile.errors.KernelError
        If a kernel of the world reports an error.
    """

    def __init__(
        self,
        problem: Problem,
        limits: Limits | None = None,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        self.problem, self._limits = problem, limits or Limits()
        self._began = time.monotonic() - compile_seconds()[0]
        self._nodes = Nodes(problem.initial.size, 1024)
        self._nodes.put(0, problem.initial, 0)
        self._nodes.index(1)
        control = self._control = np.zeros(c.SIZE, np.int64)
        control[c.NODES] = 1
        control[c.WORDS], control[c.MAX_SUCCESSORS] = problem.initial.size, problem.max_successors
        self._explore(watch)
        self.count, steps = int(control[c.NODES]), int(control[STEPS])
        self.first = self._first.view(np.int64)[: self.count + 1]
        self.target = self._target.view(np.int32)[:steps]
        self.cost = self._cost.view(np.int32)[:steps]
        self.is_goal = self._goal.view(np.uint8)[: self.count] != 0
        self.distance, self.toward = self._distances()

    def state(self, number: int) -> Words:
        """Return one state."""
        return self._nodes.state(number)

    def find(self, states: Words) -> NDArray[np.int64]:
        """Return the numbers of consecutive states; -1 for those that are not in the space."""
        nodes, count = self._nodes, states.size // self.problem.initial.size
        found = np.empty(count, np.int64)
        find_states.compiled(nodes.table, nodes.states, nodes.words, nodes.index_mask, states, found)
        return found

    def all_states(self) -> Words:
        """Return all states, consecutively."""
        records = self._nodes.states[: self.count * self._nodes.stride].reshape(self.count, -1)
        return np.ascontiguousarray(records[:, FIELD_WORDS:]).reshape(-1)

    def path(self, number: int) -> list[int]:
        """Return the action codes of a shortest path (in steps) from the start to a state."""
        return self._nodes.path(number)

    def path_to_goal(self, number: int) -> list[int]:
        """Return the action codes of an optimal path from a state to a goal; empty without one."""
        codes = []
        while (after := int(self.toward[number])) >= 0:
            codes.append(self.action(number, after))
            number = after
        return codes

    def action(self, number: int, after: int) -> int:
        """Return the action code of the cheapest step from a state to another."""
        steps = range(self.first[number], self.first[number + 1])
        best = min((step for step in steps if self.target[step] == after), key=lambda step: (self.cost[step], step))
        successors = self.problem.successors(self.state(number))
        return successors[best - int(self.first[number])][2]

    def action_codes(self) -> NDArray[np.int16]:
        """Return the action code of each step."""
        problem = self.problem
        codes = np.empty(len(self.target), np.int16)
        buffers = expansion_buffers(problem.initial.size, problem.max_successors)
        expand = problem.expand.address(EXPAND)
        status = write_codes.compiled(expand, problem.constants, self.all_states(), self.first, buffers, codes)
        raise_on_error(status)
        return codes

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, including those for the distances."""
        explored = sum(block.view(np.uint8).size for block in (self._first, self._goal, self._target, self._cost))
        return self._nodes.nbytes + explored + 16 * int(self._control[STEPS]) + 28 * int(self._control[c.NODES])

    def _explore(self, watch: Callable[[int], None] | None) -> None:
        problem, nodes, control = self.problem, self._nodes, self._control
        steps = 2 * max(1024, problem.max_successors)
        self._first, self._goal = Memory(8 * (nodes.capacity + 1)), Memory(nodes.capacity)
        self._target, self._cost = Memory(4 * steps), Memory(4 * steps)
        functions = problem.expand.address(EXPAND), problem.is_goal.address(IS_GOAL)
        buffers = expansion_buffers(nodes.words, problem.max_successors)
        budget = _FIRST_BUDGET if problem.calls_python else _MAX_BUDGET
        while control[c.EXPANDED] < control[c.NODES]:
            control[c.INDEX_MASK] = nodes.index_mask
            status = explore.compiled(
                *functions, problem.constants, nodes.arrays, self._step_arrays(), buffers, control, budget
            )
            raise_on_error(status)
            if status == STATES_FULL:
                capacity = int(nodes.capacity * _GROWTH) + problem.max_successors
                nodes.grow(capacity, int(control[c.NODES]))
                self._first.resize(8 * (capacity + 1))
                self._goal.resize(capacity)
            elif status == STEPS_FULL:
                steps = int(steps * _GROWTH) + problem.max_successors
                self._target.resize(4 * steps)
                self._cost.resize(4 * steps)
            else:
                budget = min(4 * budget, _MAX_BUDGET)
            self._check_limits()
            if watch is not None:
                watch(int(control[c.NODES]))

    def _step_arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Return views of what `explore` fills in, of type `STEP_ARRAYS`. Do not keep them: growth needs all gone."""
        target, cost = self._target.view(np.int32), self._cost.view(np.int32)
        return self._first.view(np.int64), self._goal.view(np.uint8), target, cost

    def _check_limits(self) -> None:
        limits, states, expanded = self._limits, int(self._control[c.NODES]), int(self._control[c.EXPANDED])
        if limits.nodes is not None and states > limits.nodes:
            exceeded = f"more than {limits.nodes:,} states (limits.nodes)"
        elif limits.memory is not None and self.nbytes > limits.memory:
            exceeded = f"more than {limits.memory:,} bytes (limits.memory)"
        elif limits.time is not None and time.monotonic() - compile_seconds()[0] - self._began > limits.time:
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


@kernel(f"int64({ADDRESS}, {ADDRESS}, int64[::1], {STORE}, {STEP_ARRAYS}, {BUFFERS}, int64[::1], int64)")
def explore(expand, is_goal, constants, store, step_arrays, buffers, control, budget):
    """Expand at most `budget` states in the order in which they were found, and record their steps.

    Returns STEPPED, STATES_FULL or STEPS_FULL, or a negative number on an error.
    """
    out, out_cost, out_action, _, _, _ = buffers
    states, fields, table = store
    first, goal, target, cost = step_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    stride = words + FIELD_WORDS
    width = 2 * stride
    last = control[c.EXPANDED] + budget
    while control[c.EXPANDED] < min(last, control[c.NODES]):
        if control[c.NODES] + successors > states.size // stride:
            return STATES_FULL
        if control[STEPS] + successors > target.size:
            return STEPS_FULL
        node = as_index(control[c.EXPANDED])
        at = node * stride + FIELD_WORDS
        first[node] = control[STEPS]
        if call(IS_GOAL, is_goal, constants, states, at):
            goal[node] = 1
        else:
            n = call(EXPAND, expand, constants, states, at, out, 0, out_cost, out_action, 0)
            n = successor_count(n, successors)
            if n < 0:
                return n
            g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
            for k in range(n):
                total = g + out_cost[k]
                wrong = cost_error(out_cost[k], total)
                if wrong < 0:
                    return wrong
                new = as_index(control[c.NODES])
                hashed = hash_state(out, k * words, words)
                child = find_or_insert(table, states, words, mask, out, k * words, hashed, new)
                if child == new:
                    control[c.NODES] += 1
                    set_path(fields, child * width, node, depth, total, out_action[k])
                target[control[STEPS]] = child
                cost[control[STEPS]] = out_cost[k]
                control[STEPS] += 1
        control[c.EXPANDED] += 1
        first[node + 1] = control[STEPS]
    return STEPPED


@kernel("int64(int32[::1], uint64[::1], int64, int64, uint64[::1], int64[::1])")
def find_states(table, stored, words, mask, states, found):
    """Write the numbers of consecutive states; -1 for those that are not stored."""
    for k in range(found.size):
        found[k] = find_node(table, stored, words, mask, states, k * words, hash_state(states, k * words, words))
    return 0


@kernel(f"int64({ADDRESS}, int64[::1], uint64[::1], int64[::1], {BUFFERS}, int16[::1])")
def write_codes(expand, constants, states, first, buffers, codes):
    """Write the action code of each step of a space, whose states are expanded again."""
    out, out_cost, out_action, _, _, _ = buffers
    words = states.size // (first.size - 1)
    for state in range(first.size - 1):
        steps = first[state + 1] - first[state]
        if steps == 0:  # a goal, or a state without successors
            continue
        n = call(EXPAND, expand, constants, states, state * words, out, 0, out_cost, out_action, 0)
        if n != steps:
            return n if n < 0 else SUCCESSORS_CHANGED
        for k in range(n):
            codes[first[state] + k] = out_action[k]
    return 0
