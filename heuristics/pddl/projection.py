"""Projections of a task to some of its variables: the abstract states, their distances to the goal, the costs needed.

An abstract state has the values of the variables of the pattern. Its index is a number whose digits are these values,
the first variable first. An abstract operator is a way back: it has conditions on the state after an operator, and the
difference of the indices before and after it. Operators that are alike in the pattern share one. Source: Sievers,
Ortlieb and Helmert, "Efficient implementation of pattern database heuristics for classical planning", SoCS 2012.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.fact_queue import clear, pop, push, queue_size
from worlds.compile import MAX_COST, as_index, helper, kernel
from worlds.pddl.packing import Packing
from worlds.pddl.search import MAX_APPLICABLE, generator_of, write_applicable
from worlds.pddl.task import Fact, Operator, Task

Pattern = tuple[int, ...]
"""Numbers of variables, in ascending order."""
MAX_STATES = 1 << 28
"""Largest number of abstract states of a pattern that may be allowed."""
INFINITE = MAX_COST + 1
"""Distance of an abstract state from which no goal can be reached; cost of an operator that no plan contains. Finite
distances stop at `MAX_COST`, which keeps them consistent."""
UNNEEDED = np.iinfo(np.int64).min
"""Needed cost of an operator without a transition between states that reach a goal."""

# Layout of `digits`, for each variable of the pattern: the factor of its digit, its number of values, its shift in the
# packed abstract state, its value in the goal or -1.
FACTOR, VALUES, SHIFT, GOAL_VALUE = range(4)
_DIGIT = 4


class _Effect(NamedTuple):
    """Effect on a place of the pattern. It is decided if all of its conditions are on places of the pattern."""

    place: int
    value: int
    conditions: tuple[Fact, ...]
    is_decided: bool


_Rule = tuple[tuple[Fact, ...], tuple[_Effect, ...]]
"""Preconditions and effects of an operator in a pattern. The variables are places of the pattern."""


class Projection:
    """Projection of a task to a pattern.

    Conditional effects whose conditions the abstract state does not decide may or may not happen, those on one variable
    independently of those on others. This adds transitions, so that distances are still admissible.

    Parameters
    ----------
    task : Task
        Task without axioms.
    pattern : tuple of int

    Attributes
    ----------
    states : int
        Number of abstract states.
    """

    def __init__(self, task: Task, pattern: Pattern) -> None:
        self.task, self.pattern = task, pattern
        self._sizes = [len(task.facts[variable]) for variable in pattern]
        self.factors = [prod(self._sizes[:place]) for place in range(len(pattern))]
        self.states = prod(self._sizes)
        self._factors = np.array(self.factors, np.int64)
        members: dict[tuple[tuple[Fact, ...], int], list[int]] = {}
        for rule, numbers in self._rules().items():
            for way_back in self._ways_back(*rule):
                members.setdefault(way_back, []).extend(numbers)
        abstract = [Operator("", conditions, (), 0) for conditions, _ in members]
        packing = Packing(Task(("",) * len(pattern), self._facts, (), (), tuple(abstract)))
        goal = dict(task.goal)
        goals = [goal.get(variable, -1) for variable in pattern]
        shifts = [shift for _, shift, _ in packing.fields]
        self._digits = np.array(list(zip(self.factors, self._sizes, shifts, goals, strict=True)), np.int64).ravel()
        self._generator = generator_of(packing)
        self._differences = np.array([difference for _, difference in members], np.int64)
        self._counts = np.array([len(each) for each in members.values()], np.int64)
        self._starts = np.cumsum(self._counts) - self._counts
        self._members = np.array([number for each in members.values() for number in each], np.int64)
        self._found = np.zeros(max(1, int(self._generator[MAX_APPLICABLE])), np.int32)
        self._word = np.zeros(1, np.uint64)

    @property
    def _facts(self) -> tuple[tuple[str, ...], ...]:
        return tuple(self.task.facts[variable] for variable in self.pattern)

    def indices(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of the abstract state of each state: a row of `states` has the values of all variables."""
        found: NDArray[np.int64] = states[:, self.pattern] @ self._factors
        return found

    def distances(self, costs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the distance of each abstract state to the goal, for a cost of each operator of the task."""
        values = np.empty(self.states + queue_size(self.states), np.int64)
        own = np.minimum.reduceat(costs[self._members], self._starts) if len(self._members) else self._differences
        goal_distances.compiled(
            self.states, self._digits, self._generator, self._differences, own, self._found, self._word, values
        )
        return values[: self.states]

    def needed(self, distances: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the least cost of each operator of the task with which the distances stay as they are.

        It is negative where every transition increases the distance, and `UNNEEDED` where no transition leads from a
        state that reaches a goal to another one.
        """
        own = np.full(len(self._differences), UNNEEDED)
        needed_costs.compiled(
            self.states, self._digits, self._generator, self._differences, self._found, self._word, distances, own
        )
        costs = np.zeros(len(self.task.operators), np.int64)
        costs[self._members] = UNNEEDED
        np.maximum.at(costs, self._members, np.repeat(own, self._counts))
        return costs

    def _rules(self) -> dict[_Rule, list[int]]:
        """Return what operators do in the pattern, and for each such rule the numbers of the operators with it."""
        place_of = {variable: place for place, variable in enumerate(self.pattern)}
        found: dict[_Rule, list[int]] = {}
        for number in sorted({number for variable in self.pattern for number in self.task.changers[variable]}):
            operator = self.task.operators[number]
            effects = tuple(
                _Effect(
                    place_of[effect.variable],
                    effect.value,
                    _within(place_of, effect.conditions),
                    all(variable in place_of for variable, _ in effect.conditions),
                )
                for effect in operator.effects
                if effect.variable in place_of
            )
            found.setdefault((_within(place_of, tuple(sorted(operator.preconditions))), effects), []).append(number)
        return found

    def _ways_back(
        self, conditions: tuple[Fact, ...], effects: tuple[_Effect, ...]
    ) -> Iterator[tuple[tuple[Fact, ...], int]]:
        """Yield the conditions and the difference of each abstract operator of a rule."""
        before: dict[int, Sequence[int]] = {place: (value,) for place, value in conditions}
        for effect in effects:
            for place in (effect.place, *(place for place, _ in effect.conditions)):
                before.setdefault(place, range(self._sizes[place]))
        places = sorted(before)
        for values in product(*(before[place] for place in places)):
            source = dict(zip(places, values, strict=True))
            outcomes = {place: [value] for place, value in source.items()}
            for effect in effects:
                if all(source[place] == value for place, value in effect.conditions):
                    others = [] if effect.is_decided else outcomes[effect.place]
                    outcomes[effect.place] = [*others, effect.value]
            for after in product(*(dict.fromkeys(outcomes[place]) for place in places)):
                moved = zip(places, values, after, strict=True)
                difference = sum(self.factors[place] * (start - end) for place, start, end in moved)
                yield tuple(zip(places, after, strict=True)), difference


def _within(place_of: Mapping[int, int], facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts on variables of a pattern, by their places in it."""
    return tuple([(place_of[variable], value) for variable, value in facts if variable in place_of])


def cost_array(task: Task) -> NDArray[np.int64]:
    """Return the costs of the operators of a task."""
    return np.array([operator.cost for operator in task.operators], np.int64)


@helper
def digit(digits, first, state):
    """Return the value of a variable, whose entry in `digits` has an index, in an abstract state."""
    return (state // digits[first + FACTOR]) % digits[first + VALUES]


@helper
def is_abstract_goal(digits, state):
    """Return whether the goal facts of the pattern hold in an abstract state."""
    for first in range(0, digits.size, _DIGIT):
        value = digits[first + GOAL_VALUE]
        if value >= 0 and digit(digits, first, state) != value:
            return False
    return True


@helper
def write_ways_back(digits, generator, found, word, state):
    """Write the abstract operators that lead to an abstract state to `found`, and return how many there are."""
    packed = np.uint64(0)
    for first in range(0, digits.size, _DIGIT):
        packed |= np.uint64(digit(digits, first, state)) << np.uint64(digits[first + SHIFT])
    word[0] = packed
    return as_index(write_applicable(generator, word, 0, found, 0))


@kernel("int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], uint64[::1], int64[::1])")
def goal_distances(states, digits, generator, differences, costs, found, word, values):
    """Write the distances of all abstract states to `values`, by Dijkstra's algorithm. After them is a queue."""
    queue = as_index(states)
    clear(values, queue, states)
    for state in range(states):
        values[state] = INFINITE
        if is_abstract_goal(digits, state):
            values[state] = 0
            push(values, queue, states, state, np.int64(0))
    while True:
        state = pop(values, queue, states, np.int64(0))
        if state < 0:
            return 0
        distance = values[state]
        for k in range(write_ways_back(digits, generator, found, word, state)):
            if costs[found[k]] >= INFINITE:
                continue
            before = as_index(state + differences[found[k]])
            total = min(distance + costs[found[k]], MAX_COST)
            if total < values[before]:
                values[before] = total
                push(values, queue, states, before, total)


@kernel("int64(int64, int64[::1], int64[::1], int64[::1], int32[::1], uint64[::1], int64[::1], int64[::1])")
def needed_costs(states, digits, generator, differences, found, word, distances, needed):
    """Raise `needed` of each abstract operator to the largest decrease of the distance by one of its transitions."""
    for state in range(states):
        distance = distances[state]
        if distance >= INFINITE:
            continue
        for k in range(write_ways_back(digits, generator, found, word, state)):
            before = distances[as_index(state + differences[found[k]])]
            if before < INFINITE:
                needed[found[k]] = max(needed[found[k]], before - distance)
    return 0
