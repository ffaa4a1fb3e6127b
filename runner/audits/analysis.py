"""Analysis of one instance: all its states, h_star of each state, and the value of a stack in each state."""

from __future__ import annotations

import math
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
from runner.base.errors import UserError
from worlds.interface import Instance, Problem, Unsolvable

Integers = NDArray[np.int64]


class InstanceTooLarge(UserError):
    """The state space of an instance exceeds a limit of the audit.

    Attributes
    ----------
    excess : str
        The limit, such as "more than 50,000 states (limits.nodes)".
    """

    def __init__(self, instance: str, error: TooLarge) -> None:
        super().__init__(f"{instance}: too large for an audit, {error}; choose smaller instances")
        self.excess = str(error).partition(":")[0]


@dataclass(frozen=True, eq=False)
class Analysis:
    """State space of an instance, with h and h_star of each state.

    Attributes
    ----------
    instance : Instance
    stack : Stack
    space : StateSpace
        State space of the instance itself. h_star is computed here.
    searched : StateSpace
        State space after the preparation by the stack, where searches with this stack move. Mostly the same object as
        `space`.
    bound : BoundStack or None
        None if the preparation reports that the instance is unsolvable. Then only the start is analysed, as a dead end.
    h : ndarray of int64, shape (states,)
        Value of the stack at each state of `searched`, in the engine's units. `INFINITY` stands for infinity.
    h_star : ndarray of int64, shape (states,)
        Cost of an optimal path from each state of `searched` to a goal. `INFINITY` where there is no path.
    start : int
        Number of the start state.
    is_shared : bool
        Whether the state space is shared with an earlier instance that has another start.
    """

    instance: Instance
    stack: Stack
    space: StateSpace
    searched: StateSpace
    bound: BoundStack | None
    h: Integers
    h_star: Integers
    start: int = 0
    is_shared: bool = False

    @property
    def states(self) -> int:
        """Number of analysed states."""
        return len(self.h)

    @property
    def steps(self) -> int:
        """Number of analysed steps."""
        return 0 if self.bound is None else len(self.searched.target)

    @property
    def optimum(self) -> int | None:
        """Cost of an optimal plan in the engine's units; None if there is no plan."""
        cost = int(self.h_star[self.start])
        return None if cost == INFINITY or not self.instance.accepts_cost(cost) else cost

    def user_cost(self, cost: int | np.signedinteger[Any]) -> float:
        """Return a cost of the engine in the user's units; ``math.inf`` for `INFINITY`."""
        return math.inf if cost == INFINITY else float(self.instance.user_cost(int(cost)))

    def sources(self, steps: Integers | int) -> Integers:
        """Return the states from which steps lead."""
        return np.searchsorted(self.searched.first, steps, side="right") - 1

    def along_steps(self) -> Integers:
        """Return the value after each step, computed from the value before the step; empty if there are no steps."""
        return np.empty(0, np.int64) if self.bound is None else values_along_steps(self.bound, self.searched, self.h)


class Analyser:
    """Analyser of instances under one stack.

    Parameters
    ----------
    stack : Stack
    limits : Limits
        `nodes` limits the states of an instance, `memory` the bytes of its state space, `time` the seconds.
    begin : callable, optional
        Called at the beginning of each analysis.
    watch : callable, optional
        Called with the number of states found so far, while an instance is explored and its states are evaluated.
    """

    def __init__(
        self,
        stack: Stack,
        limits: Limits,
        begin: Callable[[], None] = lambda: None,
        watch: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._stack = stack
        self._limits, self._begin, self._watch = limits, begin, watch
        self._last: tuple[Any, Analysis] | None = None

    def analyse(self, instance: Instance, share: bool = False) -> Analysis | None:
        """Explore an instance. Return None if the world itself proves that it has no solution.

        Parameters
        ----------
        share : bool
            Reuse the state space of the last instance if that has the same rules and values and contains the start of
            this one. Boards of one puzzle are an example.

        Raises
        ------
        InstanceTooLarge
            If the instance exceeds a limit.
        """
        self._begin()
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
            searched, h_star = space, space.distance
        else:
            searched = self._explore(bound.problem)
            numbers = space.find(searched.all_states())
            h_star = np.where(numbers < 0, searched.distance, space.distance[numbers])
        h = values(bound, searched.all_states(), lambda: self._watch(searched.count))
        analysis = Analysis(instance, self._stack, space, searched, bound, h, h_star)
        self._last = (identity, analysis)
        return analysis

    def _explore(self, problem: Problem) -> StateSpace:
        try:
            return StateSpace(problem, self._limits, self._watch)
        except TooLarge as error:
            raise InstanceTooLarge(problem.instance.id, error) from None


def _identity(problem: Problem, bound: BoundStack) -> Any:
    """Return what instances with a common state space have in common; None if it cannot be compared."""
    if bound.problem is not problem or problem.calls_python or bound.calls_python:
        return None
    terms = [(term.kernel, term.params.tobytes()) for term in bound.bound_terms]
    return problem.expand, problem.world.tobytes(), terms
