"""Searches of worlds without kernels: states as numbers, and kernels that call the rules.

States are numbered in the order in which they first occur. The engine sees a state as one word, its number.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.compile import CALLBACK_FAILED, EXPAND, IS_GOAL, call_python, failed_callbacks, helper, keep, kernel
from worlds.interface.real_costs import step_costs
from worlds.interface.world import MAX_CODE, State, Step, Words, World


class InternedStates:
    """Interned states, or other values: numbered in the order in which they first occur.

    Attributes
    ----------
    of : dict
        Number of each state.
    states : list
        States by number.
    """

    def __init__(self) -> None:
        self.of: dict[State, int] = {}
        self.states: list[State] = []

    def number(self, state: State, method: str = "") -> int:
        """Return the number of a state, which may be new. A method of the world returned it, for messages."""
        try:
            number = self.of.setdefault(state, len(self.states))
        except TypeError as error:
            raise _unhashable(state, method, error) from None
        if number == len(self.states):
            self.states.append(state)
        return number


# Layout of `constants`: addresses of the callbacks, the largest number of steps, whether all cost 1, and whether a
# goal test was interrupted. From STEPS on, the last callback has written its steps: numbers of states, then costs, then
# codes of actions.
EXPAND_ADDRESS, IS_GOAL_ADDRESS, PREDECESSORS_ADDRESS, MAX_SUCCESSORS, UNIT, INTERRUPTED, STEPS = range(7)


class Callbacks(InternedStates):
    """Rules of a world as functions that kernels call by the numbers of states. A problem keeps them alive.

    Parameters
    ----------
    world : World

    Attributes
    ----------
    constants : ndarray of int64
        Addresses of the functions, and room for the steps that they write.
    initial : ndarray of uint64, shape (1,)
        Number of the start state.
    goals : ndarray of uint64 or None
        Numbers of all goals, if the world is invertible.
    names : InternedStates
        Numbers of the names of actions that lead backwards.

    Raises
    ------
    ValueError
        If `max_successors` or `unit_costs` is wrong.
    """

    goals: Words | None = None

    def __init__(self, world: World) -> None:
        super().__init__()
        self.names = InternedStates()
        failed_callbacks.clear()  # left by a search that was stopped
        most = world.max_successors
        if type(most) is not int or not 0 < most <= MAX_CODE:
            raise ValueError(f"max_successors must be an integer from 1 to {MAX_CODE:,}, not {most!r}")
        constants: NDArray[np.int64] = np.zeros(STEPS + 3 * most, np.int64)
        constants[MAX_SUCCESSORS], constants[UNIT] = most, world.unit_costs
        if world.unit_costs and world.cost_scale != 1:
            raise ValueError("a world with unit_costs has no cost_scale; leave out one of them")
        engine_cost = step_costs(world.cost_scale, world.engine_scale)
        functions = [
            _steps_callback(world.successors, self, constants, engine_cost),
            _goal_callback(world.is_goal, self.states),
        ]
        self.initial = np.array([self.number(world.initial(), "initial")], np.uint64)
        if world.predecessors is not None and world.goals is not None:
            functions.append(_steps_callback(world.predecessors, self, constants, engine_cost, self.names))
            self.goals = np.array([self.number(goal, "goals") for goal in world.goals()], np.uint64)
        constants[: len(functions)] = list(map(id, functions))
        self.constants, self._functions = constants, functions


def _steps_callback(
    steps: Callable[[State], Iterable[Step]],
    numbers: InternedStates,
    constants: NDArray[np.int64],
    engine_cost: Callable[[str, Any], int],
    names: InternedStates | None = None,
) -> Callable[[int], int]:
    of, states, most, unit = numbers.of, numbers.states, int(constants[MAX_SUCCESSORS]), bool(constants[UNIT])
    written, costs, codes = (constants.data[STEPS + k * most : STEPS + (k + 1) * most] for k in range(3))
    method = getattr(steps, "__name__", "successors")

    def write(number: int) -> int:
        """Write every step. Return the number of steps."""
        if failed_callbacks:
            return CALLBACK_FAILED
        try:
            at = -1
            found = steps(states[number])
            if found is None:
                raise _wrong_step(method, None, states[number])
            for at, step in enumerate(found):
                try:
                    name, state, cost = step
                except (TypeError, ValueError):
                    raise _wrong_step(method, step, states[number]) from None
                try:
                    known = of.get(state)
                except TypeError as error:
                    raise _unhashable(state, method, error) from None
                if known is None:
                    known = of[state] = len(states)
                    states.append(state)
                if at == most:
                    raise ValueError(f"a state has more than max_successors = {most} steps: {states[number]!r}")
                written[at] = known
                if not unit:
                    costs[at] = engine_cost(name, cost)
                elif cost != 1:
                    raise ValueError(f"action {name!r} costs {cost!r} in a world with unit_costs")
                if names is not None:
                    codes[at] = -1 - names.number(name)
                    if len(names.states) > MAX_CODE + 1:
                        raise ValueError(f"predecessors: more than {MAX_CODE + 1:,} different names of actions")
            return at + 1
        except BaseException as exception:
            return keep(exception)

    return write


def _unhashable(state: State, method: str, error: TypeError) -> TypeError:
    """Return the error for a state that a dictionary refuses, or the error of its own `__hash__` or `__eq__`."""
    if not method or "unhashable" not in str(error):
        return error
    found = f"the {type(state).__name__} {reprlib.repr(state)}"
    return TypeError(f"{method}() returned {found}; states must be hashable: return a tuple")


def _wrong_step(method: str, step: object, state: State) -> ValueError:
    found = f"{reprlib.repr(step)} for the state {reprlib.repr(state)}"
    return ValueError(f"{method} gave {found}; expected steps (name of the action, state, cost)")


def _goal_callback(is_goal: Callable[[State], bool], states: list[State]) -> Callable[[int], int]:
    def test(number: int) -> int:
        """Return 1 for a goal, else 0. The signature cannot return an error: the next expansion returns it."""
        try:
            return 1 if is_goal(states[number]) else 0
        except BaseException as exception:
            keep(exception)
            return 0

    return test


@helper
def steps_of(constants, address, states, at, out, out_at, cost, slot):
    """Call the function whose address is in an entry of `constants`. Copy its states and costs, and return how many.

    Costs are clipped to 32 bits; the engine checks their range.
    """
    n = call_python(constants[address], np.int64(states[at]))
    costs = STEPS + constants[MAX_SUCCESSORS]
    for k in range(n):
        out[out_at + k] = np.uint64(constants[STEPS + k])
        cost[slot + k] = 1 if constants[UNIT] != 0 else max(-1, min(constants[costs + k], (1 << 31) - 1))
    return n


@kernel(EXPAND)
def expand_python(constants, states, at, out, out_at, cost, action, slot):
    """Call the world's `successors`. The code of an action is its index."""
    if constants[INTERRUPTED] != 0:
        return CALLBACK_FAILED
    n = steps_of(constants, EXPAND_ADDRESS, states, at, out, out_at, cost, slot)
    for k in range(n):
        action[slot + k] = k
    return n


@kernel(EXPAND)
def predecessors_python(constants, states, at, out, out_at, cost, action, slot):
    """Call the world's `predecessors`. The code of an action is -1 - the number of its name."""
    if constants[INTERRUPTED] != 0:
        return CALLBACK_FAILED
    n = steps_of(constants, PREDECESSORS_ADDRESS, states, at, out, out_at, cost, slot)
    for k in range(n):
        action[slot + k] = constants[STEPS + 2 * constants[MAX_SUCCESSORS] + k]
    return n


@kernel(IS_GOAL)
def is_goal_python(constants, states, at):
    """Call the world's `is_goal`."""
    outcome = call_python(constants[IS_GOAL_ADDRESS], np.int64(states[at]))
    if outcome == CALLBACK_FAILED:  # a boolean cannot tell: the next expansion returns it
        constants[INTERRUPTED] = 1
    return outcome == 1
