"""Traced problems: the same search problem, whose kernels report every expansion to a Python function.

A search on a traced problem makes the same steps as on the problem itself, because its kernels call those of the
problem. Recording an expansion takes about 20 us.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.compile.errors import CALLBACK_FAILED, failed_callbacks, keep, raise_on_error
from worlds.compile.kernel import EXPAND, IS_GOAL, Kernel, helper, kernel
from worlds.compile.operations import call_python
from worlds.interface import Problem, Words


class Expansion(NamedTuple):
    """One call of `expand` or `predecessors`.

    Attributes
    ----------
    backward : bool
        Whether `predecessors` was called.
    at, out_at : int
        Word offsets of the state and of its successors in the arrays of the search.
    state : bytes
        Words of the state.
    successors : bytes
        Words of all successors, one after the other.
    costs, actions : list of int
        Cost and action code of each step.
    """

    backward: bool
    at: int
    out_at: int
    state: bytes
    successors: bytes
    costs: list[int]
    actions: list[int]


# Layout of Problem.world: addresses of the callbacks, whether a goal test was interrupted, the number of words of a
# state, the largest number of successors, and the offsets of the last expansion. From STATE on: the words of the state,
# the words of its successors, their costs, and their action codes.
EXPAND_ADDRESS, IS_GOAL_ADDRESS, PREDECESSORS_ADDRESS, INTERRUPTED, WORDS, MAX_SUCCESSORS, AT, OUT_AT, STATE = range(9)


def traced(
    problem: Problem,
    record: Callable[[Expansion], None],
    asked: Callable[[Expansion], None],
    found_goal: Callable[[bytes], None],
) -> Problem:
    """Return a problem whose searches report their expansions.

    It offers no moves in place, so searches use their general kernels, which visit the same nodes.

    Parameters
    ----------
    problem : Problem
        Problem as prepared by a stack.
    record : callable
        Called after each expansion by a kernel.
    asked : callable
        Called after each call of `Problem.successors`: an expansion of a search in plain Python, or a question of a
        search about a path that it has found.
    found_goal : callable
        Called with the words of each state that the search recognises as a goal.
    """
    words, most = problem.initial.size, problem.max_successors
    world = np.zeros(STATE + words + most * (words + 2), np.int64)
    world[WORDS], world[MAX_SUCCESSORS] = words, most
    callbacks: list[Callable[[int], int]] = [
        _expand_callback(problem, problem.expand, world, record, backward=False),
        _goal_callback(problem, world, found_goal),
    ]
    if problem.predecessors is not None:
        callbacks.append(_expand_callback(problem, problem.predecessors, world, record, backward=True))
    for index, callback in enumerate(callbacks):
        world[index] = id(callback)
    result = replace(
        problem,
        world=world,
        expand=expand_traced,
        is_goal=is_goal_traced,
        predecessors=None if problem.predecessors is None else predecessors_traced,
        calls_python=True,
        in_place=None,
        numbering=None,
    )

    def successors(state: Words, *, backward: bool = False) -> list[tuple[Words, int, int]]:
        steps = problem.successors(state, backward=backward)
        found = b"".join(after.tobytes() for after, _, _ in steps)
        asked(Expansion(backward, 0, 0, state.tobytes(), found, [cost for _, cost, _ in steps], [a for *_, a in steps]))
        return steps

    # The problem is frozen. Two of its methods are replaced, and the callbacks stay alive as long as it does.
    own = {"successors": successors, "recognises": problem.recognises, "_callbacks": callbacks}
    for name, value in own.items():
        object.__setattr__(result, name, value)
    return result


def _expand_callback(
    problem: Problem,
    expand: Kernel,
    world: NDArray[np.int64],
    record: Callable[[Expansion], None],
    *,
    backward: bool,
) -> Callable[[int], int]:
    words, most = problem.initial.size, problem.max_successors
    size = 2 * most + 8  # a kernel that writes too many has not yet damaged other memory
    out, cost, action = np.empty(words * size, np.uint64), np.empty(size, np.int32), np.empty(size, np.int16)
    state = world[STATE : STATE + words].view(np.uint64)
    original, first = problem.world, STATE + words
    compiled: Any = expand.compiled

    def call(_: int) -> int:
        if failed_callbacks:
            return CALLBACK_FAILED
        try:
            n = compiled(original, state, 0, out, 0, cost, action, 0)
            raise_on_error(n)
            if n > most:
                raise ValueError(f"{expand.__name__} wrote {n} states; max_successors is {most}")
            world[first : first + n * words] = out[: n * words].view(np.int64)
            world[first + most * words : first + most * words + n] = cost[:n]
            world[first + most * (words + 1) : first + most * (words + 1) + n] = action[:n]
            found = out[: n * words].tobytes()
            offsets = int(world[AT]), int(world[OUT_AT])
            record(Expansion(backward, *offsets, state.tobytes(), found, cost[:n].tolist(), action[:n].tolist()))
            return int(n)
        except BaseException as exception:
            return keep(exception)

    return call


def _goal_callback(
    problem: Problem, world: NDArray[np.int64], found_goal: Callable[[bytes], None]
) -> Callable[[int], int]:
    state = world[STATE : STATE + problem.initial.size].view(np.uint64)
    is_goal: Any = problem.is_goal.compiled

    def call(_: int) -> int:
        """Return 1 for a goal, else 0. A goal test cannot return an error: the next expansion returns it."""
        if failed_callbacks:
            return CALLBACK_FAILED
        try:
            found = bool(is_goal(problem.world, state, 0))
            if found and not failed_callbacks:
                found_goal(state.tobytes())
            return int(found)
        except BaseException as exception:
            return keep(exception)

    return call


@helper
def report(world, address, states, at, out, out_at, cost, action, slot):
    """Call back with a state, and copy the successors that the callback has written."""
    words, most = world[WORDS], world[MAX_SUCCESSORS]
    if world[INTERRUPTED] != 0:
        return CALLBACK_FAILED
    for i in range(words):
        world[STATE + i] = np.int64(states[at + i])
    world[AT], world[OUT_AT] = at, out_at
    n = call_python(world[address], 0)
    first = STATE + words
    for i in range(n * words):
        out[out_at + i] = np.uint64(world[first + i])
    for k in range(n):
        cost[slot + k] = world[first + most * words + k]
        action[slot + k] = world[first + most * (words + 1) + k]
    return n


@kernel(EXPAND)
def expand_traced(world, states, at, out, out_at, cost, action, slot):
    """Expand by the kernel of the problem, and report it."""
    return report(world, EXPAND_ADDRESS, states, at, out, out_at, cost, action, slot)


@kernel(EXPAND)
def predecessors_traced(world, states, at, out, out_at, cost, action, slot):
    """Find predecessors by the kernel of the problem, and report it."""
    return report(world, PREDECESSORS_ADDRESS, states, at, out, out_at, cost, action, slot)


@kernel(IS_GOAL)
def is_goal_traced(world, states, at):
    """Test by the kernel of the problem."""
    for i in range(world[WORDS]):
        world[STATE + i] = np.int64(states[at + i])
    outcome = call_python(world[IS_GOAL_ADDRESS], 0)
    if outcome == CALLBACK_FAILED:  # a boolean cannot tell: the next expansion returns it
        world[INTERRUPTED] = 1
    return outcome == 1
