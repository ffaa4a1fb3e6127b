"""Landmark counts: how many facts every plan from a state must still make true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, PREFERRED, TERM, UNREACHABLE, Term
from heuristics.pddl.cost_type import CostTyped
from heuristics.pddl.facts import first_facts, joined, task_of
from heuristics.pddl.landmark_extraction import landmarks_of
from heuristics.pddl.landmark_labels import (
    ACHIEVED,
    HOLDS,
    LABEL_BITS,
    LABEL_WORDS,
    MISSING,
    STATUS,
    SUCCESSORS,
    VALUES,
    WORDS,
    Landmark,
    find_missing,
    relaxation_of,
    set_landmarks,
    with_labels,
)
from heuristics.pddl.preferred import applicable_operators, successor_table
from heuristics.pddl.relaxation import UnaryOperator, unary_operators
from worlds.compile import MAX_COST, as_index, helper, kernel, trailing_zeros
from worlds.interface import Problem


@HEURISTICS.register("landmark_count", domain="pddl")
@dataclass(frozen=True)
class LandmarkCount(CostTyped):
    """Number of landmarks that every plan from a state must still make true, or the sum of their costs.

    A landmark is a fact, or a set of up to four facts, without which the goal cannot be reached in the delete
    relaxation. Landmarks of the start count that must still become true from the state, also those that were true
    before. The value depends on the state alone, not on the path to it as in LAMA. Not admissible: an operator may make
    several landmarks true. Sources: Zhu and Givan, "Landmark extraction via planning graph propagation", doctoral
    consortium of ICAPS 2003; Richter and Westphal, "The LAMA planner", JAIR 39, 2010.

    Attributes
    ----------
    prefers_ : bool
        Whether the operators that make a landmark true are preferred.
    """

    admissible = False
    consistent = False
    safe = True

    prefers_: bool = True

    @property
    def prefers(self) -> bool:
        """Whether operators that make a landmark true are preferred."""
        return self.prefers_

    def term(self, problem: Problem) -> Term:
        """Find the landmarks of the start, and bind to the delete relaxation."""
        task = task_of(problem, self.cost_type)
        unary = unary_operators(task)
        relaxation = relaxation_of(task, unary)
        landmarks = landmarks_of(task, unary, relaxation, problem.initial)
        values = [1] * len(landmarks) if self.cost_type == "one" else costs_of(landmarks, unary)
        params = with_achievers(with_labels(relaxation, values), problem, landmarks)
        set_landmarks(params, landmarks)
        return Term(landmark_count, params, preferred=prefer_achievers if self.prefers else None)


def costs_of(landmarks: Sequence[Landmark], unary: Sequence[UnaryOperator]) -> list[int]:
    """Return the cost of the cheapest operator that makes each landmark true; 0 if there is none."""
    least: dict[int, int] = {}
    for each in unary:
        least[each.effect] = min(each.cost, least.get(each.effect, each.cost))
    return [min((least[fact] for fact in landmark if fact in least), default=0) for landmark in landmarks]


def with_achievers(params: NDArray[np.int64], problem: Problem, landmarks: Sequence[Landmark]) -> NDArray[np.int64]:
    """Return params that have what `prefer_achievers` needs."""
    task = task_of(problem)
    first = first_facts(task)
    numbers_of: dict[int, list[int]] = {}
    for number, landmark in enumerate(landmarks):
        for fact in landmark:
            numbers_of.setdefault(fact, []).append(number)
    achieved: list[list[int]] = []
    for operator in task.operators:
        achieved.append([])
        for effect in operator.effects:
            for number in numbers_of.get(first[effect.variable] + effect.value, ()):
                conditions = [first[variable] + value for variable, value in effect.conditions]
                achieved[-1] += [number, len(conditions), *conditions]
    tables: dict[int, Iterable[int]] = {
        ACHIEVED: list(chain.from_iterable(achieved)),
        SUCCESSORS: successor_table(problem),
    }
    return joined(params, tables, {ACHIEVED: list(map(len, achieved))})


@helper
def value_of_missing(params):
    """Return what the landmarks that `find_missing` has found count together."""
    missing, values = as_index(params[MISSING]), as_index(params[VALUES])
    total = 0
    for word in range(as_index(params[LABEL_WORDS])):
        left = np.uint64(params[missing + word])
        while left != 0:
            number = as_index(LABEL_BITS * word + trailing_zeros(left))
            total = min(total + params[values + number], MAX_COST)
            left &= left - np.uint64(1)
    return total


@kernel(TERM)
def landmark_count(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Compute the labels of facts from each state, and count the landmarks of the goal that do not hold."""
    for k in range(n):
        if find_missing(params, out, out_at + k * params[WORDS]):
            h[slot + k] += value_of_missing(params)
        else:
            h[slot + k] += UNREACHABLE
    return 0


@helper
def is_achiever(params, operator):
    """Return whether an applicable operator has an effect that is one of the missing landmarks."""
    status, missing, achieved = as_index(params[STATUS]), as_index(params[MISSING]), as_index(params[ACHIEVED])
    place, end = as_index(params[achieved + operator]), params[achieved + operator + 1]
    while place < end:
        number = params[place]
        conditions = as_index(place + 2)
        place = as_index(conditions + params[place + 1])
        happens = params[missing + number // LABEL_BITS] >> (number % LABEL_BITS) & 1 == 1
        for i in range(conditions, place):
            happens &= params[status + as_index(params[i])] & HOLDS != 0
        if happens:
            return True
    return False


@kernel(PREFERRED)
def prefer_achievers(params, states, at, marks, slot):
    """Mark the successors by operators that make a missing landmark true.

    Such a landmark needs no other one: all conditions of the operator hold.
    """
    if not find_missing(params, states, at):
        return 0
    first, n = applicable_operators(params, as_index(params[SUCCESSORS]), states, at)
    for k in range(n):
        if is_achiever(params, as_index(params[first + k])):
            marks[slot + k] = 1
    return min(n, 0)
