"""Table of states and their steps, joined from parts: the arrays of a file, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.spaces import INFINITY
from worlds.interface import Instance

Arrays = dict[str, NDArray[Any]]
NO_VALUE = -1
"""Value after the last variable of a state that has fewer variables than others."""
NAMES = ("instances", "splits", "difficulties", "run_ids", "actions")
"""Arrays of texts, to which numbers of other arrays refer."""


@dataclass(frozen=True, eq=False)
class TablePart:
    """States of one instance, or of one plan. Costs are in the units of the engine.

    The steps from state i are numbered from ``first[i]`` to ``first[i + 1]`` (excluded).

    Attributes
    ----------
    instance : Instance
    run_id : str
        Identity of the search that found the plan; empty for a state space.
    is_exact : bool
        Whether `h_star` is known to be optimal. Otherwise it is the remaining cost of a plan.
    words : ndarray of uint64, shape (states, words)
    h_star : ndarray of int64, shape (states,)
        `INFINITY` without a path to a goal.
    is_goal : ndarray of bool, shape (states,)
    first : ndarray of int64, shape (states + 1,)
    successor, cost : ndarray of int, shape (steps,)
        State to which each step leads, by its number in the part, and cost of the step.
    action : ndarray of int, shape (steps,)
        Action of each step, by its index in `actions`.
    actions : sequence of str
    """

    instance: Instance
    run_id: str
    is_exact: bool
    words: NDArray[np.uint64]
    h_star: NDArray[np.int64]
    is_goal: NDArray[np.bool_]
    first: NDArray[np.int64]
    successor: NDArray[np.integer[Any]]
    cost: NDArray[np.integer[Any]]
    action: NDArray[np.integer[Any]]
    actions: Sequence[str]

    @property
    def optimal(self) -> NDArray[np.bool_]:
        """Whether each step is known to begin an optimal path to a goal."""
        before = np.repeat(self.h_star, np.diff(self.first))
        is_optimal: NDArray[np.bool_] = (before != INFINITY) & (self.cost + self.h_star[self.successor] == before)
        return is_optimal & self.is_exact


class StateTable:
    """States of several instances, in the order in which they were added.

    Attributes
    ----------
    states, steps : int
    """

    def __init__(self) -> None:
        self._parts: list[TablePart] = []
        self._actions: dict[str, int] = {}
        self.states = self.steps = 0

    @property
    def instances(self) -> int:
        """Number of different instances."""
        return len({part.instance.id for part in self._parts})

    def add(self, part: TablePart) -> None:
        """Add the states of an instance or a plan."""
        for name in part.actions:
            self._actions.setdefault(name, len(self._actions))
        self._parts.append(part)
        self.states += len(part.h_star)
        self.steps += len(part.successor)

    def arrays(self) -> Arrays:
        """Return all arrays. Numbers of states and steps are those in the whole table, costs are those of the user."""
        parts = self._parts
        first_states = np.cumsum([0, *(len(part.h_star) for part in parts)])
        first_steps = np.cumsum([0, *(len(part.successor) for part in parts)])
        infinite = [np.where(part.h_star == INFINITY, np.inf, _in_units(part, part.h_star)) for part in parts]
        numbers = [np.array([self._actions[name] for name in part.actions], np.int32) for part in parts]
        worlds: list[Any] = [part.instance.world for part in parts]
        return {
            "instances": np.array([part.instance.id for part in parts]),
            "splits": np.array([getattr(world, "split", "") for world in worlds]),
            "difficulties": np.array([getattr(world, "difficulty", "") for world in worlds]),
            "run_ids": np.array([part.run_id for part in parts]),
            "actions": np.array([*self._actions]),
            "instance": np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(first_states)),
            "words": _padded([part.words for part in parts], np.uint64, 0),
            "values": _padded([_values(part) for part in parts], np.int32, NO_VALUE),
            "h_star": np.concatenate(infinite),
            "exact": np.repeat([part.is_exact for part in parts], np.diff(first_states)),
            "goal": np.concatenate([part.is_goal for part in parts]),
            "first": np.concatenate(
                [
                    *(part.first[:-1] + step for part, step in zip(parts, first_steps[:-1], strict=True)),
                    first_steps[-1:],
                ]
            ),
            "successor": np.concatenate(
                [part.successor.astype(np.int64) + state for part, state in zip(parts, first_states[:-1], strict=True)]
            ),
            "cost": np.concatenate([_in_units(part, part.cost) for part in parts]),
            "action": np.concatenate([each[part.action] for part, each in zip(parts, numbers, strict=True)]),
            "optimal": np.concatenate([part.optimal for part in parts]),
        }


def _in_units(part: TablePart, costs: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return costs in the units of the user."""
    return costs / part.instance.world.engine_scale


def _values(part: TablePart) -> NDArray[np.int64]:
    """Return the values of the variables of the states; without columns in worlds without variables."""
    kernels = part.instance.world.kernels
    values = None if kernels is None else kernels.values_of(part.words)
    return np.empty((len(part.words), 0), np.int64) if values is None else values


def _padded(blocks: Sequence[NDArray[Any]], dtype: type, empty: int) -> NDArray[Any]:
    """Return blocks of rows one below the other, filled up to the width of the widest."""
    width = max(block.shape[1] for block in blocks)
    joined = np.full((sum(map(len, blocks)), width), empty, dtype)
    row = 0
    for block in blocks:
        joined[row : row + len(block), : block.shape[1]] = block
        row += len(block)
    return joined
