"""MM with dicts and one sorted list."""

from __future__ import annotations

import math


def meet_in_the_middle(start, goals, successors, predecessors, h, backward_h, slack: int) -> dict[str, object]:
    """Status, cost and counts."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    roots = [(start, 0), *((goal, 1) for goal in goals)]
    g = dict.fromkeys(roots, 0)
    estimate = {0: h, 1: backward_h}
    value = {node: estimate[node[1]](node[0]) for node in roots}
    closed, opened, stamp = set(), {}, 0
    best = 0 if start in goals else math.inf
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
            opened.pop(new, None)
            if new in waiting:
                waiting.remove(new)
            waiting.append(new)
            other = (child, 1 - direction)
            if other in g:
                best = min(best, g[new] + g[other])
        for new in waiting:
            if value[new] < math.inf:
                stamp += 1
                opened[new] = stamp
    status, cost = ("unsolvable", None) if best == math.inf else ("solved", best)
    return {"status": status, "cost": cost, **counts}
