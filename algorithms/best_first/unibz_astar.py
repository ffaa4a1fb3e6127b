"""A* as the UniBZ group published it with its heuristics, in plain Python, to reproduce its table."""

from __future__ import annotations

import heapq
import math

from algorithms.interface import SearchProblem, python_algorithm
from runner.base import Incompatible
from worlds.interface import Instance
from worlds.wumpus.search import CARDINAL_ACTIONS, CLIMBED_OUT
from worlds.wumpus.world import CaveWorld

_FACING = 3


def _check(instance: Instance) -> None:
    if not isinstance(instance.world, CaveWorld) or instance.world.formulation != "cardinal":
        raise Incompatible("algorithm: unibz_astar searches wumpus caves with world.formulation=cardinal only")


@python_algorithm("unibz_astar", complete=True, check=_check, order="{f}, then h")
def unibz_astar(problem: SearchProblem) -> list[int] | None:
    """A* as published: stores one f per (square, wumpus dead, gold taken), and ignores the facing.

    A successor is queued if its f is smaller than the stored one; the root is not stored. The order is by f, then by h,
    then by the names of all actions so far as one text. Goals are detected when they are generated. The search ends
    when the best goal costs no more than the f that is popped. Because the facing is ignored, plans may be
    suboptimal, also under a consistent heuristic (docs/audit.md has a cave). Complete: the facing decides what a step
    costs, but not what can be reached.
    Source: UniBZ assignment 2021/22, ``hunter_AStar.py``; it counts `simulated_actions` as explored nodes.
    """
    best_f: dict[int, float] = {}
    best_cost, best_plan = math.inf, None
    h = problem.h(problem.start)
    waiting: list[tuple[float, float, str, int, int, list[int]]] = [(h, h, "", problem.start, 0, [])]
    while waiting and best_cost > waiting[0][0] < math.inf:
        f, _, names, state, g, plan = heapq.heappop(waiting)
        for action, successor, cost in problem.expand(state, f):
            if successor & CLIMBED_OUT:
                if g + cost < best_cost:
                    best_cost, best_plan = g + cost, [*plan, action]
                continue
            h, key = problem.h(successor), successor & ~_FACING
            if g + cost + h < best_f.get(key, math.inf):
                best_f[key] = g + cost + h
                successor_names = " ".join((names, *CARDINAL_ACTIONS[action])).lstrip()
                entry = (g + cost + h, h, successor_names, successor, g + cost, [*plan, action])
                heapq.heappush(waiting, entry)
        problem.counts.peak_nodes = len(best_f)
        problem.counts.memory_bytes = 500 * (len(waiting) + len(best_f))  # a rough estimate
    return best_plan
