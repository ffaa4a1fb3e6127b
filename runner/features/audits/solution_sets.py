"""References for sets of plans of a small instance: its Pareto front, and the plans below a cost.

The front is found by a label-correcting search in the rules alone, which shares no code with searches. A label is a
path to a state. It is dropped if another path to the state costs no more in any objective.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from algorithms.spaces import StateSpace
from runner.base import scalar_text
from worlds.interface import State, World

Costs = tuple[float, ...]
Front = Mapping[Costs, tuple[str, ...]]
"""Vectors of costs, each with a plan that has them."""
MAX_LABELS = 200_000
_GOALS = object()
"""Stands for all goals: what dominates a path to one goal may lead to another."""


def pareto_front(world: World) -> Front | None:
    """Return the vectors of costs that no plan dominates, each with a plan; None if that takes too many labels.

    Parameters
    ----------
    world : World
        World with `cost_vectors`. The start of a path needs no vector, and its goal no steps, because costs are at
        least 0.
    """
    vectors = world.cost_vectors
    assert vectors is not None
    start = world.initial()
    if world.is_goal(start):
        return {vectors.cost_vector(()): ()}
    best: dict[State, dict[Costs, tuple[str, ...]]] = {_GOALS: {}}
    waiting: deque[tuple[State, Costs, tuple[str, ...]]] = deque([(start, (), ())])
    labels = 0
    while waiting:
        state, costs, plan = waiting.popleft()
        if plan and best[state].get(costs) != plan:  # dominated in the meantime
            continue
        for action, successor, _ in world.successors(state):
            if successor == start:
                continue
            place = _GOALS if world.is_goal(successor) else successor
            longer = (*plan, str(action))
            costs = vectors.cost_vector(longer)
            known = best.setdefault(place, {})
            if covering(known, costs) is not None:
                continue
            best[place] = {each: path for each, path in known.items() if not _is_no_more(costs, each)}
            best[place][costs] = longer
            if place is not _GOALS:
                waiting.append((successor, costs, longer))
            labels += 1
            if labels > MAX_LABELS:
                return None
    return best[_GOALS]


def cheaper_plans(space: StateSpace, start: int, cost: int) -> list[tuple[int, list[int]]] | None:
    """Return the cost and the codes of each plan without loops below a cost; None if that takes too many labels."""
    codes = space.action_codes()
    found: list[tuple[int, list[int]]] = []
    waiting: list[tuple[int, int, list[int], frozenset[int]]] = [(start, 0, [], frozenset({start}))]
    labels = 0
    while waiting:
        state, spent, path, visited = waiting.pop()
        if space.is_goal[state]:
            found.append((spent, path))
            continue
        for step in range(*space.first[state : state + 2].tolist()):
            successor, total = int(space.target[step]), spent + int(space.cost[step])
            if successor not in visited and total + int(space.distance[successor]) < cost:
                waiting.append((successor, total, [*path, int(codes[step])], visited | {successor}))
                labels += 1
        if labels > MAX_LABELS:
            return None
    return sorted(found)


def covering(vectors: Iterable[Costs], costs: Costs, factor: float = 1.0) -> Costs | None:
    """Return the first vector that is in no objective more than some costs times a factor; None if there is none."""
    limit = [factor * cost for cost in costs]
    return next((each for each in vectors if len(each) == len(limit) and _is_no_more(each, limit)), None)


def _is_no_more(costs: Sequence[float], others: Sequence[float]) -> bool:
    return all(map(operator.le, costs, others))


def costs_text(costs: Sequence[float]) -> str:
    """Return a vector of costs as messages show it."""
    return f"({', '.join(map(scalar_text, costs))})"
