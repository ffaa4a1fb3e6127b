"""Checks of a stack of heuristics. Each check is a small function that finds the violations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.engine.distances import INFINITY
from algorithms.engine.state_space import StateSpace
from algorithms.engine.state_values import values
from heuristics.stack import Stack
from runner.features.audits.analysis import Analysis, Integers
from worlds.interface import Unsolvable

Counted = Literal["states", "steps", "instances"]
PLATEAUS = "plateaus"
NONE: Integers = np.empty(0, np.int64)


@dataclass(frozen=True)
class Check:
    """Property that a stack or an algorithm may have.

    Attributes
    ----------
    name : str
    claim : str
        The property in a few words.
    counted : {"states", "steps", "instances"}
        Objects on which the property is checked.
    violations : callable
        Returns the violations in an `Analysis` (checks of a stack) or a `Trial` (checks of an algorithm): numbers of
        states or steps; for checks on instances, the number of the start. None if the check does not apply.
    declared : callable
        Returns, for the same argument, whether the property is declared to hold; None if nothing is declared.
    otherwise : str
        Why the check did not apply, if `violations` returned None for every instance.
    """

    name: str
    claim: str
    counted: Counted
    violations: Callable[[Any], Integers | None]
    declared: Callable[[Any], bool | None]
    otherwise: str = "does not apply here"


def at_start(analysis: Analysis, is_violated: bool | np.bool_) -> Integers:
    """Return the start if a check of instances is violated."""
    return np.array([analysis.start]) if is_violated else NONE


def non_zero_goals(analysis: Analysis) -> Integers:
    """Return the goals whose value is not 0."""
    is_goal = analysis.searched.is_goal[: analysis.states]
    return np.flatnonzero(is_goal & (analysis.h != 0))


def overestimates(analysis: Analysis) -> Integers:
    """Return the states whose value exceeds h_star."""
    return np.flatnonzero(analysis.h > analysis.h_star)


def overestimated_start(analysis: Analysis) -> Integers:
    """Return the start if its value exceeds the cost of an optimal plan."""
    return at_start(analysis, analysis.h[analysis.start] > analysis.h_star[analysis.start])


def false_dead_ends(analysis: Analysis) -> Integers:
    """Return the states with an infinite value from which a goal can be reached."""
    return np.flatnonzero((analysis.h == INFINITY) & (analysis.h_star != INFINITY))


def lost_optimum(analysis: Analysis) -> Integers:
    """Return the start if the preparation by a heuristic removes every optimal plan."""
    cost = INFINITY if analysis.bound is None else int(analysis.searched.distance[analysis.start])
    return at_start(analysis, cost > analysis.h_star[analysis.start])


def inconsistent_steps(analysis: Analysis) -> Integers:
    """Return the steps over which the value drops by more than the cost of the step."""
    if analysis.bound is None:
        return NONE
    searched, h = analysis.searched, analysis.h
    before, after = np.repeat(h, np.diff(searched.first)), h[searched.target]
    return np.flatnonzero((before > after + searched.cost) & (after != INFINITY))


def zeros_elsewhere(analysis: Analysis) -> Integers:
    """Return the states that are no goals, but have the value 0."""
    is_goal = analysis.searched.is_goal[: analysis.states]
    return np.flatnonzero(~is_goal & (analysis.h == 0))


def plateaus(analysis: Analysis) -> Integers:
    """Return the states from which a goal can be reached, but no step leads to a smaller value."""
    if analysis.bound is None:
        return NONE
    searched, h = analysis.searched, analysis.h
    leads_on = np.zeros(analysis.states, bool)
    before = np.repeat(np.arange(analysis.states), np.diff(searched.first))
    leads_on[before[h[searched.target] < h[before]]] = True
    return np.flatnonzero(~leads_on & ~searched.is_goal[: analysis.states] & (analysis.h_star != INFINITY))


def path_dependent_steps(analysis: Analysis) -> Integers:
    """Return the steps after which the value, computed from the value before, differs from the value from scratch."""
    if analysis.bound is None:
        return NONE
    return np.flatnonzero(analysis.along_steps() != analysis.h[analysis.searched.target])


def dominates(other: Stack) -> Check:
    """Return the check that a stack is nowhere below another one, in the states where searches with both move."""

    def states_below(analysis: Analysis) -> Integers:
        if analysis.bound is None:
            return NONE
        problem = analysis.space.problem
        try:
            bound = other.prepare(problem)
        except Unsolvable:  # the other stack is infinite at the start, and no search with it moves
            return at_start(analysis, analysis.h[analysis.start] != INFINITY)
        is_below = analysis.h < values(bound, analysis.searched.all_states())
        if bound.problem is not problem:
            is_below &= StateSpace(bound.problem).find(analysis.searched.all_states()) >= 0
        return np.flatnonzero(is_below)

    return Check(f"dominates {other}", f"h >= that of {other}", "states", states_below, lambda _: None)


def _implied(analysis: Analysis) -> bool | None:
    """Return True for admissible stacks, which have the property; None for others, which may have it or not."""
    return analysis.stack.admissible or None


PROPERTIES = (
    Check("zero_at_goals", "h = 0 at goals", "states", non_zero_goals, _implied),
    Check(
        "admissible", "h <= h* at every state", "states", overestimates, lambda analysis: analysis.stack.admissible
    ),
    Check("admissible_at_start", "h <= h* at the start", "instances", overestimated_start, _implied),
    Check(
        "dead_ends", "h is infinite only where h* is", "states", false_dead_ends,
        lambda analysis: analysis.stack.safe or None,  # infinite values of other stacks may be right
    ),
    Check("keeps_optimum", "the preparation leaves an optimal plan", "instances", lost_optimum, _implied),
    Check(
        "consistent", "h <= cost + h' over every step", "steps", inconsistent_steps,
        lambda analysis: analysis.stack.consistent,
    ),
    Check(
        "path_independent", "a state has one value, computed from scratch or along any step", "steps",
        path_dependent_steps, lambda _: True,
    ),
)  # fmt: skip

GUIDANCE = (
    Check("zero_elsewhere", "h > 0 at all states but goals", "states", zeros_elsewhere, lambda _: None),
    Check(
        PLATEAUS, "from every state with a plan a step leads to a smaller h", "states", plateaus, lambda _: None
    ),
)  # fmt: skip
"""Whether a heuristic about which nothing is declared guides greedy searches."""
