"""Values of a stack of heuristics at all states of a space: from scratch, and after each step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import BUFFERS, HEURISTIC, expansion_buffers, heuristic_of
from algorithms.spaces.distances import INFINITY
from algorithms.spaces.state_space import StateSpace
from heuristics.interface import INFINITE_H, TERMS, BoundStack, evaluate
from worlds.compile import ADDRESS, EXPAND, SUCCESSORS_CHANGED, call, kernel, raise_on_error
from worlds.interface import Words

_BLOCK = 1 << 16
_BLOCK_IN_PYTHON = 256

SPACE = "Tuple((uint64[::1], int64[::1], int32[::1]))"
"""Numba type of the arrays of a state space: all states, `first` and `target`."""


def values(stack: BoundStack, states: Words, watch: Callable[[], None] = lambda: None) -> NDArray[np.int64]:
    """Return the value of a stack at each of consecutive states, from scratch; `INFINITY` for a dead end.

    Parameters
    ----------
    watch : callable, optional
        Called between blocks of states. It may raise an exception to end the evaluation.

    Raises
    ------
    worlds.compile.errors.KernelError
        If a term reports an error, or a value is negative.
    """
    words = stack.problem.initial.size
    h = np.empty(states.size // words, np.int64)
    size = _block_size(stack)
    for first in range(0, len(h), size):
        watch()
        last = min(first + size, len(h))
        status = values_of.compiled(
            stack.terms, heuristic_of(stack), states[first * words : last * words], words,
            stack.problem.max_successors, h[first:last],
        )  # fmt: skip
        raise_on_error(status)
    return h


def values_along_steps(stack: BoundStack, space: StateSpace, h: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the value after each step of a space, computed from the value before the step, as searches do.

    Steps from dead ends have the value of `h`, because no search expands a dead end.

    Parameters
    ----------
    stack : BoundStack
        Stack to evaluate.
    space : StateSpace
        States and steps.
    h : ndarray of int64, shape (states,)
        Values from scratch.

    Raises
    ------
    worlds.compile.errors.KernelError
        If a state has other successors now than when the space was explored.
    """
    problem = stack.problem
    arrays = (space.all_states(), space.first, space.target)
    buffers = expansion_buffers(problem.initial.size, problem.max_successors)
    found: NDArray[np.int64] = h[space.target]
    size = _block_size(stack)
    for begin in range(0, space.count, size):
        status = along_steps.compiled(
            problem.expand.address(EXPAND), stack.terms, heuristic_of(stack), problem.constants, arrays, h, buffers,
            found, begin, min(begin + size, space.count),
        )  # fmt: skip
        raise_on_error(status)
    return found


def _block_size(stack: BoundStack) -> int:
    """Return the number of states for one call of a kernel, small enough to notice Ctrl-C soon."""
    slow = stack.problem.calls_python or stack.calls_python
    return _BLOCK_IN_PYTHON if slow else _BLOCK


@kernel(f"int64({TERMS}, {HEURISTIC}, uint64[::1], int64, int64, int64[::1])")
def values_of(terms, heuristic, states, words, successors, values):
    """Write the value of each state. Terms get at most as many states at once as a state has successors."""
    params, count, maximum = heuristic
    action, h, scratch = np.zeros(successors, np.int16), np.zeros(successors, np.int64), np.zeros(successors, np.int64)
    for first in range(0, values.size, successors):
        n = min(successors, values.size - first)
        status = evaluate(
            terms, count, maximum, params, states, first * words, -1, states, first * words, action, h, scratch, 0, n
        )
        if status < 0:
            return status
        for k in range(n):
            values[first + k] = h[k] if h[k] < INFINITE_H else INFINITY
    return 0


@kernel(f"int64({ADDRESS}, {TERMS}, {HEURISTIC}, int64[::1], {SPACE}, int64[::1], {BUFFERS}, int64[::1], int64, int64)")
def along_steps(expand, terms, heuristic, constants, space, values, buffers, found, begin, end):
    """Write the values after the steps from the states from `begin` to `end` (excluded)."""
    params, count, maximum = heuristic
    states, first, target = space
    out, out_cost, out_action, h, scratch, _ = buffers
    words = states.size // values.size
    for state in range(begin, end):
        steps = first[state + 1] - first[state]
        if steps == 0 or values[state] == INFINITY:
            continue
        n = call(EXPAND, expand, constants, states, state * words, out, 0, out_cost, out_action, 0)
        if n < 0:
            return n
        if n != steps:
            return SUCCESSORS_CHANGED
        for k in range(n):
            for i in range(words):
                if out[k * words + i] != states[target[first[state] + k] * words + i]:
                    return SUCCESSORS_CHANGED
        status = evaluate(
            terms, count, maximum, params,
            states, state * words, values[state], out, 0, out_action, h, scratch, 0, n,
        )  # fmt: skip
        if status < 0:
            return status
        for k in range(n):
            found[first[state] + k] = h[k] if h[k] < INFINITE_H else INFINITY
    return 0
