"""Smallest value of the neighbours by the smart distance."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Term
from heuristics.wumpus.legs import SHOT, UNREACHABLE_LEG, goal_of, living_wumpus, quarter_turns, state_term
from heuristics.wumpus.smart_distance import CORRECTED, NO_FACING, PUBLISHED, smart_leg, smart_params, variant_of
from heuristics.wumpus.smart_manhattan import SmartHeuristic, forced_shot, smart_rest
from worlds.compile.kernel import helper
from worlds.interface import Problem
from worlds.wumpus.search import EXIT, facing_of, is_passable, neighbour, square_of


@HEURISTICS.register("best_neighbour_smart_manhattan", domain="wumpus")
@dataclass(frozen=True)
class BestNeighbourSmartManhattan(SmartHeuristic):
    """As `smart_manhattan`, with a look ahead of one step: the smallest value over the free neighbours.

    The value of a neighbour is the sum of the turns to it, the move, the shot if the living wumpus is there and it is
    not the target, and the smart distance from there. Neither admissible nor consistent. With ``corrected=true``, which
    also counts the shot only once, both: a look ahead with a consistent heuristic is consistent. A complete heuristic:
    combine it with others by maximum. Source: Green team, UniBZ 2020, section 4.5.
    """

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, smart_params(problem, self.variant))


@helper
def best_smart_path(params, state, goal):
    """Return the smallest value of the neighbours."""
    square, facing = square_of(state), facing_of(state)
    if square == goal:
        return 0
    wumpus = living_wumpus(params, state)
    if variant_of(params) == CORRECTED and forced_shot(params, state) > 0:
        wumpus = -1  # counted already
    best = UNREACHABLE_LEG
    for direction in range(4):
        to = neighbour(params, square, direction)
        if is_passable(params, to):
            shot = SHOT if to == wumpus and to != goal else 0
            best = min(best, quarter_turns(facing, direction) + 1 + shot + smart_leg(params, to, goal, direction))
    if best < UNREACHABLE_LEG:
        return best
    if variant_of(params) == PUBLISHED:
        return smart_leg(params, square, params[EXIT], NO_FACING)
    return smart_leg(params, square, goal, facing)


@helper
def best_smart_value(params, state):
    """Return the cost of the current leg and the rest."""
    return smart_rest(params, state) + best_smart_path(params, state, goal_of(params, state))


_KERNEL = state_term(best_smart_value)
