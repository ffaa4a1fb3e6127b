"""Enumeration of plans by their costs: all that are loopless, or the cheapest ones with loops."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Hashable
from itertools import count

Steps = Callable[[Hashable], list[tuple[str, Hashable, int]]]
"""Returns the steps from a state as (name, successor, cost)."""
IsGoal = Callable[[Hashable], bool]


def loopless_costs(start: Hashable, steps: Steps, is_goal: IsGoal) -> list[int]:
    """Return the costs of all plans in which no state occurs twice, in rising order. A plan ends at its first goal."""

    def costs_from(path: list[Hashable], g: int) -> list[int]:
        if is_goal(path[-1]):
            return [g]
        found = []
        for _, after, cost in steps(path[-1]):
            if after not in path:
                found += costs_from([*path, after], g + cost)
        return found

    return sorted(costs_from([start], 0))


def cheapest_costs(start: Hashable, steps: Steps, is_goal: IsGoal, h_star: dict[int, float], k: int) -> list[int]:
    """Return the costs of the k cheapest plans, which may have loops. A plan ends at its first goal.

    All beginnings of plans are expanded, those of the cheapest plans first. Of these the shortest are first, because
    there are infinitely many of the same cost on a cycle of cost 0.
    """
    found: list[int] = []
    numbers = count()
    queue = [(h_star.get(start, math.inf), 0, next(numbers), 0, start)]
    while queue and len(found) < k:
        f, length, _, g, state = heapq.heappop(queue)
        if f == math.inf:
            break
        if is_goal(state):
            found.append(g)
            continue
        for _, after, cost in steps(state):
            f = g + cost + h_star.get(after, math.inf)
            heapq.heappush(queue, (f, length + 1, next(numbers), g + cost, after))
    return found
