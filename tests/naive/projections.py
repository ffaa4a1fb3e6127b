"""Projections of planning tasks by their definition: all states and steps, with the other variables left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

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
    costs, found = [operator.cost for operator in task.operators], dict[int, float]()
    for number, pattern in enumerate(patterns):
        projection = NaiveProjection(task, pattern)
        found[number] = projection.distances(costs).get(projection.of(values), math.inf)
    return max(
        sum(found[number] for number in subset)
        for size in range(len(patterns) + 1)
        for subset in combinations(range(len(patterns)), size)
        if are_additive(task, [patterns[number] for number in subset])
    )


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
