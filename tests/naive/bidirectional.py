"""MM (meet in the middle) with dicts."""

from __future__ import annotations

import math


def meet_in_the_middle(start, goals, successors, predecessors, h, backward_h, slack: int) -> dict[str, object]:
    """Return status, cost and counts."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    roots = [(start, 0), *((goal, 1) for goal in goals)]
    g = dict.fromkeys(roots, 0)
    estimate = {0: h, 1: backward_h}
    value = {node: estimate[node[1]](node[0]) for node in roots}
    closed, opened, stamp, parent = set(), {}, 0, {}
    best, meeting = (0, None) if start in goals else (math.inf, None)
    counts["evaluated"] += len(goals)
    for node in roots:
        if value[node] < math.inf:
            stamp += 1
            opened[node] = stamp

    def priority(node):
        return max(g[node] + value[node], 2 * g[node] + slack), value[node], -opened[node]

    while {direction for _, direction in opened} == {0, 1}:
        node = min(opened, key=priority)
        if priority(node)[0] >= best:
            break
        del opened[node]
        closed.add(node)
        state, direction = node
        counts["expanded"] += 1
        waiting = []
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

    def path_cost(node) -> int:
        return parent[node][1] + path_cost(parent[node][0]) if node in parent else 0

    solution = sum(path_cost(node) for node in meeting or ())
    status, cost = ("unsolvable", None) if best == math.inf else ("solved", solution)
    return {"status": status, "cost": cost, **counts}
