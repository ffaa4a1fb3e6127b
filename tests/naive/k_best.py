"""Enumeration of plans by their costs: all that are loopless, or the cheapest ones with loops."""

from __future__ import annotations

import heapq
import math
from itertools import count

from tests.naive.problem import Heuristic, IsGoal, State, Successors


def loopless_costs(start: State, successors: Successors[State], is_goal: IsGoal[State]) -> list[int]:
    """Return the costs of all plans in which no state occurs twice, in rising order. A plan ends at its first goal."""

    def costs_from(path: list[State], g: int) -> list[int]:
        if is_goal(path[-1]):
            return [g]
        found = []
        for after, cost in successors(path[-1]):
            if after not in path:
                found += costs_from([*path, after], g + cost)
        return found

    return sorted(costs_from([start], 0))


def cheapest_costs(
    start: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], k: int
) -> list[int]:
    """Return the costs of the k cheapest plans, which may have loops. A plan ends at its first goal.

    All beginnings of plans are expanded, in the order of f, for an admissible h. Of the same f the shortest is first,
    because a cycle of cost 0 has infinitely many; if there is one, h must be infinite at all dead ends.
    """
    found: list[int] = []
    numbers = count()
    queue = [(h(start), 0, next(numbers), 0, start)]
    while queue and len(found) < k:
        f, length, _, g, state = heapq.heappop(queue)
        if f == math.inf:
            break
        if is_goal(state):
            found.append(g)
            continue
        for after, cost in successors(state):
            heapq.heappush(queue, (g + cost + h(after), length + 1, next(numbers), g + cost, after))
    return found
