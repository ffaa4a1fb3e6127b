"""Checks of a stack of heuristics. Each check is a small function that finds the violations."""

from __future__ import annotations

import numpy as np

from algorithms.spaces import INFINITY, StateSpace, values
from heuristics.interface import Stack
from runner.features.audits.analysis import Analysis
from runner.features.audits.checks.registration import NONE, Check, Integers, check
from worlds.interface import Unsolvable

PLATEAUS = "plateaus"
PATH_INDEPENDENT = "path_independent"


def is_implied(analysis: Analysis) -> bool | None:
    """Return True for admissible stacks, which have the property; None for others, which may have it or not."""
    return analysis.stack.admissible or None


def needs_guidance(stack: Stack) -> bool:
    """Return whether nothing is declared about a stack. Then the question is whether it guides greedy searches."""
    return bool(stack.heuristics) and stack.admissible is None


def at_start(analysis: Analysis, is_violated: bool | np.bool_) -> Integers:
    """Return the start if a check of instances is violated."""
    return np.array([analysis.start]) if is_violated else NONE


@check("heuristic", "zero_at_goals", "h = 0 at goals", counted="states", declared=is_implied)
def non_zero_goals(analysis: Analysis) -> Integers:
    """Return the goals whose value is not 0."""
    is_goal = analysis.searched.is_goal[: analysis.states]
    return np.flatnonzero(is_goal & (analysis.h != 0))


@check(
    "heuristic", "admissible", "h <= h* at every state", counted="states",
    declared=lambda analysis: analysis.stack.admissible,
)  # fmt: skip
def overestimates(analysis: Analysis) -> Integers:
    """Return the states whose value exceeds h_star."""
    return np.flatnonzero(analysis.h > analysis.h_star)


@check("heuristic", "admissible_at_start", "h <= h* at the start", declared=is_implied)
def overestimated_start(analysis: Analysis) -> Integers:
    """Return the start if its value exceeds the cost of an optimal plan."""
    return at_start(analysis, analysis.h[analysis.start] > analysis.h_star[analysis.start])


@check(
    "heuristic", "dead_ends", "h is infinite only where h* is", counted="states",
    declared=lambda analysis: analysis.stack.safe or None,  # infinite values of other stacks may be right
)  # fmt: skip
def false_dead_ends(analysis: Analysis) -> Integers:
    """Return the states with an infinite value from which a goal can be reached."""
    return np.flatnonzero((analysis.h == INFINITY) & (analysis.h_star != INFINITY))


@check("heuristic", "keeps_optimum", "the preparation leaves an optimal plan", declared=is_implied)
def lost_optimum(analysis: Analysis) -> Integers:
    """Return the start if the preparation by a heuristic removes every optimal plan."""
    cost = INFINITY if analysis.bound is None else int(analysis.searched.distance[analysis.start])
    return at_start(analysis, cost > analysis.h_star[analysis.start])


@check(
    "heuristic", "consistent", "h <= cost + h' over every step", counted="steps",
    declared=lambda analysis: analysis.stack.consistent,
)  # fmt: skip
def inconsistent_steps(analysis: Analysis) -> Integers:
    """Return the steps over which the value drops by more than the cost of the step."""
    if analysis.bound is None:
        return NONE
    searched, h = analysis.searched, analysis.h
    before, after = np.repeat(h, np.diff(searched.first)), h[searched.target]
    return np.flatnonzero((before > after + searched.cost) & (after != INFINITY))


@check("heuristic", PATH_INDEPENDENT, "a state has one value, computed from scratch or along any step", counted="steps")
def path_dependent_steps(analysis: Analysis) -> Integers:
    """Return the steps after which the value, computed from the value before, differs from the value from scratch."""
    if analysis.bound is None:
        return NONE
    return np.flatnonzero(analysis.along_steps() != analysis.h[analysis.searched.target])


@check(
    "heuristic", "zero_elsewhere", "h > 0 at all states but goals", counted="states", declared=lambda _: None,
    applies=needs_guidance,
)  # fmt: skip
def zeros_elsewhere(analysis: Analysis) -> Integers:
    """Return the states that are no goals, but have the value 0."""
    is_goal = analysis.searched.is_goal[: analysis.states]
    return np.flatnonzero(~is_goal & (analysis.h == 0))


@check(
    "heuristic", PLATEAUS, "from every state with a plan a step leads to a smaller h", counted="states",
    declared=lambda _: None, applies=needs_guidance,
)  # fmt: skip
def plateaus(analysis: Analysis) -> Integers:
    """Return the states from which a goal can be reached, but no step leads to a smaller value."""
    if analysis.bound is None:
        return NONE
    searched, h = analysis.searched, analysis.h
    leads_on = np.zeros(analysis.states, bool)
    before = np.repeat(np.arange(analysis.states), np.diff(searched.first))
    leads_on[before[h[searched.target] < h[before]]] = True
    return np.flatnonzero(~leads_on & ~searched.is_goal[: analysis.states] & (analysis.h_star != INFINITY))


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
