"""Projections of planning tasks by their definition: all states and steps, with the other variables left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, product

from worlds.pddl import rules
from worlds.pddl.task import Task, Values

Step = tuple[Values, int, Values]
"""Abstract state, number of the operator, and abstract state after it."""


class NaiveProjection:
    """Abstract states, goals and steps of a projection."""

    def __init__(self, task: Task, pattern: Sequence[int]) -> None:
        self.pattern = pattern
        self.goals = {self.of(state) for state in states_of(task) if rules.is_goal(task, state)}
        self.steps = {
            (self.of(state), number, self.of(rules.apply(operator, state)))
            for state in states_of(task)
            for number, operator in enumerate(task.operators)
            if rules.is_applicable(operator, state)
        }

    def of(self, values: Values) -> Values:
        """Return the abstract state of a state."""
        return tuple(values[variable] for variable in self.pattern)

    def distances(self, costs: Sequence[float]) -> dict[Values, float]:
        """Return the distance of each abstract state that reaches a goal: repeat all steps until nothing changes."""
        found: dict[Values, float] = dict.fromkeys(self.goals, 0)
        changed = True
        while changed:
            changed = False
            for before, number, after in self.steps:
                total = costs[number] + found.get(after, math.inf)
                if total < found.get(before, math.inf):
                    found[before], changed = total, True
        return found


def states_of(task: Task) -> Iterator[Values]:
    """Yield all states of a task, reachable or not."""
    return product(*(range(len(facts)) for facts in task.facts))


def are_additive(task: Task, patterns: Iterable[Sequence[int]]) -> bool:
    """Return whether no operator changes variables of two patterns."""
    return all(
        sum(any(effect.variable in pattern for effect in operator.effects) for pattern in patterns) <= 1
        for operator in task.operators
    )


def canonical(task: Task, patterns: Sequence[Sequence[int]], values: Values) -> float:
    """Return the largest sum of the distances of additive patterns."""
    found = []
    for pattern in patterns:
        projection, distances = _with_distances(task, tuple(pattern))
        found.append(distances.get(projection.of(values), math.inf))
    return max(
        sum(found[number] for number in subset) for subset in _additive_subsets(task, tuple(map(tuple, patterns)))
    )


@lru_cache(maxsize=64)
def _with_distances(task: Task, pattern: tuple[int, ...]) -> tuple[NaiveProjection, Mapping[Values, float]]:
    projection = NaiveProjection(task, pattern)
    return projection, projection.distances([operator.cost for operator in task.operators])


@lru_cache(maxsize=64)
def _additive_subsets(task: Task, patterns: tuple[tuple[int, ...], ...]) -> list[tuple[int, ...]]:
    numbers = range(len(patterns))
    subsets = chain.from_iterable(combinations(numbers, size) for size in range(len(patterns) + 1))
    return [subset for subset in subsets if are_additive(task, [patterns[number] for number in subset])]


def climbed(
    task: Task, samples_of: Callable[[Sequence[tuple[int, ...]]], Sequence[Values]], most_states: int
) -> list[tuple[int, ...]]:
    """Return the patterns that hill climbing finds. `samples_of` returns the samples of the step of a collection."""
    goals = {variable for variable, _ in task.goal}
    arcs = {
        (variable, effect.variable)
        for operator in task.operators
        for effect in operator.effects
        for variable, _ in (*operator.preconditions, *effect.conditions)
    }
    collection: list[tuple[int, ...]] = [(variable,) for variable in sorted(goals)]
    while True:
        candidates: dict[tuple[int, ...], int] = {}
        samples = samples_of(collection)
        for pattern in collection:
            for new in range(len(task.names)):
                is_near = any((new, each) in arcs or (new in goals and (each, new) in arcs) for each in pattern)
                larger = tuple(sorted({*pattern, new}))
                if is_near and larger not in collection and _abstract_states(task, larger) <= most_states:
                    both = [*collection, larger]
                    raised = [canonical(task, both, each) > canonical(task, collection, each) for each in samples]
                    candidates[larger] = sum(raised)
        most = max(candidates.values(), default=0)
        if most == 0:
            return collection
        collection.append(next(pattern for pattern, raised in candidates.items() if raised == most))


def _abstract_states(task: Task, pattern: Sequence[int]) -> int:
    return math.prod(len(task.facts[variable]) for variable in pattern)


def partitioned(task: Task, projections: Iterable[NaiveProjection], values: Values) -> float:
    """Return the sum of the distances of projections in their order, each with the costs that those before leave."""
    costs: list[float] = [operator.cost for operator in task.operators]
    total = 0.0
    for projection in projections:
        distances = projection.distances(costs)
        total += distances.get(projection.of(values), math.inf)
        if any(distances.get(state, math.inf) for state, _, _ in projection.steps):
            costs = [cost - _needed(task, projection, distances, each) for each, cost in enumerate(costs)]
    return total


def _needed(task: Task, projection: NaiveProjection, distances: Mapping[Values, float], number: int) -> float:
    """Return the largest decrease of the distance by an operator; 0 if it changes no variable of the pattern."""
    if not any(effect.variable in projection.pattern for effect in task.operators[number].effects):
        return 0
    return max(
        (
            distances[before] - distances[after]
            for before, each, after in projection.steps
            if each == number and before in distances and after in distances
        ),
        default=-math.inf,
    )
