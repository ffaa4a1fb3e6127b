"""Naive bidirectional search with dictionaries: MM with a fraction, BAE*, NBS and DVCBS."""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal

from tests.naive.problem import Heuristic, Outcome, State, Successors

Node = tuple[State, int]
"""A state, and 0 forward or 1 backward."""


def bidirectional(
    start: State,
    goals: list[State],
    successors: Successors[State],
    predecessors: Successors[State],
    h: Heuristic[State],
    backward_h: Heuristic[State],
    smallest_cost: int,
    rule: Literal["mm", "bae", "nbs", "dvcbs"],
    fraction: float = 0.5,
    side: str = "alternate",
    *,
    drops_closed: bool = False,
) -> Outcome:
    """Return status, cost, counts, and as "before" the expansions before the last layer.

    `smallest_cost` is a lower bound of the cost of every step. Each rule is as in the docstring of its algorithm. With
    `drops_closed`, nodes that the other direction has closed are not expanded.
    """
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    roots = [(start, 0), *((goal, 1) for goal in goals)]
    g: dict[Node[State], int] = dict.fromkeys(roots, 0)
    closed: set[Node[State]] = set()
    opened: dict[Node[State], int] = {}
    ready: set[Node[State]] = set()
    parent: dict[Node[State], tuple[Node[State], int]] = {}
    stamp = 0
    best: float = 0 if start in goals else math.inf
    meeting: tuple[Node[State], ...] = ()
    bounds: list[tuple[Node[State], float]] = []  # what was expanded at which lower bound

    def value_of(node: Node[State]) -> float:
        """Return h; for BAE* the difference of both values."""
        state, direction = node
        own, other = (h, backward_h) if direction == 0 else (backward_h, h)
        if rule != "bae":
            return own(state)
        if math.inf in (own(state), other(state)):
            return math.inf
        is_root = node in roots or state in (goals if direction == 0 else [start])
        return max(own(state), 0 if is_root else smallest_cost) - other(state)

    def put(node: Node[State]) -> None:
        nonlocal stamp
        if value[node] < math.inf:
            stamp += 1
            opened[node] = stamp

    def mm_key(node: Node[State]) -> tuple[float, float, int]:
        factor = 1 / (fraction if node[1] == 0 else 1 - fraction)
        return max(g[node] + value[node], factor * g[node] + smallest_cost), value[node], -opened[node]

    def b_key(node: Node[State]) -> tuple[float, float, int]:
        return 2 * g[node] + value[node], value[node], -opened[node]

    def f_key(node: Node[State]) -> tuple[float, float, int]:
        return g[node] + value[node], value[node], -opened[node]

    def g_key(node: Node[State]) -> tuple[float, float, int]:
        return g[node], value[node], -opened[node]

    def of(direction: int, *, is_ready: bool | None = None) -> list[Node[State]]:
        return [node for node in opened if node[1] == direction and is_ready in (None, node in ready)]

    def half_of_sum() -> float:
        least = [min((b_key(node)[0] for node in of(direction)), default=math.inf) for direction in (0, 1)]
        return math.ceil(sum(least) / 2) if math.inf not in least else math.inf

    def pair(bound: float) -> tuple[list[Node[State]], float]:
        """Move nodes until there is a pair whose lower bound is `bound`, raising it if there is none."""
        while True:
            for direction in (0, 1):
                for node in sorted(of(direction, is_ready=False), key=f_key):
                    if f_key(node)[0] < bound:
                        ready.add(node)
                        put(node)
            both = [min(of(direction, is_ready=True), key=g_key, default=None) for direction in (0, 1)]
            found = [node for node in both if node is not None]
            sum_g = sum(g[node] for node in found) + smallest_cost if len(found) == 2 else math.inf
            waiting = [min(of(direction, is_ready=False), key=f_key, default=None) for direction in (0, 1)]
            at_bound = [node for node in waiting if node is not None and f_key(node)[0] == bound]
            if sum_g <= bound and not (rule == "dvcbs" and at_bound):
                return found, bound
            if at_bound:
                ready.add(at_bound[0])
                put(at_bound[0])
            else:
                bound = min([sum_g, *(f_key(node)[0] for node in waiting if node is not None)])

    def side_of_cover() -> int:
        """Return the direction whose cluster with the smallest g is next. All covers with first clusters are tried."""
        sizes = [Counter(g[node] for node in of(direction, is_ready=True)) for direction in (0, 1)]
        joined = [(u, v) for u in sizes[0] for v in sizes[1] if u + v + smallest_cost <= bound]
        layers = [sorted(each) for each in sizes]
        covers: dict[tuple[int, int], int] = {}
        for before in range(len(layers[0]) + 1):
            for behind in range(len(layers[1]) + 1):
                first = set(layers[0][:before]), set(layers[1][:behind])
                if all(u in first[0] or v in first[1] for u, v in joined):
                    covers[before, behind] = sum(sizes[0][u] for u in first[0]) + sum(sizes[1][v] for v in first[1])
        least = [cover for cover, size in covers.items() if size == min(covers.values())]
        candidates = [direction for direction in (1, 0) if any(cover[direction] for cover in least)]
        return min(candidates, key=lambda direction: sizes[direction][layers[direction][0]])

    value: dict[Node[State], float] = {}
    for node in roots:
        value[node] = value_of(node)
        put(node)
    counts["evaluated"] += len(goals)
    if rule == "bae":
        counts["evaluated"] *= 2
    next_side, bound = 0, -1.0
    partners: list[Node[State]] = []
    cluster = -1, -1  # direction and g
    while {direction for _, direction in opened} == {0, 1}:
        if rule == "mm":
            node = min(opened, key=mm_key)
            if mm_key(node)[0] >= best:
                break
            bound = max(bound, math.ceil(mm_key(node)[0]))
        elif rule == "bae":
            if half_of_sum() >= best:
                break
            if side == "cardinality":
                next_side = int(len(of(0)) > len(of(1)))
            node = min(of(next_side), key=b_key)
        elif rule == "nbs":
            if not partners:
                partners, bound = pair(bound)
            if bound >= best:
                break
            node = partners.pop(0)
        else:
            earlier = bound
            found, bound = pair(bound)
            if bound >= best:
                break
            first = [(direction, g[node]) for direction, node in enumerate(found)]
            if bound > earlier or cluster not in first:
                cluster = first[side_of_cover()]
            node = found[cluster[0]]
        del opened[node]
        ready.discard(node)
        closed.add(node)
        if drops_closed and (node[0], 1 - node[1]) in closed:
            partners = []
            continue
        bounds.append((node, half_of_sum() if rule == "bae" else bound))
        next_side = 1 - node[1]
        state, direction = node
        counts["expanded"] += 1
        waiting: list[Node[State]] = []
        for child, cost in (predecessors if direction else successors)(state):
            counts["generated"] += 1
            new = (child, direction)
            if new not in g:
                counts["evaluated"] += 2 if rule == "bae" else 1
                value[new] = value_of(new)
            elif g[node] + cost >= g[new] or (value[new] == math.inf and new not in waiting):
                continue
            elif new in closed:
                if rule == "bae":
                    continue
                counts["reopened"] += 1
                closed.remove(new)
            g[new] = g[node] + cost
            parent[new] = node, cost
            opened.pop(new, None)
            ready.discard(new)
            if new in waiting:
                waiting.remove(new)
            waiting.append(new)
            other = (child, 1 - direction)
            if other in g and g[new] + g[other] < best:
                best, meeting = g[new] + g[other], (new, other)
        for new in waiting:
            put(new)

    def path_cost(node: Node[State]) -> int:
        return parent[node][1] + path_cost(parent[node][0]) if node in parent else 0

    if best == math.inf:
        return {"status": "unsolvable", "cost": None, "before": None, **counts}
    cost = sum(path_cost(node) for node in meeting)
    return {"status": "solved", "cost": cost, "before": sum(bound < cost for _, bound in bounds), **counts}
