"""Manhattan distance, and the turns until the hunter can walk towards its goal."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import Heuristic, Term
from heuristics.wumpus.legs import base_costs, distance, goal_of, state_term, way_with_turns
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


@register("heuristic", "manhattan_orientation", domain="wumpus")
@dataclass(frozen=True)
class ManhattanOrientation(Heuristic):
    """To the goal (gold, then exit): distance, turns to a direction that leads nearer, 1 for a corner; then the rest.

    The rest is the distance from gold to exit while the gold is not taken, GRAB and CLIMB. Consistent, so admissible:
    a turn changes the turns by at most 1; a move that leads nearer takes 1 from the distance, and turns and corner are
    no fewer after it; one that leads away adds 1 and leaves 2 turns at least; after GRAB the new way is at least the
    distance that was counted for it, and 1 less is to be done. A complete heuristic: to be combined with others by
    maximum. Source: Green team, UniBZ 2020, section 4.2.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, problem.world)


@helper
def oriented_distance(world, state):
    """Moves and turns to the goal; from gold to exit the distance; GRAB and CLIMB."""
    rest = base_costs(state) + (0 if has(state, HAS_GOLD) else distance(world[GOLD], world[EXIT]))
    return rest + way_with_turns(world, square_of(state), facing_of(state), goal_of(world, state))


_KERNEL = state_term(oriented_distance)
