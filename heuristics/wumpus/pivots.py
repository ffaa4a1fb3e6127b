"""Turns on the Manhattan path of each leg."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import directions, is_bent, sum_of_legs, turns
from worlds.compile import helper


@compiled_heuristic("pivots", domain="wumpus", builds_on=("manhattan",), admissible=True, consistent=True)
def pivots(constants, state):
    """Per leg: quarter turns until one possible facing points towards the target, plus 1 for a corner.

    The possible facings at the start of the second leg are the directions in which a shortest path can enter the gold's
    square. Admissible and consistent, alone and on top of `manhattan`. Source: UniBZ assignment 2021/22,
    ``MANHATTAN_PIVOTS``.
    """
    return sum_of_legs(pivots_leg, constants, state)


@helper
def pivots_leg(constants, origin, target, facings):
    """Return the number of turns."""
    if origin == target:
        return 0
    return turns(facings, directions(constants, origin, target)) + (1 if is_bent(constants, origin, target) else 0)
