"""Naive breadth-first search and beam search with dictionaries."""

from __future__ import annotations

import math
from collections import deque

from tests.naive.problem import Heuristic, IsGoal, Outcome, State, Successors


def breadth_first(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    goal_at_generation: bool,
    depth_limit: float = math.inf,
) -> Outcome:
    """Return status, cost and counts. States are tested when they are generated, or else when they are expanded."""
    cost, queue, expanded, generated = {initial: 0}, deque([initial]), 0, 0
    depth = {initial: 0}
    if goal_at_generation and is_goal(initial):
        return {"status": "solved", "cost": 0, "expanded": 0, "generated": 0}
    while queue:
        state = queue.popleft()
        if not goal_at_generation and is_goal(state):
            return {"status": "solved", "cost": cost[state], "expanded": expanded, "generated": generated}
        if depth[state] == depth_limit:
            continue
        expanded += 1
        found = None
        for successor, step in successors(state):
            generated += 1
            if successor not in cost:
                cost[successor], depth[successor] = cost[state] + step, depth[state] + 1
                queue.append(successor)
                if goal_at_generation and found is None and is_goal(successor):
                    found = successor
        if found is not None:
            return {"status": "solved", "cost": cost[found], "expanded": expanded, "generated": generated}
    status = "cutoff" if depth_limit in depth.values() else "unsolvable"
    return {"status": status, "cost": None, "expanded": expanded, "generated": generated}


def beam(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    width: int,
    order: str,
) -> Outcome:
    """Return status, cost and counts. `order` is "f" or "h"."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "iterations": 1}
    if is_goal(initial):
        return {"status": "solved", "cost": 0, **counts}
    layer, seen, dropped = [] if h(initial) == math.inf else [(initial, 0)], {initial}, False
    while True:
        candidates: dict[State, int] = {}
        value: dict[State, float] = {}
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
