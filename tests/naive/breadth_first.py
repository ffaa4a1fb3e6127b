"""Breadth-first and beam search with dicts."""

from __future__ import annotations

import math
from collections import deque


def breadth_first(initial, successors, is_goal, early: bool) -> dict[str, object]:
    """Return status, cost and counts."""
    cost, queue, expanded, generated = {initial: 0}, deque([initial]), 0, 0
    if early and is_goal(initial):
        return {"status": "solved", "cost": 0, "expanded": 0, "generated": 0}
    while queue:
        state = queue.popleft()
        if not early and is_goal(state):
            return {"status": "solved", "cost": cost[state], "expanded": expanded, "generated": generated}
        expanded += 1
        found = None
        for successor, step in successors(state):
            generated += 1
            if successor not in cost:
                cost[successor] = cost[state] + step
                queue.append(successor)
                if early and found is None and is_goal(successor):
                    found = successor
        if found is not None:
            return {"status": "solved", "cost": cost[found], "expanded": expanded, "generated": generated}
    return {"status": "unsolvable", "cost": None, "expanded": expanded, "generated": generated}


def beam(initial, successors, is_goal, h, width: int, order: str) -> dict[str, object]:
    """Return status, cost and counts."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "iterations": 1}
    if is_goal(initial):
        return {"status": "solved", "cost": 0, **counts}
    layer, seen, dropped = [] if h(initial) == math.inf else [(initial, 0)], {initial}, False
    while True:
        candidates: dict[object, int] = {}
        value = {}
        for state, g in layer:
            counts["expanded"] += 1
            found = None
            for successor, step in successors(state):
                counts["generated"] += 1
                if successor in seen:
                    continue
                if successor not in candidates:
                    counts["evaluated"] += 1
                    value[successor] = h(successor)
                    candidates[successor] = g + step
                    if found is None and is_goal(successor):
                        found = successor
                candidates[successor] = min(candidates[successor], g + step)
            if found is not None:
                return {"status": "solved", "cost": candidates[found], **counts}
        alive = [state for state in candidates if value[state] < math.inf]
        alive.sort(key=lambda state: value[state] + (candidates[state] if order == "f" else 0))
        dropped = dropped or len(alive) > width
        layer = [(state, candidates[state]) for state in alive[:width]]
        if not layer:
            return {"status": "cutoff" if dropped else "unsolvable", "cost": None, **counts}
        seen.update(state for state, _ in layer)
        counts["iterations"] += 1
