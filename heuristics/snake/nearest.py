"""Number of units of candy that are left, and distance to the nearest of them."""

from __future__ import annotations

import numpy as np

from heuristics.interface import compiled_heuristic
from heuristics.snake.candies import COUNT, candy_table, distance_to, units_left
from worlds.compile import count_ones
from worlds.snake.search import END, units_of


@compiled_heuristic(
    "nearest",
    domain="snake",
    tables=candy_table,
    admissible=lambda heuristic: heuristic.metric == "torus",
    consistent=lambda heuristic: heuristic.metric == "torus",
)
def nearest(constants, states, at):
    """Distance to the nearest candy, plus units left, minus 1; 0 if nothing is left.

    A candy under the head counts as one move away: the head must enter its cell again to eat the next unit.

    With ``metric="torus"`` admissible: the last move to the nearest candy eats a unit, and every other unit takes at
    least one more move. Also consistent: a move that does not eat lowers every distance by at most 1; a move that eats
    removes one unit and begins at distance 1. With ``metric="plane"`` neither: a candy across the edge is one move
    away, but far in the plane. Source: snake project CA1, ``second_heu``, which measures in the plane.

    Parameters
    ----------
    metric : {"torus", "plane"}
        Whether distances may cross the edge of the board, as the snake can (torus), or not (plane).
    """
    units = units_of(constants, states, at)
    if units == 0:
        return np.int64(0)
    smallest = np.int64(1 << 20)
    for candy in range(constants[constants[END] + COUNT]):
        if units_left(constants, states, at, candy) != 0:
            smallest = min(smallest, max(np.int64(1), distance_to(constants, states, at, candy)))
    return smallest + count_ones(units) - 1


@compiled_heuristic("remaining", domain="snake", admissible=True, consistent=True)
def remaining(constants, states, at):
    """Number of units left: each needs a move of its own.

    Admissible and consistent: a move eats at most one unit. Source: snake project CA1, ``first_heu``, which counts
    candies instead of units.
    """
    return count_ones(units_of(constants, states, at))
