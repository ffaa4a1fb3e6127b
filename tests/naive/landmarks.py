"""Landmarks of planning tasks from their definition: sets of facts without which the goal cannot be reached."""

from __future__ import annotations

import math
from collections.abc import Collection

from tests.naive.planning import steps_of
from worlds.pddl import rules
from worlds.pddl.task import CostMode, Fact, Task, Values

Landmark = frozenset[Fact]


def is_reached(task: Task, values: Values, without: Collection[Fact] = ()) -> bool:
    """Return whether the delete relaxation reaches the goal from a state, if some facts can never be true."""
    steps = [(needed, effect) for needed, effect, *_ in steps_of(task) if effect not in without]
    reached = set(enumerate(values)) - set(without)
    size = -1
    while size < len(reached):
        size = len(reached)
        reached |= {effect for needed, effect in steps if needed <= reached}
    return reached.issuperset(task.goal)


def single_landmarks(task: Task) -> set[Landmark]:
    """Return the facts that are landmarks of the start; the goal facts if the goal cannot be reached."""
    if not is_reached(task, task.initial):
        return {frozenset([fact]) for fact in task.goal}
    facts = [(variable, value) for variable, names in enumerate(task.facts) for value in range(len(names))]
    return {frozenset([fact]) for fact in facts if not is_reached(task, task.initial, [fact])}


def missing(task: Task, known: set[Landmark], values: Values) -> set[Landmark]:
    """Return the known landmarks with a fact that does not hold and must become true."""
    left = {landmark: landmark - set(enumerate(values)) for landmark in known}
    return {landmark for landmark, facts in left.items() if facts and not is_reached(task, values, facts)}


def landmark_count(task: Task, known: set[Landmark], values: Values, cost_type: CostMode = "normal") -> float:
    if not is_reached(task, values):
        return math.inf
    steps = steps_of(task.with_costs(cost_type))
    return sum(
        1 if cost_type == "one" else min(cost for needed, fact, cost, _ in steps if fact in landmark - needed)
        for landmark in missing(task, known, values)
    )


def achievers(task: Task, known: set[Landmark], values: Values) -> list[int]:
    """Return the places of the successors by operators that make a fact of a missing landmark true."""
    if not is_reached(task, values):
        return []
    true = set(enumerate(values))
    wanted = set().union(*missing(task, known, values))
    return [
        place
        for place, (operator, _) in enumerate(rules.successors(task, values))
        if any((each.variable, each.value) in wanted and true.issuperset(each.conditions) for each in operator.effects)
    ]
