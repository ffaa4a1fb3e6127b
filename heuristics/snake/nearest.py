"""Distance to the nearest candy, and a move for each unit after the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, Metric, distance_to, units_left, with_candies
from worlds.compile.kernel import kernel
from worlds.compile.operations import count_ones
from worlds.interface import Problem
from worlds.snake.search import END, WORDS, units_of


@HEURISTICS.register("nearest", domain="snake")
@dataclass(frozen=True)
class Nearest(Heuristic):
    """Distance to the nearest candy, plus units left, minus 1; 0 if nothing is left.

    A candy under the head counts as one move away: the head must enter its cell again to eat the next unit.

    With ``metric="torus"`` admissible: the last move to the nearest candy eats a unit, and every other unit takes at
    least one more move. Also consistent: a move that does not eat lowers every distance by at most 1; a move that eats
    removes one unit and begins at distance 1. With ``metric="plane"`` neither: a candy across the edge is one move
    away, but far in the plane. Source: snake project CA1, ``second_heu``, which measures in the plane.

    Attributes
    ----------
    metric : {"torus", "plane"}
        Whether distances may cross the edge of the board, as the snake can (torus), or not (plane).
    """

    metric: Metric = "torus"

    @property
    def admissible(self) -> bool:
        """True on the torus."""
        return self.metric == "torus"

    @property
    def consistent(self) -> bool:
        """True on the torus."""
        return self.metric == "torus"

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the distances of the candies."""
        return Term(nearest, with_candies(problem, self.metric))


@kernel(TERM)
def nearest(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the smallest distance and the number of units left, minus 1."""
    for k in range(n):
        at = out_at + k * params[WORDS]
        units = units_of(params, out, at)
        if units == 0:
            continue
        smallest = np.int64(1 << 20)
        for candy in range(params[params[END] + COUNT]):
            if units_left(params, out, at, candy) != 0:
                smallest = min(smallest, max(np.int64(1), distance_to(params, out, at, candy)))
        h[slot + k] += smallest + count_ones(units) - 1
    return 0
