"""Analysis of one instance: h_star and the value of a stack in all its states. Accuracy of a stack over instances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limits
from algorithms.spaces import INFINITY, StateSpace, TooLarge, values, values_along_steps
from heuristics.interface import BoundStack, Stack, Term
from runner.base import UserError
from runner.features.audits.finding import Statistic
from worlds.interface import Instance, Problem, State, Unsolvable, World

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

    def size(self, counted: str) -> int:
        """Return the number of steps for ``"steps"``, and the number of states otherwise."""
        return self.steps if counted == "steps" else self.states

    @property
    def optimum(self) -> int | None:
        """Cost of an optimal plan in the engine's units; None if there is no plan."""
        cost = int(self.h_star[self.start])
        game = self.instance.world.playable
        is_rejected = game is not None and not game.accepts_cost(cost)
        return None if cost == INFINITY or is_rejected else cost

    def user_cost(self, cost: int | np.signedinteger[Any]) -> float:
        """Return a cost of the engine in the user's units; ``math.inf`` for `INFINITY`."""
        return math.inf if cost == INFINITY else float(self.instance.world.user_cost(int(cost)))

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
    others : sequence of Stack, optional
        Stacks that checks also evaluate in the states.
    repeats : callable, optional
        Called with the last analysis before its states are analysed again from another start, and with the reason.
    """

    def __init__(
        self,
        stack: Stack,
        limits: Limits,
        begin: Callable[[], None] = lambda: None,
        watch: Callable[[int], None] = lambda _: None,
        others: Sequence[Stack] = (),
        repeats: Callable[[Analysis, str], None] = lambda *_: None,
    ) -> None:
        self._stack, self._others = stack, others
        self._limits, self._begin, self._watch, self._repeats = limits, begin, watch, repeats
        self._last: Analysis | None = None

    def analyse(self, instance: Instance, share: bool = False) -> Analysis | None:
        """Explore an instance. Return None if the world itself proves that it has no solution.

        Parameters
        ----------
        share : bool
            Reuse the state space of the last instance if only the start distinguishes the two, all values are the same,
            and the space contains the start of this one. Boards of one puzzle are an example.

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
        if self._limits.call is not None:
            problem = replace(problem, call_seconds=self._limits.call)
        try:
            bound = self._stack.prepare(problem)
        except Unsolvable:
            space = self._explore(problem)
            return Analysis(instance, self._stack, space, space, None, np.array([INFINITY]), space.distance[:1])
        last = self._last if share else None
        start = -1 if last is None else _place_in(last, problem, bound)
        if last is not None and start >= 0:
            if self._has_values_of(last, bound):
                return replace(last, instance=instance, start=start, is_shared=True)
            self._repeats(last, f"the values of {self._stack} may depend on the start")
        elif last is not None and problem.calls_python and _contains_start(last.space.problem, problem):
            self._repeats(last, f"{instance.world.domain} does not tell that only the start differs (starting_at)")
        space = self._explore(problem)
        if bound.problem is problem:
            searched, h_star = space, space.distance
        else:
            searched = self._explore(bound.problem)
            numbers = space.find(searched.all_states())
            h_star = np.where(numbers < 0, searched.distance, space.distance[numbers])
        h = values(bound, searched.all_states(), lambda: self._watch(searched.count))
        self._last = Analysis(instance, self._stack, space, searched, bound, h, h_star)
        return self._last

    def _has_values_of(self, last: Analysis, bound: BoundStack) -> bool:
        """Return whether all stacks have the values of the last instance, if only the start distinguishes the two."""
        if last.bound is None or not self._have_same_values(last.bound, bound, last):
            return False
        try:
            return all(
                self._have_same_values(other.prepare(last.space.problem), other.prepare(bound.problem), last)
                for other in self._others
            )
        except Unsolvable:
            return False

    def _have_same_values(self, before: BoundStack, bound: BoundStack, last: Analysis) -> bool:
        """Return whether a stack has the same values in the states of two problems that differ in their starts.

        Functions in Python are called for all states again, because nothing else tells.
        """
        if before.problem is not last.space.problem or len(before.bound_terms) != len(bound.bound_terms):
            return False
        if not all(map(_may_be_same, before.bound_terms, bound.bound_terms)):
            return False
        if not before.calls_python:
            return True
        states, count = last.space.all_states(), last.space.count
        h = last.h if before is last.bound else values(before, states, lambda: self._watch(count))
        if before.problem.calls_python:  # each problem has numbers of its own for its states
            unpacked = map(before.problem.unpack, states.reshape(count, -1))
            states = np.concatenate([bound.problem.pack(state) for state in unpacked])
        return np.array_equal(h, values(bound, states, lambda: self._watch(count)))

    def _explore(self, problem: Problem) -> StateSpace:
        try:
            return StateSpace(problem, self._limits, self._watch)
        except TooLarge as error:
            raise InstanceTooLarge(problem.instance.id, error) from None


def _place_in(last: Analysis, problem: Problem, bound: BoundStack) -> int:
    """Return the number of the start in the states of the last instance; -1 if more than the start differs.

    Kernels know the world by its constants. Python also sees the rules.
    """
    before = last.space.problem
    if last.searched is not last.space or bound.problem is not problem:
        return -1
    if problem.expand is not before.expand:
        return -1
    if not problem.calls_python and problem.constants.tobytes() != before.constants.tobytes():
        return -1
    state = problem.initial
    if problem.calls_python or bound.calls_python:
        unpacked = problem.unpack(state)
        if problem.world != starting_at(last.instance.world, unpacked):
            return -1
        state = before.pack(unpacked)
    return int(last.space.find(state)[0])


def _contains_start(before: Problem, problem: Problem) -> bool:
    """Return whether the states of a world in plain Python contain the start of another one."""
    return before.callbacks is not None and problem.unpack(problem.initial) in before.callbacks.of


def _may_be_same(before: Term, term: Term) -> bool:
    """Return whether two terms have the same values, as far as terms in Python tell."""
    if before.calls_python:
        return not before.reads_path
    return term.kernel is before.kernel and term.params.tobytes() == before.params.tobytes()


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
        difference, scale = h_star - h, analysis.instance.world.engine_scale
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


def starting_at(world: World, state: State) -> World | None:
    """Return the world that starts in a state; None if there is no such world."""
    return None if world.family is None else world.family.starting_at(state)


def dimensions_of(world: World) -> tuple[int, ...]:
    """Return the size for which a heuristic may have been made: `Family.dimensions`."""
    return () if world.family is None else world.family.dimensions
