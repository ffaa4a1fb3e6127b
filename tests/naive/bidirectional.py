"""Naive bidirectional search: MM (meet in the middle) with dictionaries."""

from __future__ import annotations

import math

from tests.naive.problem import Heuristic, Outcome, State, Successors


def meet_in_the_middle(
    start: State,
    goals: list[State],
    successors: Successors[State],
    predecessors: Successors[State],
    h: Heuristic[State],
    backward_h: Heuristic[State],
    smallest_cost: int,
) -> Outcome:
    """Return status, cost and counts. A node is (state, 0) forward and (state, 1) backward.

    `smallest_cost` is a lower bound of the cost of every step. The priority of a node is
    max(g + h, 2 * g + smallest_cost).
    """
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    roots = [(start, 0), *((goal, 1) for goal in goals)]
    g = dict.fromkeys(roots, 0)
    estimate = {0: h, 1: backward_h}
    value = {node: estimate[node[1]](node[0]) for node in roots}
    closed: set[tuple[State, int]] = set()
    opened: dict[tuple[State, int], int] = {}
    parent: dict[tuple[State, int], tuple[tuple[State, int], int]] = {}
    stamp = 0
    best: float = 0 if start in goals else math.inf
    meeting: tuple[tuple[State, int], ...] = ()
    counts["evaluated"] += len(goals)
    for node in roots:
        if value[node] < math.inf:
            stamp += 1
            opened[node] = stamp

    def priority(node: tuple[State, int]) -> tuple[float, float, int]:
        return max(g[node] + value[node], 2 * g[node] + smallest_cost), value[node], -opened[node]

    while {direction for _, direction in opened} == {0, 1}:
        node = min(opened, key=priority)
        if priority(node)[0] >= best:
            break
        del opened[node]
        closed.add(node)
        state, direction = node
        counts["expanded"] += 1
        waiting: list[tuple[State, int]] = []
        for child, cost in (predecessors if direction else successors)(state):
            counts["generated"] += 1
            new = (child, direction)
            if new not in g:
                counts["evaluated"] += 1
                value[new] = estimate[direction](child)
            elif g[node] + cost >= g[new] or (value[new] == math.inf and new not in waiting):
                continue
            elif new in closed:
                counts["reopened"] += 1
                closed.remove(new)
            g[new] = g[node] + cost
            parent[new] = node, cost
            opened.pop(new, None)
            if new in waiting:
                waiting.remove(new)
            waiting.append(new)
            other = (child, 1 - direction)
            if other in g and g[new] + g[other] < best:
                best, meeting = g[new] + g[other], (new, other)
        for new in waiting:
            if value[new] < math.inf:
                stamp += 1
                opened[new] = stamp

    def path_cost(node: tuple[State, int]) -> int:
        return parent[node][1] + path_cost(parent[node][0]) if node in parent else 0

    if best == math.inf:
        return {"status": "unsolvable", "cost": None, **counts}
    return {"status": "solved", "cost": sum(path_cost(node) for node in meeting), **counts}
