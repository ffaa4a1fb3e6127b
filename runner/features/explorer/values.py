"""Values of the nodes of a recorded search: h, h_star, and the steps over which h is inconsistent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limits
from algorithms.spaces import INFINITY, StateSpace, TooLarge, values
from runner.features.explorer.recorder import Recording, SearchRecorder
from worlds.interface import MAX_CODE, Words

Integers = NDArray[np.int64]
UNKNOWN = -1


@dataclass(frozen=True)
class Learned:
    """Changes of h by what a search has learned.

    After expansion i, the nodes of the changes ``first[i]`` to ``first[i + 1]`` (excluded) have other values.

    Attributes
    ----------
    first : ndarray, shape (expansions + 1,)
        Number of the first change of each expansion.
    node, h : ndarray, shape (changes,)
        Nodes and their new values; `INFINITY` for a dead end.
    """

    first: Integers
    node: Integers
    h: Integers

    @classmethod
    def of(cls, record: SearchRecorder, h: Integers) -> Learned:
        """Return those of the told values that differ from the value before."""
        current, first, changes = h.tolist(), [0], list[tuple[int, int]]()
        for begin, end in pairwise(record.first_learned):
            for node, value in zip(record.learned[begin:end], record.learned_h[begin:end], strict=True):
                if value != current[node]:
                    current[node] = value
                    changes.append((node, value))
            first.append(len(changes))
        table = np.array(changes, np.int64).reshape(-1, 2)
        return cls(np.array(first), table[:, 0], table[:, 1])

    def update(self, h: Integers, step: int) -> list[int]:
        """Write the values after an expansion to `h`; return the nodes that change."""
        changes = slice(self.first[step], self.first[step + 1])
        h[self.node[changes]] = self.h[changes]
        nodes: list[int] = self.node[changes].tolist()
        return nodes


@dataclass(frozen=True)
class Values:
    """Values of the nodes of a search, in the engine's costs.

    Attributes
    ----------
    h : ndarray, shape (nodes,)
        Value of the stack; `INFINITY` for a dead end. For nodes that were reached from a goal: the estimate of the cost
        from the start.
    h_star : ndarray or None
        Cost of an optimal path to a goal; `UNKNOWN` for nodes that were reached from a goal. None if the state space is
        too large.
    reachable : int or None
        Number of reachable states.
    unseen : ndarray of uint64
        Words of the reachable states that the search never generated.
    inconsistent : ndarray of bool, shape (nodes,)
        Whether h of a node exceeds the cost of a recorded step and h after it.
    goal : ndarray of bool, shape (nodes,)
        Whether the state of each node is a goal.
    learned : Learned
        Values that replaced h during the search.
    has_h : bool
        Whether nodes have h: they are states of the world.
    """

    h: Integers
    inconsistent: NDArray[np.bool_]
    goal: NDArray[np.bool_]
    learned: Learned
    h_star: Integers | None = None
    reachable: int | None = None
    unseen: Words = field(default_factory=lambda: np.zeros(0, np.uint64))
    has_h: bool = True

    @property
    def overestimates(self) -> NDArray[np.bool_]:
        """Whether h of each node exceeds h_star."""
        if self.h_star is None:
            return np.zeros(len(self.h), bool)
        found: NDArray[np.bool_] = (self.h > self.h_star) & (self.h_star != UNKNOWN)
        return found


def values_of(recording: Recording, max_states: int, watch: Callable[[int], None] | None = None) -> Values:
    """Return the values of the nodes of a recording.

    Parameters
    ----------
    max_states : int
        Number of states up to which h_star is computed, by exploring all reachable states.
    watch : callable, optional
        Called with the number of states during the exploration. May raise an exception to end it.
    """
    record = recording.recorder
    if record.bound is None or record.problem is None:  # proven unsolvable before the search
        nothing = np.zeros(0, np.int64)
        return Values(nothing, nothing > 0, nothing > 0, Learned.of(record, nothing))
    states = record.words()
    if record.space is not None:
        goal = np.fromiter(map(record.space.is_goal, states), bool, len(states))
        h = np.zeros(len(states), np.int64)
        return Values(h, h > 0, goal, Learned.of(record, h), has_h=False)
    is_backward = np.frombuffer(record.backward, np.int8) != 0
    forward = states[~is_backward].reshape(-1)
    h = np.empty(len(is_backward), np.int64)
    h[~is_backward] = values(record.bound, forward)
    if is_backward.any():
        bound = record.bound.stack.prepare_backward(record.bound.problem)
        h[is_backward] = values(bound, states[is_backward].reshape(-1))
    goal = np.fromiter(map(record.problem.recognises, states), bool, len(states))
    found = Values(h, _inconsistent(record, h), goal, Learned.of(record, h))
    try:
        if record.problem.max_successors > MAX_CODE:
            raise TooLarge("the engine takes fewer successors of a state")
        space = StateSpace(record.problem, Limits(nodes=max_states), watch)
    except TooLarge:
        return found
    numbers = space.find(forward)
    h_star = np.full(len(h), UNKNOWN)
    h_star[~is_backward] = np.where(numbers < 0, UNKNOWN, space.distance[numbers])
    is_unseen = np.ones(space.count, bool)
    is_unseen[numbers[numbers >= 0]] = False
    unseen = space.all_states().reshape(-1, states.shape[1])[is_unseen].reshape(-1)
    return replace(found, h_star=h_star, reachable=space.count, unseen=unseen)


def _inconsistent(record: SearchRecorder, h: Integers) -> NDArray[np.bool_]:
    """Return for each node whether h drops by more than the cost of a recorded step from it."""
    first = np.frombuffer(record.first, np.int64)
    source = np.repeat(np.frombuffer(record.expanded, np.int32), first[1:] - first[:-1])
    after = h[np.frombuffer(record.successor, np.int32)]
    drops = (h[source] > after + np.frombuffer(record.cost, np.int32)) & (after != INFINITY)
    found = np.zeros(len(h), bool)
    found[source[drops]] = True
    return found
