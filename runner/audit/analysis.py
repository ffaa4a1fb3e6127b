"""One instance under the eyes of an audit: all its states, what they really cost, and what a stack says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.distances import INFINITY
from algorithms.engine.search import Limits
from algorithms.engine.state_space import StateSpace, TooLarge
from algorithms.engine.state_values import values, values_along_steps
from heuristics.stack import BoundStack, Stack
from runner.registry import UserError
from worlds.interface import Instance, Problem, Unsolvable

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of an instance and a stack.

    Attributes
    ----------
    instance : Instance
    stack : Stack
    space : StateSpace
        Of the instance as the world packs it: the truth.
    searched : StateSpace
        Of the instance as the stack's preparation leaves it, in which searches with this stack move; mostly the same.
    bound : BoundStack or None
        None if the preparation calls the instance unsolvable: then only the start is looked at, as a dead end.
    h, exact : ndarray of int64, shape (states,)
        Of the states of `searched`: the stack's value, and the cost of an optimal path to a goal. `INFINITY` stands for
        infinity in both.
    start : int
        The start state.
    is_shared : bool
        The space is that of an instance before, which has another start.
    """

    instance: Instance
    stack: Stack
    space: StateSpace
    searched: StateSpace
    bound: BoundStack | None
    h: Integers
    exact: Integers
    start: int = 0
    is_shared: bool = False

    @property
    def states(self) -> int:
        """Number of states that are looked at."""
        return len(self.h)

    @property
    def steps(self) -> int:
        """Number of steps that are looked at."""
        return 0 if self.bound is None else len(self.searched.target)

    @property
    def optimum(self) -> int | None:
        """Cost of the cheapest plan; None if there is none."""
        distance = int(self.exact[self.start])
        return None if distance == INFINITY or not self.instance.accepts_cost(distance) else distance

    def source(self, step: int) -> int:
        """The state that a step leads from."""
        return int(np.searchsorted(self.searched.first, step, side="right")) - 1

    def along_steps(self) -> Integers:
        """What the stack says after each step, computed from its value before; empty without steps."""
        return np.empty(0, np.int64) if self.bound is None else values_along_steps(self.bound, self.searched, self.h)


class Examiner:
    """Examines instances under one stack.

    Parameters
    ----------
    stack : Stack
    limits : Limits
        `nodes` bounds the states of an instance, `memory` the bytes that they take, `time` the seconds.
    watch : callable, optional
        Called with the number of states on the way.
    """

    def __init__(self, stack: Stack, limits: Limits, watch: Callable[[int], None] | None = None) -> None:
        self._stack = stack
        self._limits, self._watch = limits, watch
        self._last: tuple[Any, Analysis] | None = None

    def examine(self, instance: Instance, share: bool = False) -> Analysis | None:
        """Explore an instance; None if the world itself proves that it has no solution.

        Parameters
        ----------
        share : bool
            An instance whose start is among the states of the instance before it, under the same rules and values, is
            not explored again: boards of one puzzle, for example.

        Raises
        ------
        UserError
            If it exceeds a limit.
        """
        try:
            problem = instance.problem()
        except Unsolvable:
            return None
        try:
            bound = self._stack.prepare(problem)
        except Unsolvable:
            space = self._explore(problem)
            return Analysis(instance, self._stack, space, space, None, np.array([INFINITY]), space.distance[:1])
        identity = _identity(problem, bound)
        if share and self._last is not None and identity is not None and self._last[0] == identity:
            start = int(self._last[1].space.find(problem.initial)[0])
            if start >= 0:
                return replace(self._last[1], instance=instance, start=start, is_shared=True)
        space = self._explore(problem)
        if bound.problem is problem:
            searched, exact = space, space.distance
        else:
            searched = self._explore(bound.problem)
            places = space.find(searched.all_states())
            exact = np.where(places < 0, searched.distance, space.distance[places])
        h = values(bound, searched.all_states())
        analysis = Analysis(instance, self._stack, space, searched, bound, h, exact)
        self._last = (identity, analysis)
        return analysis

    def _explore(self, problem: Problem) -> StateSpace:
        try:
            return StateSpace(problem, self._limits, self._watch)
        except TooLarge as error:
            name = problem.instance.id
            raise UserError(f"{name}: too large for an audit, {error}; choose smaller instances") from None


def _identity(problem: Problem, bound: BoundStack) -> Any:
    """What two instances have in common that differ in their start only; None where that cannot be told."""
    if bound.problem is not problem or problem.calls_python or any(term.calls_python for term in bound.bound_terms):
        return None
    terms = [(term.kernel, term.params.tobytes()) for term in bound.bound_terms]
    return problem.expand, problem.world.tobytes(), terms
