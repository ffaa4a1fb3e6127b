"""Number of units of candy that are left."""

from __future__ import annotations

from heuristics.compiled_heuristic import compiled_heuristic
from worlds.compile.operations import count_ones
from worlds.snake.search import units_of


@compiled_heuristic("remaining", domain="snake", admissible=True, consistent=True)
def remaining(world, states, at):
    """Number of units left: each needs a move of its own.

    Admissible and consistent: a move eats at most one unit. Source: snake project CA1, ``first_heu``, which counts
    candies instead of units.
    """
    return count_ones(units_of(world, states, at))
