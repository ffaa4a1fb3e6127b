"""Octile distance: the length of a path on a map without obstacles."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import kernel
from worlds.gridmap.search import LEAST_DIAGONAL, LEAST_STRAIGHT, goal_x_of, goal_y_of, x_of, y_of
from worlds.interface import Problem


@HEURISTICS.register("octile", domain="gridmap")
@dataclass(frozen=True)
class Octile(Heuristic):
    """Length of a shortest path without obstacles: diagonal steps, then straight steps.

    Admissible and consistent. On terrain with weights, the smallest costs on the map count. With four directions
    `manhattan` is larger.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed map."""
        return Term(octile, problem.world)


@kernel(TERM)
def octile(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the smaller of the two differences as diagonal steps, and the rest as straight steps."""
    straight, diagonal = params[LEAST_STRAIGHT], params[LEAST_DIAGONAL]
    for k in range(n):
        state = out[out_at + k]
        dx, dy = abs(x_of(state) - goal_x_of(state)), abs(y_of(state) - goal_y_of(state))
        h[slot + k] += min(straight * abs(dx - dy) + diagonal * min(dx, dy), MAX_COST)
    return 0
