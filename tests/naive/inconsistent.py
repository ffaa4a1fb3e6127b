"""Naive A* with the rules for inconsistent heuristics: the whole open list is looked through for the next node."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from tests.naive.problem import OLDEST_FIRST, tie_of

Steps = Callable[[str], Iterable[tuple[str, float]]]


def search(
    start: str, steps: Steps, is_goal: Callable[[str], bool], h: Callable[[str], float], rule: str, ties: str
) -> list[str]:
    """Return the expanded nodes in their order, and last the goal, if it is reached."""
    step = 1 if ties in OLDEST_FIRST else -1
    g, value, age = {start: 0.0}, {start: h(start)}, {start: 0}
    is_open, order, largest, clock = {start}, list[str](), -math.inf, 0
    while is_open:
        below = [node for node in is_open if g[node] + value[node] < largest] if rule == "b" else []
        if below:
            node = min(below, key=lambda each: (g[each], step * age[each]))
        else:
            node = min(is_open, key=lambda each: (g[each] + value[each], tie_of(ties, value[each]), step * age[each]))
        if g[node] + value[node] == math.inf:
            break
        order.append(node)
        if is_goal(node):
            break
        largest = max(largest, g[node] + value[node])
        is_open.remove(node)
        children = {child: max(value.get(child, 0), h(child)) for child, _ in steps(node)}
        if rule == "bpmx":
            back = [children[child] - cost for child in children for to, cost in steps(child) if to == node]
            value[node] = max([value[node], *back])
        for child, cost in steps(node):
            estimate = children[child] if rule == "b" else max(children[child], value[node] - cost)
            raised, cheaper = estimate > value.get(child, -1), g[node] + cost < g.get(child, math.inf)
            value[child] = max(estimate, value.get(child, -1))
            if cheaper:
                g[child] = g[node] + cost
                is_open.add(child)
            if cheaper or (raised and child in is_open):
                clock += 1
                age[child] = clock
    return order
