"""Least operator cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.compiled_heuristic import compiled_heuristic
from heuristics.pddl.relaxation import task_of
from worlds.interface import Problem
from worlds.pddl.search import GOAL, facts_hold


def least_cost(problem: Problem) -> NDArray[np.int64]:
    """Return the cost of the cheapest operator."""
    return np.array([task_of(problem).least_cost])


@compiled_heuristic("blind", domain="pddl", tables=least_cost, admissible=True, consistent=True)
def blind(world, states, at):
    """0 at goals, else the cost of the cheapest operator of the task.

    Admissible and consistent. Source: Fast Downward's heuristic of this name.
    """
    least = world[world[-1]]
    return 0 if facts_hold(world, GOAL, states, at) else least
