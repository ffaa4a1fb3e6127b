"""Best-first search with a dict and heapq: the slow, obvious twin of the compiled engine."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable


def best_first(
    initial: int,
    successors: Callable[[int], list[tuple[int, int]]],
    is_goal: Callable[[int], bool],
    h: Callable[[int], float],
    weight_g: float,
    weight_h: float,
    ties: str,
    reopen: bool,
) -> dict[str, object]:
    """Status, cost and counts of a best-first search."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, value, closed, current, pushes = {initial: 0}, {initial: h(initial)}, set(), {}, 0
    queue: list[tuple[float, float, int, int]] = []

    def push(state: int) -> None:
        nonlocal pushes
        pushes += 1
        tie = {"low_h": value[state], "high_h": -value[state], "fifo": 0, "lifo": 0}[ties]
        order = pushes if ties == "fifo" else -pushes
        current[state] = order
        heapq.heappush(queue, (weight_g * g[state] + weight_h * value[state], tie, order, state))

    if value[initial] < math.inf:
        push(initial)
    while queue:
        _, _, order, state = heapq.heappop(queue)
        if state in closed or current[state] != order:
            continue
        if is_goal(state):
            return {"status": "solved", "cost": g[state], **counts}
        closed.add(state)
        counts["expanded"] += 1
        for successor, cost in successors(state):
            counts["generated"] += 1
            if successor not in value:
                counts["evaluated"] += 1
                value[successor] = h(successor)
            elif g[state] + cost >= g[successor]:
                continue
            elif successor in closed:
                if not reopen:
                    continue
                counts["reopened"] += 1
                closed.remove(successor)
            g[successor] = g[state] + cost
            if value[successor] < math.inf:
                push(successor)
    return {"status": "unsolvable", "cost": None, **counts}
