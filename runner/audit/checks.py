"""What is checked of a stack of heuristics. Every check is a small function that finds the violations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.engine.distances import INFINITY
from algorithms.engine.state_space import StateSpace
from algorithms.engine.state_values import values
from heuristics.stack import Stack
from runner.audit.analysis import Analysis, Integers
from worlds.interface import Unsolvable

Counted = Literal["states", "steps", "instances"]
NONE: Integers = np.empty(0, np.int64)


@dataclass(frozen=True)
class Check:
    """Something that may hold of a stack, or of an algorithm.

    Attributes
    ----------
    name : str
    claim : str
        What it means, in a few words.
    counted : {"states", "steps", "instances"}
        What it is checked on.
    violations : callable
        Of what was found out about an instance: numbers of the states or steps that violate the claim; of an instance,
        that of its start. None if the check means nothing here.
    declared : callable
        Of the same: whether the claim is made at all; None if nothing is said about it.
    """

    name: str
    claim: str
    counted: Counted
    violations: Callable[[Any], Integers | None]
    declared: Callable[[Any], bool | None]


def zero_at_goals(analysis: Analysis) -> Integers:
    """Goals with another value than 0."""
    is_goal = analysis.searched.is_goal[: analysis.states]
    return np.flatnonzero(is_goal & (analysis.h != 0))


def overestimates(analysis: Analysis) -> Integers:
    """States whose value is above the cost of the cheapest way to a goal."""
    return np.flatnonzero(analysis.h > analysis.exact)


def overestimated_start(analysis: Analysis) -> Integers:
    """The start, if its value is above the cost of the cheapest plan."""
    start = analysis.start
    return np.array([start]) if analysis.h[start] > analysis.exact[start] else NONE


def wrong_dead_ends(analysis: Analysis) -> Integers:
    """States with an infinite value from which there is a way to a goal."""
    return np.flatnonzero((analysis.h == INFINITY) & (analysis.exact != INFINITY))


def lost_optimum(analysis: Analysis) -> Integers:
    """The start, if the preparation of a heuristic leaves out every cheapest plan."""
    start = analysis.start
    found = INFINITY if analysis.bound is None else int(analysis.searched.distance[start])
    return np.array([start]) if found > analysis.exact[start] else NONE


def inconsistent_steps(analysis: Analysis) -> Integers:
    """Steps over which the value drops by more than they cost."""
    if analysis.bound is None:
        return NONE
    searched, h = analysis.searched, analysis.h
    before, after = np.repeat(h, np.diff(searched.first)), h[searched.target]
    return np.flatnonzero((before > after + searched.cost) & (after != INFINITY))


def path_dependent_steps(analysis: Analysis) -> Integers:
    """Steps after which the value, computed from that of the state before, is not that from scratch."""
    if analysis.bound is None:
        return NONE
    return np.flatnonzero(analysis.along_steps() != analysis.h[analysis.searched.target])


def dominates(other: Stack) -> Check:
    """Whether a stack is nowhere below another one, in the states where searches with either of them move."""

    def below(analysis: Analysis) -> Integers:
        if analysis.bound is None:
            return NONE
        problem, start = analysis.space.problem, analysis.start
        try:
            bound = other.prepare(problem)
        except Unsolvable:  # infinite at the start, and searched nowhere else
            return np.array([start]) if analysis.h[start] != INFINITY else NONE
        is_below = analysis.h < values(bound, analysis.searched.all_states())
        if bound.problem is not problem:
            is_below &= StateSpace(bound.problem).find(analysis.searched.all_states()) >= 0
        return np.flatnonzero(is_below)

    return Check(f"dominates {other}", f"h >= that of {other}", "states", below, lambda _: None)


def _admissible(analysis: Analysis) -> bool | None:
    return analysis.stack.admissible


def _implied(analysis: Analysis) -> bool | None:
    """What is admissible has it; what is not, may have it."""
    return analysis.stack.admissible or None


def _consistent(analysis: Analysis) -> bool | None:
    return analysis.stack.consistent


def _always(_: Analysis) -> bool:
    return True


PROPERTIES = (
    Check("zero_at_goals", "h = 0 at goals", "states", zero_at_goals, _implied),
    Check("admissible", "h <= h* at every state", "states", overestimates, _admissible),
    Check("admissible_at_start", "h <= h* at the start", "instances", overestimated_start, _implied),
    Check("dead_ends", "h infinite only where h* is", "states", wrong_dead_ends, _implied),
    Check("keeps_optimum", "no preparation loses the cheapest plan", "instances", lost_optimum, _implied),
    Check("consistent", "h <= cost + h' over every step", "steps", inconsistent_steps, _consistent),
    Check("path_independent", "a state has one value, however reached", "steps", path_dependent_steps, _always),
)
