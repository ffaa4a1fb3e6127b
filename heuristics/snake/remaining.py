"""Number of units of candy that are left."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from worlds.compile.kernel import kernel
from worlds.compile.operations import count_ones
from worlds.interface import Problem
from worlds.snake.search import WORDS, units_of


@HEURISTICS.register("remaining", domain="snake")
@dataclass(frozen=True)
class Remaining(Heuristic):
    """Number of units left: each needs a move of its own.

    Admissible and consistent: a move eats at most one unit. Source: snake project CA1, ``first_heu``, which counts
    candies instead of units.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(remaining, problem.world)


@kernel(TERM)
def remaining(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Count the bits of units."""
    for k in range(n):
        h[slot + k] += count_ones(units_of(params, out, out_at + k * params[WORDS]))
    return 0
