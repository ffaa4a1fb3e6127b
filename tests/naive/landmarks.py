"""Landmarks of planning tasks from their definition: facts without which the goal cannot be reached."""

from __future__ import annotations

import math
from functools import cache

from tests.naive.planning import steps_of
from worlds.pddl import rules
from worlds.pddl.task import CostMode, Fact, Task, Values


def is_reached(task: Task, values: Values, without: Fact | None = None) -> bool:
    """Return whether the delete relaxation reaches the goal from a state, if one fact can never be true."""
    reached = set(enumerate(values)) - {without}
    size = -1
    while size < len(reached):
        size = len(reached)
        reached |= {effect for needed, effect, *_ in steps_of(task) if needed <= reached and effect != without}
    return reached.issuperset(task.goal)


@cache
def landmarks_of_start(task: Task) -> set[Fact]:
    """Return the landmarks of the start; the goal facts if the goal cannot be reached."""
    if not is_reached(task, task.initial):
        return set(task.goal)
    facts = [(variable, value) for variable, names in enumerate(task.facts) for value in range(len(names))]
    return {fact for fact in facts if not is_reached(task, task.initial, fact)}


def missing(task: Task, values: Values) -> set[Fact]:
    """Return the landmarks of the start that do not hold in a state, without which it cannot reach the goal."""
    known = landmarks_of_start(task) - set(enumerate(values))
    return {fact for fact in known if not is_reached(task, values, fact)}


def landmark_count(task: Task, values: Values, cost_type: CostMode = "normal") -> float:
    if not is_reached(task, values):
        return math.inf
    steps = steps_of(task.with_costs(cost_type))
    return sum(
        1 if cost_type == "one" else min(step[2] for step in steps if step[1] == fact and fact not in step[0])
        for fact in missing(task, values)
    )


def achievers(task: Task, values: Values) -> list[int]:
    """Return the places of the successors by operators of which an effect is a landmark that does not hold."""
    if not is_reached(task, values):
        return []
    wanted = missing(task, values)
    return [
        place
        for place, (operator, _) in enumerate(rules.successors(task, values))
        if any(
            (each.variable, each.value) in wanted and set(each.conditions) <= set(enumerate(values))
            for each in operator.effects
        )
    ]
