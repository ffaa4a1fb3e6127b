"""Euclidean distance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import kernel
from worlds.gridmap.search import LEAST_DIAGONAL, LEAST_STRAIGHT, TERRAINS, goal_x_of, goal_y_of, x_of, y_of
from worlds.interface import Problem

_ROUNDING = 1e-12
"""More than the relative error of the distance as a float."""


@HEURISTICS.register("euclidean", domain="gridmap")
@dataclass(frozen=True)
class Euclidean(Heuristic):
    """Distance as the crow flies, times the cost of a straight step, rounded down to the engine's units.

    Admissible and consistent, because no step is cheaper than its length; nowhere larger than `octile`. (Without
    weights, a diagonal step is cheaper than its length by a share of 3e-10. Rounding down makes up for it on paths of
    up to 90,000 steps.)
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed map."""
        return Term(euclidean, problem.world)


@kernel(TERM)
def euclidean(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the distance, times the least cost per length of a step."""
    unit = float(params[LEAST_STRAIGHT])
    if params[TERRAINS] != 0:  # both costs are rounded up, so the diagonal one may be smaller for its length
        unit = min(unit, params[LEAST_DIAGONAL] / math.sqrt(2.0)) * (1 - _ROUNDING)
    for k in range(n):
        state = out[out_at + k]
        dx, dy = x_of(state) - goal_x_of(state), y_of(state) - goal_y_of(state)
        h[slot + k] += min(np.int64(math.floor(unit * math.sqrt(float(dx * dx + dy * dy)))), MAX_COST)
    return 0
