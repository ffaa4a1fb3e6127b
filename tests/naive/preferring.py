"""Naive greedy best-first search with preferred successors: sorted lists that take turns."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence

from tests.naive.problem import OLDEST_FIRST, Heuristic, IsGoal, Outcome, State, Successors, tie_of
from tests.naive.random_numbers import SplitMix64


def preferring(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    keys: Sequence[Heuristic[State]],
    preferred: Callable[[State], set[int]],
    ties: str,
    reopen: bool,
    lazy: bool,
    boost: int,
    seed: int,
) -> tuple[Outcome, list[State]]:
    """Return status, cost and counts of the search, and the states of the plan.

    Parameters
    ----------
    keys : sequence of callable
        Functions of a state: each has two lists, of all successors and of the preferred ones.
    preferred : callable
        Returns the places of the preferred successors of a state.
    ties, reopen, lazy, boost, seed
        As in `algorithms.greedy.Greedy`.
    """
    draw, pushes = SplitMix64(seed), 0
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, parent = {initial: 0}, dict[State, tuple[State, int]]()
    evaluated, closed = {initial}, set[State]()
    lists: list[list[tuple[float, float, int, State, State, int]]] = [[] for _ in range(2 * len(keys))]
    priorities = [0] * len(lists)
    minima = [key(initial) for key in keys]

    def path() -> list[State]:
        states = [state]
        while states[-1] in parent:
            states.append(parent[states[-1]][0])
        return states[::-1]

    def push(before: State, after: State, cost: int, is_preferred: bool) -> None:
        nonlocal pushes
        source = before if lazy else after
        tie = draw.bits(31) if ties == "random" else tie_of(ties, h(source))
        pushes += 1
        for number, each in enumerate(lists):
            if number % 2 == 0 or is_preferred:
                order = pushes if ties in OLDEST_FIRST else -pushes
                bisect.insort(each, (keys[number // 2](source), tie, order, before, after, cost))

    def reward(state: State) -> None:
        improved = [key(state) < least for key, least in zip(keys, minima, strict=True)]
        minima[:] = [min(key(state), least) for key, least in zip(keys, minima, strict=True)]
        if any(improved):
            for number in range(1, len(lists), 2):
                priorities[number] -= boost

    waiting = [(initial, initial, 0)] if h(initial) < math.inf else []
    while waiting or any(lists):
        if waiting:
            before, state, cost = waiting.pop()
        else:
            turn = min((number for number, each in enumerate(lists) if each), key=priorities.__getitem__)
            priorities[turn] += 1
            *_, before, state, cost = lists[turn].pop(0)
            if lazy and not (state in closed and (not reopen or g[before] + cost >= g[state])):
                if state in closed:
                    counts["reopened"] += 1
                    closed.remove(state)
                g[state], parent[state] = g[before] + cost, (before, cost)
        if state in closed or (h(state) == math.inf and state in evaluated):
            continue
        if is_goal(state):
            states = path()
            total = sum(parent[each][1] for each in states[1:])
            return {"status": "solved", "cost": total, **counts}, states
        if state not in evaluated:
            evaluated.add(state)
            counts["evaluated"] += 1
            if h(state) == math.inf:
                continue
        closed.add(state)
        if lazy:
            reward(state)
        counts["expanded"] += 1
        chosen, edges = preferred(state), []
        for place, (after, cost) in enumerate(successors(state)):
            counts["generated"] += 1
            if not lazy:
                if after in g:
                    if g[state] + cost >= g[after] or h(after) == math.inf or (after in closed and not reopen):
                        continue
                    counts["reopened"] += after in closed
                    closed.discard(after)
                else:
                    evaluated.add(after)
                    counts["evaluated"] += 1
                g[after], parent[after] = g[state] + cost, (state, cost)
            edges.append((state, after, cost, place in chosen))
        for edge in edges:
            if lazy or h(edge[1]) < math.inf:
                push(*edge)
                if not lazy:
                    reward(edge[1])
    return {"status": "unsolvable", "cost": None, **counts}, []
