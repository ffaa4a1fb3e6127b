"""Naive LSS-LRTA* and RTAA* with dictionaries: the best state is found by looking at all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from tests.naive.problem import Heuristic, IsGoal, Outcome, State, Successors


def real_time(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    lookahead: int,
    learns_distances: bool,
    most_expanded: int,
    watch: Callable[[dict[State, float]], None] = lambda _: None,
) -> Outcome:
    """Return status, counts, trajectory and its cost. `watch` is called with all values after each walk."""
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0, "iterations": 0}
    value = {initial: h(initial)}
    agent, walk, cost, largest = initial, [initial], 0, 0
    while True:
        g, parent = {agent: 0}, dict[State, State]()
        order = {agent: 0} if value[agent] < math.inf else {}  # the open list: when each state was pushed
        closed: set[State] = set()
        expanded = pushes = 0

        while True:
            found = {**counts, "cost": None, "walk": walk, "largest": largest}
            if not order:
                return {**found, "status": "unsolvable" if initial in g else "cutoff"}
            best = min(order, key=lambda s: (g[s] + value[s], value[s], -order[s]))
            if is_goal(best) and best == agent:
                return {**found, "status": "solved", "cost": cost}
            if is_goal(best) or expanded == lookahead:
                break
            if counts["expanded"] == most_expanded:
                return {**found, "status": "node_limit"}
            del order[best]
            closed.add(best)
            counts["iterations"] += expanded == 0
            expanded += 1
            counts["expanded"] += 1
            for successor, step in successors(best):
                counts["generated"] += 1
                if successor not in value:
                    counts["evaluated"] += 1
                    value[successor] = h(successor)
                if value[successor] == math.inf or g[best] + step >= g.get(successor, math.inf):
                    continue
                if successor in closed:
                    counts["reopened"] += 1
                    closed.remove(successor)
                g[successor], parent[successor] = g[best] + step, best
                pushes += 1
                order[successor] = pushes
        path = [best]
        while path[-1] != agent:
            path.append(parent[path[-1]])
        path.reverse()
        walk += path[1:]
        cost += sum(min(c for s, c in successors(a) if s == b) for a, b in pairwise(path))
        largest = max(largest, expanded)
        f = g[best] + value[best]
        distance = distances(closed, {state: value[state] for state in order}, successors)
        for state in closed:
            value[state] = max(value[state], distance[state] if learns_distances else f - g[state])
        watch(value)
        agent = best


def distances(closed: set[State], frontier: dict[State, float], successors: Successors[State]) -> dict[State, float]:
    """Return for each closed state the smallest cost of a path to the frontier plus the value there (Bellman-Ford)."""
    found = {**dict.fromkeys(closed, math.inf), **frontier}
    while True:
        better = {
            state: min([found[state], *(cost + found[after] for after, cost in successors(state) if after in found)])
            for state in closed
        }
        if all(better[state] == found[state] for state in closed):
            return found
        found.update(better)
