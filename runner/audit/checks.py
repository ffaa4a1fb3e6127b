"""What is checked of a stack of heuristics. Every check is a small function that finds the violations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.engine.distances import FAR
from algorithms.engine.state_space import StateSpace
from algorithms.engine.state_values import values
from heuristics.stack import Stack
from runner.audit.examination import Examination, Integers
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


def zero_at_goals(examination: Examination) -> Integers:
    """Goals with another value than 0."""
    is_goal = examination.searched.is_goal[: examination.states]
    return np.flatnonzero(is_goal & (examination.h != 0))


def overestimates(examination: Examination) -> Integers:
    """States whose value is above the cost of the cheapest way to a goal."""
    return np.flatnonzero(examination.h > examination.exact)


def overestimated_start(examination: Examination) -> Integers:
    """The start, if its value is above the cost of the cheapest plan."""
    start = examination.start
    return np.array([start]) if examination.h[start] > examination.exact[start] else NONE


def wrong_dead_ends(examination: Examination) -> Integers:
    """States with an infinite value from which there is a way to a goal."""
    return np.flatnonzero((examination.h == FAR) & (examination.exact != FAR))


def lost_optimum(examination: Examination) -> Integers:
    """The start, if the preparation of a heuristic leaves out every cheapest plan."""
    start = examination.start
    found = FAR if examination.bound is None else int(examination.searched.distance[start])
    return np.array([start]) if found > examination.exact[start] else NONE


def inconsistent_steps(examination: Examination) -> Integers:
    """Steps over which the value drops by more than they cost."""
    if examination.bound is None:
        return NONE
    searched, h = examination.searched, examination.h
    before, after = np.repeat(h, np.diff(searched.first)), h[searched.target]
    return np.flatnonzero((before > after + searched.cost) & (after != FAR))


def ambiguous_steps(examination: Examination) -> Integers:
    """Steps after which the value, computed from that of the state before, is not that from scratch."""
    if examination.bound is None:
        return NONE
    return np.flatnonzero(examination.along_steps() != examination.h[examination.searched.target])


def dominates(other: Stack) -> Check:
    """Whether a stack is nowhere below another one, in the states where searches with either of them move."""

    def below(examination: Examination) -> Integers:
        if examination.bound is None:
            return NONE
        problem, start = examination.space.problem, examination.start
        try:
            bound = other.prepare(problem)
        except Unsolvable:  # infinite at the start, and searched nowhere else
            return np.array([start]) if examination.h[start] != FAR else NONE
        is_below = examination.h < values(bound, examination.searched.all_states())
        if bound.problem is not problem:
            is_below &= StateSpace(bound.problem).find(examination.searched.all_states()) >= 0
        return np.flatnonzero(is_below)

    return Check(f"dominates {other}", f"h >= that of {other}", "states", below, lambda _: None)


def _admissible(examination: Examination) -> bool | None:
    return examination.stack.admissible


def _implied(examination: Examination) -> bool | None:
    """What is admissible has it; what is not, may have it."""
    return examination.stack.admissible or None


def _consistent(examination: Examination) -> bool | None:
    return examination.stack.consistent


def _always(_: Examination) -> bool:
    return True


PROPERTIES = (
    Check("zero_at_goals", "h = 0 at goals", "states", zero_at_goals, _implied),
    Check("admissible", "h <= h* at every state", "states", overestimates, _admissible),
    Check("admissible_at_start", "h <= h* at the start", "instances", overestimated_start, _implied),
    Check("dead_ends", "h infinite only where h* is", "states", wrong_dead_ends, _implied),
    Check("keeps_optimum", "no preparation loses the cheapest plan", "instances", lost_optimum, _implied),
    Check("consistent", "h <= cost + h' over every step", "steps", inconsistent_steps, _consistent),
    Check("same_value", "a state has one value, however reached", "steps", ambiguous_steps, _always),
)
