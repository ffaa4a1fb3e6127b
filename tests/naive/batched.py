"""Naive A* in batches with dictionaries: the rules of `algorithms.best_first.batches`, read one after the other."""

from __future__ import annotations

import math

from tests.naive.problem import OLDEST_FIRST, Heuristic, IsGoal, Outcome, State, Successors, tie_of
from tests.naive.random_numbers import SplitMix64


def batched(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    weight: float,
    ties: str,
    reopen: bool,
    seed: int,
    batch: int,
    stop: str,
    admissible: bool,
    most: int | None = None,
) -> Outcome:
    """Return status, cost, counts and `least`, the smallest g + h of what is open or held at the end.

    The cost is that of the best solution, whatever the status. `admissible` tells whether g + h prunes, or g alone;
    the search ends after `most` expansions. For the other parameters see `algorithms.best_first.best_first.AStar`.
    """
    draw, pushes = SplitMix64(seed), 0
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, value, parent = {initial: 0}, {initial: h(initial)}, dict[State, tuple[State, int]]()
    proven = dict[State, float]()  # lower bound of h of a state that is not evaluated
    queue: dict[State, tuple[float, float, int]] = {}
    held: dict[State, None] = {}
    closed: set[State] = set()
    goal: State | None = None
    limit = math.inf  # cost of the incumbent when it was found
    taken = 0

    def path_cost(state: State | None) -> int | None:
        if state is None:
            return None
        cost = 0
        while state in parent:
            state, step = parent[state]
            cost += step
        return cost

    def ended(status: str) -> Outcome:
        least = min([g[state] + value.get(state, proven.get(state, 0)) for state in (*queue, *held)], default=math.inf)
        return {"status": status, "cost": path_cost(goal), "least": least, **counts}

    def insert_held() -> None:
        nonlocal pushes
        for state in [*held]:
            if state not in value:
                counts["evaluated"] += 1
                value[state] = h(state)
        for state in [*held]:
            if value[state] == math.inf or g[state] + (value[state] if admissible else 0) >= limit:
                continue
            pushes += 1
            tie = draw.bits(31) if ties == "random" else tie_of(ties, value[state])
            order = pushes if ties in OLDEST_FIRST else -pushes
            queue[state] = g[state] + weight * value[state], tie, order
        held.clear()

    held[initial] = None
    insert_held()
    while True:
        if counts["expanded"] == most:
            return ended("node_limit")
        best = min(queue, key=queue.__getitem__, default=None)
        if best is None or queue[best][0] >= limit:
            if taken == 0:
                return ended("unsolvable" if goal is None else "solved")
            insert_held()
            taken = 0
            continue
        del queue[best]
        closed.add(best)
        if is_goal(best):
            goal = best
            if stop == "first":
                return ended("solved")
            limit = path_cost(goal) or 0
            continue
        counts["expanded"] += 1
        taken += 1
        for successor, step in successors(best):
            counts["generated"] += 1
            if successor not in g:
                proven[successor] = max(0, value[best] - step)
            elif g[best] + step >= g[successor] or value.get(successor) == math.inf:
                continue
            elif successor in closed:
                if not reopen:
                    continue
                counts["reopened"] += 1
                closed.remove(successor)
            g[successor], parent[successor] = g[best] + step, (best, step)
            queue.pop(successor, None)
            held.pop(successor, None)
            held[successor] = None
        if taken == batch:
            insert_held()
            taken = 0
