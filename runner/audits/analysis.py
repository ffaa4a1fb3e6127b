"""Analysis of one instance: h_star and the value of a stack in all its states. Accuracy of a stack over instances."""

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
from runner.audits.finding import Statistic
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
        return None if cost == INFINITY or not self.instance.rules.accepts_cost(cost) else cost

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
            problem = replace(instance.problem(), call_seconds=self._limits.call)
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


class Accuracy:
    """Statistics of h* - h, h / h* and dead ends over all states. A state space that instances share counts once."""

    def __init__(self) -> None:
        self.instances = 0
        self._states = self._exact = self._dead_ends = self._recognised = self._with_ratio = 0
        self._sum, self._largest, self._smallest = 0.0, -math.inf, math.inf
        self._ratios = self._largest_ratio = 0.0

    def add(self, analysis: Analysis) -> None:
        """Count the states of an instance, unless an earlier instance has the same state space."""
        self.instances += 1
        if analysis.is_shared:
            return
        h, h_star = analysis.h, analysis.h_star
        is_dead_end = h_star == INFINITY
        self._dead_ends += int(is_dead_end.sum())
        self._recognised += int((h[is_dead_end] == INFINITY).sum())
        is_finite = ~is_dead_end & (h != INFINITY)
        h, h_star = h[is_finite], h_star[is_finite]
        if not len(h):
            return
        difference, scale = h_star - h, analysis.instance.cost_scale
        self._states += len(h)
        self._exact += int((difference == 0).sum())
        self._sum += int(difference.sum()) / scale
        self._largest = max(self._largest, int(difference.max()) / scale)
        self._smallest = min(self._smallest, int(difference.min()) / scale)
        ratio = h[h_star > 0] / h_star[h_star > 0]
        self._with_ratio += len(ratio)
        self._ratios += float(ratio.sum())
        self._largest_ratio = max(self._largest_ratio, float(ratio.max(initial=0.0)))

    def statistics(self) -> list[Statistic]:
        """Return the statistics that are defined for the counted states."""
        states, ratios, dead_ends = max(self._states, 1), max(self._with_ratio, 1), max(self._dead_ends, 1)
        found = (
            Statistic("mean h* - h", self._sum / states, self._states, self.instances),
            Statistic("largest h* - h", self._largest, self._states, self.instances),
            Statistic("smallest h* - h", self._smallest, self._states, self.instances),
            Statistic("share of exact states", self._exact / states, self._states, self.instances),
            Statistic("mean h / h*", self._ratios / ratios, self._with_ratio, self.instances),
            Statistic("largest h / h*", self._largest_ratio, self._with_ratio, self.instances),
            Statistic("share of dead ends recognised", self._recognised / dead_ends, self._dead_ends, self.instances),
        )
        return [each for each in found if each.states]
