"""Smallest value of the neighbours by the smart distance."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import (
    SHOT,
    UNREACHABLE_LEG,
    goal_of,
    is_over,
    living_wumpus,
    quarter_turns,
    value_when_over,
)
from heuristics.wumpus.smart_distance import CORRECTED, NO_FACING, PUBLISHED, smart_leg, smart_tables, variant_of
from heuristics.wumpus.smart_manhattan import DECLARED, forced_shot, smart_rest
from worlds.compile import helper
from worlds.wumpus.search import EXIT, facing_of, is_passable, neighbour, square_of


@compiled_heuristic("best_neighbour_smart_manhattan", domain="wumpus", tables=smart_tables, **DECLARED)
def best_neighbour_smart_manhattan(constants, state):
    """As `smart_manhattan`, with a look ahead of one step: the smallest value over the free neighbours.

    The value of a neighbour is the sum of the turns to it, the move, the shot if the living wumpus is there and it is
    not the target, and the smart distance from there. Neither admissible nor consistent. With ``corrected=true``, which
    also counts the shot only once, both: a look ahead with a consistent heuristic is consistent. A complete heuristic:
    combine it with others by maximum. Source: Green team, UniBZ 2020, section 4.5.

    Parameters
    ----------
    as_published : bool
        As the published program, which checks mirrored rectangles. Its time grows with the square of the number of
        squares. Use it for caves up to about 100x100.
    corrected : bool
        Use the distance that never overestimates (`heuristics.wumpus.smart_distance`).
    """
    if is_over(state):
        return value_when_over(state)
    return smart_rest(constants, state) + best_smart_path(constants, state, goal_of(constants, state))


@helper
def best_smart_path(constants, state, goal):
    """Return the smallest value of the neighbours."""
    square, facing = square_of(state), facing_of(state)
    if square == goal:
        return 0
    wumpus = living_wumpus(constants, state)
    if variant_of(constants) == CORRECTED and forced_shot(constants, state) > 0:
        wumpus = -1  # counted already
    best = UNREACHABLE_LEG
    for direction in range(4):
        to = neighbour(constants, square, direction)
        if is_passable(constants, to):
            shot = SHOT if to == wumpus and to != goal else 0
            best = min(best, quarter_turns(facing, direction) + 1 + shot + smart_leg(constants, to, goal, direction))
    if best < UNREACHABLE_LEG:
        return best
    if variant_of(constants) == PUBLISHED:
        return smart_leg(constants, square, constants[EXIT], NO_FACING)
    return smart_leg(constants, square, goal, facing)
