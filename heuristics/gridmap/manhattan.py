"""Manhattan distance: the number of straight steps on a map without obstacles."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from runner.base.errors import Incompatible
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import kernel
from worlds.gridmap.search import LEAST_STRAIGHT, goal_x_of, goal_y_of, x_of, y_of
from worlds.gridmap.world import GridWorld
from worlds.interface import Instance, Problem


@HEURISTICS.register("manhattan", domain="gridmap")
@dataclass(frozen=True)
class Manhattan(Heuristic):
    """Cost of the straight steps of a shortest path without obstacles, for maps with four directions.

    Admissible and consistent. It is refused where diagonal steps are allowed, because it overestimates there.
    """

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Refuse maps with diagonal steps."""
        assert isinstance(instance.rules, GridWorld)
        if instance.rules.grid.diagonal:
            raise Incompatible(
                "heuristic: manhattan overestimates where diagonal steps are allowed; choose octile, "
                "or world.directions=4"
            )

    def term(self, problem: Problem) -> Term:
        """Bind to the packed map."""
        return Term(manhattan, problem.world)


@kernel(TERM)
def manhattan(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of straight steps over both differences."""
    for k in range(n):
        state = out[out_at + k]
        steps = abs(x_of(state) - goal_x_of(state)) + abs(y_of(state) - goal_y_of(state))
        h[slot + k] += min(params[LEAST_STRAIGHT] * steps, MAX_COST)
    return 0
