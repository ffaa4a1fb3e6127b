"""The way to the nearest candy, and a move for each unit after the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, Metric, distance_to, units_left, with_candies
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import count_ones, kernel
from worlds.snake.search import END, WORDS, units_of


@register("heuristic", "nearest", domain="snake")
@dataclass(frozen=True)
class Nearest(Heuristic):
    """Distance to the nearest candy, plus units left, minus 1; 0 if nothing is left.

    A candy under the head counts as one move away: its next unit is eaten by entering the cell anew. With
    ``metric="torus"`` admissible, because the last of the moves to the nearest candy eats and every other unit takes
    one more; and consistent: a move that does not eat brings no candy nearer by more than 1, and one that eats takes
    away one unit and begins at distance 1. With ``metric="plane"`` neither: a candy across the edge is one move away,
    and far in the plane. Source: snake project CA1, ``second_heu``, which measures in the plane.

    Attributes
    ----------
    metric : {"torus", "plane"}
        Whether the distance may lead across the edge, as the snake may.
    """

    metric: Metric = "torus"

    @property
    def admissible(self) -> bool:
        """On the torus."""
        return self.metric == "torus"

    @property
    def consistent(self) -> bool:
        """On the torus."""
        return self.metric == "torus"

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the distances of the candies."""
        return Term(nearest, with_candies(problem, self.metric))


@kernel(TERM)
def nearest(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """The smallest distance, and the number of units."""
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
