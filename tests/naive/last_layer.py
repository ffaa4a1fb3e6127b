"""Naive counts of the expansions before the last layer of f, for best-first search and iterative deepening."""

from __future__ import annotations

import itertools
import math

from heuristics.interface.weighting import Constant, Weighting
from tests.graphs import Plain
from tests.naive.depth_first import Recursion
from tests.naive.problem import OLDEST_FIRST, tie_of


def f_of_expansions(
    p: Plain, ties: str, reopen: bool, weight_g: float = 1.0, weighting: Weighting | None = None
) -> tuple[list[float], float | None]:
    """Return the f of each expansion of a best-first search, in order, and the f of the solution (None without one).

    The open list is a dictionary, and `min` finds its first entry.
    """
    weighting = weighting or Constant(1)
    changes = list(itertools.islice(weighting.changes(), 10_000))
    extra, horizon = weighting.by_depth
    g, depth, h = {p.initial: 0}, {p.initial: 0}, p.h
    opened: dict[bytes, tuple[float, float, int]] = {}
    closed: set[bytes] = set()
    expanded: list[float] = []
    clock, weight = itertools.count(1), changes[0][1]

    def push(state: bytes) -> None:
        opened.pop(state, None)
        if h(state) < math.inf:
            f = weight_g * g[state] + (weight + extra * max(0.0, 1.0 - depth[state] / horizon)) * h(state)
            tie = tie_of(ties, h(state))
            opened[state] = f, tie, next(clock) * (1 if ties in OLDEST_FIRST else -1)

    push(p.initial)
    while opened:
        present = [value for begin, value in changes if begin <= len(expanded)][-1]
        if present != weight:
            weight = present
            if weighting.reorder_open:
                for state in sorted(opened, key=opened.__getitem__, reverse=ties not in OLDEST_FIRST):
                    push(state)
        state = min(opened, key=opened.__getitem__)
        f = opened.pop(state)[0]
        if p.is_goal(state):
            return expanded, f
        closed.add(state)
        expanded.append(f)
        for child, cost in p.successors(state):
            if child in g and (g[state] + cost >= g[child] or (child in closed and not reopen)):
                continue
            closed.discard(child)
            g[child], depth[child] = g[state] + cost, depth[state] + 1
            push(child)
    return expanded, None


def before_last_layer(expanded: list[float], solution: float | None) -> int | None:
    """Count the expansions before the first with the f of the solution; None without one, or if an f is above."""
    if solution is None or any(f > solution for f in expanded):
        return None
    return next((number for number, f in enumerate(expanded) if f == solution), len(expanded))


def last_iteration(p: Plain, by_f: bool, cycle_check: str) -> tuple[int, int] | None:
    """Count expansions and generated nodes of the iteration that finds the solution; None if 40 iterations find none.

    The limit of an iteration is on f (IDA*), or else on the depth.

    Raises
    ------
    tests.naive.depth_first.TooLarge
        If an iteration takes too long.
    """
    bound: float = p.h(p.initial) if by_f else math.inf
    for limit in range(40):
        search = Recursion(p.successors, p.is_goal, p.h if by_f else lambda _: 0, cycle_check)
        search.has_limit = not by_f
        if search.begin(p.initial, bound, math.inf if by_f else limit) is not None:
            return search.expanded, search.generated
        if by_f and search.next_bound == math.inf:
            break
        bound = search.next_bound if by_f else bound
    return None
