"""Naive bounded-suboptimal search: the whole open list is searched for the next node."""

from __future__ import annotations

import math
from functools import cache

from tests.naive.problem import Heuristic, IsGoal, Outcome, State, Successors
from worlds.compile.errors import MAX_COST


def bounded_suboptimal(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    name: str,
    weight: float,
    optimism: float = 2.0,
    distance: Heuristic[State] | None = None,
) -> Outcome:
    """Return status, cost and counts of a search, and the lower bound that it has proven.

    Parameters
    ----------
    name : {"dps", "ees", "focal", "optimistic"}
    weight, optimism
        As in `algorithms.bounded_suboptimal`.
    distance
        Estimate of the number of steps to a goal, Default: `h`.
    """
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, value = {initial: 0}, {initial: h(initial)}
    parent: dict[State, tuple[State, int]] = {}
    order = {initial: 0} if value[initial] < math.inf else {}  # the open list: when each state was pushed
    closed: set[State] = set()
    pushes, lower_bound, solution, cost = 0, 0.0, initial, math.inf

    def f(state: State) -> float:
        return g[state] + value[state]

    def by_f(state: State) -> tuple[float, ...]:
        return f(state), value[state], d(state), -order[state]

    @cache
    def d(state: State) -> float:
        return min((distance or h)(state), MAX_COST + 1)

    def estimate(state: State) -> float:
        if name == "optimistic":
            return g[state] + (1 + optimism * (weight - 1)) * value[state]
        error, progress = f(state) - value[initial], d(initial) - d(state)
        if error <= 0:
            return f(state)
        correction = d(state) * error / progress if progress > 0 else math.inf
        return f(state) + correction if correction < 9 * value[state] else g[state] + 10 * value[state]

    def inverse_potential(state: State) -> float:
        if f(state) > weight * lower_bound:
            return math.inf
        return value[state] / (weight * lower_bound - g[state]) if value[state] else 0.0

    def choose() -> State:
        if name == "dps":
            return min(order, key=lambda s: (inverse_potential(s), value[s], g[s], -order[s]))
        if name == "focal":
            focal = [s for s in order if f(s) <= weight * lower_bound]
            return min(focal, key=lambda s: (d(s), value[s], g[s], -order[s]))
        best = min(order, key=lambda s: (estimate(s), d(s), value[s], -order[s]))
        if name == "optimistic":
            return best if estimate(best) < cost else min(order, key=by_f)
        focal = [s for s in order if estimate(s) <= weight * estimate(best)]
        nearest = min(focal, key=lambda s: (d(s), value[s], g[s], -order[s]))
        within = [s for s in (nearest, best) if estimate(s) <= weight * lower_bound]
        return within[0] if within else min(order, key=by_f)

    def path_cost(state: State) -> int:
        total = 0
        while state in parent:
            state, step = parent[state]
            total += step
        return total

    while True:
        lower_bound = max(lower_bound, min([f(state) for state in order] + [cost]))
        if cost <= weight * lower_bound:
            break
        state = choose()
        del order[state]
        closed.add(state)
        if is_goal(state):
            if g[state] < cost:
                solution, cost = state, g[state]
            continue
        counts["expanded"] += 1
        for successor, step in successors(state):
            counts["generated"] += 1
            if successor not in value:
                counts["evaluated"] += 1
                value[successor] = h(successor)
            elif g[state] + step >= g[successor] or value[successor] == math.inf:
                continue
            elif successor in closed:
                counts["reopened"] += 1
                closed.remove(successor)
            g[successor], parent[successor] = g[state] + step, (state, step)
            pushes += 1
            if value[successor] < math.inf:
                order[successor] = pushes
    if cost == math.inf:
        return {"status": "unsolvable", "cost": None, **counts}
    return {"status": "solved", "cost": path_cost(solution), **counts}
