"""Whole state spaces as parts of a table: all states that can be reached, and all their steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limits
from algorithms.spaces import StateSpace
from runner.base import Incompatible
from runner.features.dataset.table import TablePart
from worlds.interface import ActionName, Instance, Kernels, Problem


def part_of_space(instance: Instance, limits: Limits, watch: Callable[[int], None]) -> TablePart:
    """Explore an instance. Goals have no steps, as in every search.

    Parameters
    ----------
    limits : Limits
        `nodes` limits the states, `memory` the bytes of the state space, `time` the seconds.
    watch : callable
        Called with the number of states so far.

    Raises
    ------
    Incompatible
        If the states of the world are not packed.
    algorithms.spaces.state_space.TooLarge
        If a limit is exceeded.
    worlds.interface.Unsolvable, worlds.interface.OutOfTime
        As `Instance.problem`.
    """
    problem = packed_problem(instance)
    space = StateSpace(problem, limits, watch)
    watch(space.count)
    names, action = _actions(problem, space, watch)
    return TablePart(
        instance=instance,
        run_id="",
        is_exact=True,
        words=space.all_states().reshape(space.count, -1),
        h_star=space.distance,
        is_goal=space.is_goal,
        first=space.first.copy(),
        successor=space.target.copy(),
        cost=space.cost.copy(),
        action=action,
        actions=names,
    )


def packed_problem(instance: Instance) -> Problem:
    """Return the problem of an instance whose states are packed words; raise `Incompatible` for others."""
    if instance.world.kernels is None:
        raise Incompatible(
            f"{instance.id}: the rules of {instance.world.domain} are plain Python, and its states no packed words; "
            "choose a world with kernels"
        )
    return instance.problem()


def _actions(problem: Problem, space: StateSpace, watch: Callable[[int], None]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of the actions of a space, and the index of the name of each step."""
    kernels = problem.world.kernels
    assert kernels is not None
    codes = space.action_codes()
    if type(kernels).name_of is Kernels.name_of:  # a code has one name in all states
        used, action = np.unique(codes, return_inverse=True)
        return [action_text(kernels.name_of(None, int(code))) for code in used], action
    numbers: dict[str, int] = {}
    action = np.empty(len(codes), np.int64)
    for number in range(space.count):
        steps = range(space.first[number], space.first[number + 1])
        state = problem.unpack(space.state(number)) if steps else None
        for step in steps:
            name = action_text(kernels.name_of(state, int(codes[step])))
            action[step] = numbers.setdefault(name, len(numbers))
        watch(space.count)
    return [*numbers], action


def action_text(name: ActionName) -> str:
    """Return the name of an action. The primitive actions of a macro-action are separated by blanks."""
    return " ".join(name) if isinstance(name, tuple) else str(name)
