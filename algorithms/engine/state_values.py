"""What a stack of heuristics says of all states of a space, and whether it says the same however a state is reached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.compiled import BUFFERS, expansion_buffers
from algorithms.engine.distances import INFINITY
from algorithms.engine.state_space import StateSpace
from heuristics.interface import UNREACHABLE
from heuristics.stack import PARAMS, TERMS, BoundStack, evaluate, unpack_terms
from worlds.interface import Words
from worlds.kernel import EXPAND, SUCCESSORS_CHANGED, borrowed, first_class, kernel, list_of, raise_on_error

_AT_ONCE = 1 << 16
_AT_ONCE_IN_PYTHON = 256


def values(stack: BoundStack, states: Words) -> NDArray[np.int64]:
    """The value of a stack at states that lie one after the other, each from scratch; `INFINITY` for a dead end.

    Raises
    ------
    worlds.kernel.KernelError
        If a term reports an error, or a value is negative.
    """
    words = stack.problem.initial.size
    h = np.empty(states.size // words, np.int64)
    for first in range(0, len(h), _at_once(stack)):
        last = min(first + _at_once(stack), len(h))
        block = states[first * words : last * words]
        status = values_of.compiled(
            stack.terms, len(stack.kernels), stack.maximum, stack.params, block, words, stack.problem.max_successors,
            h[first:last],
        )  # fmt: skip
        raise_on_error(status)
    return h


def values_along_steps(stack: BoundStack, space: StateSpace, h: NDArray[np.int64]) -> NDArray[np.int64]:
    """The value after each step of a space, computed from that of the state before, as searches do.

    Steps from dead ends, which no search takes, have the value of `h`.

    Parameters
    ----------
    h : ndarray of int64, shape (states,)
        The values from scratch.

    Raises
    ------
    worlds.kernel.KernelError
        If a state has other successors now than when the space was explored.
    """
    problem = stack.problem
    states = space.all_states()
    buffers = expansion_buffers(problem.initial.size, problem.max_successors)
    found: NDArray[np.int64] = h[space.target]
    for first in range(0, space.count, _at_once(stack)):
        status = along_steps.compiled(
            first_class((problem.expand,)), problem.world, stack.terms, len(stack.kernels), stack.maximum,
            stack.params, states, problem.initial.size, space.first, space.target, h, buffers, found,
            first, min(first + _at_once(stack), space.count),
        )  # fmt: skip
        raise_on_error(status)
    return found


def _at_once(stack: BoundStack) -> int:
    """How many states a kernel is given, so that Ctrl-C is seen soon."""
    slow = stack.problem.calls_python or any(term.calls_python for term in stack.bound_terms)
    return _AT_ONCE_IN_PYTHON if slow else _AT_ONCE


@kernel(f"int64({TERMS}, int64, boolean, {PARAMS}, uint64[::1], int64, int64, int64[::1])")
def values_of(term_list, count, maximum, params, states, words, successors, values):
    """The value of each state into `values`; terms are given as many at once as a state has successors at most."""
    terms = unpack_terms(term_list)
    params = borrowed(params)
    action, h, scratch = np.zeros(successors, np.int16), np.zeros(successors, np.int32), np.zeros(successors, np.int32)
    for first in range(0, values.size, successors):
        n = min(successors, values.size - first)
        status = evaluate(
            terms, count, maximum, params, states, first * words, -1, states, first * words, action, h, scratch, 0, n
        )
        if status < 0:
            return status
        for k in range(n):
            values[first + k] = h[k] if h[k] < UNREACHABLE else INFINITY
    return 0


@kernel(
    f"int64({list_of(EXPAND)}, int64[::1], {TERMS}, int64, boolean, {PARAMS}, uint64[::1], int64, int64[::1],"
    f"int32[::1], int64[::1], {BUFFERS}, int64[::1], int64, int64)"
)
def along_steps(
    expand_list, world, term_list, count, maximum, params, states, words, first, target, values, buffers, found,
    begin, end,
):  # fmt: skip
    """Fill in the values after the steps of the states from `begin` to `end` (excluded)."""
    expand, terms = expand_list[0], unpack_terms(term_list)
    out, out_cost, out_action, h, scratch, _ = borrowed(buffers)
    params, world, states = borrowed(params), borrowed(world), borrowed(states)
    for state in range(begin, end):
        steps = first[state + 1] - first[state]
        if steps == 0 or values[state] == INFINITY:
            continue
        n = expand(world, states, state * words, out, 0, out_cost, out_action, 0)
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
            found[first[state] + k] = h[k] if h[k] < UNREACHABLE else INFINITY
    return 0
