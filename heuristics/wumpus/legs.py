"""Shared parts of the heuristics for the cave.

A plan has two legs: the path to the gold, then the path to the exit. A set of directions is a bit mask, 1 << d for
d = 0 to 3 (N, E, S, W).
"""

from __future__ import annotations

from heuristics.interface import UNREACHABLE
from worlds.compile import helper
from worlds.wumpus.search import (
    BLOCK,
    CLIMBED_OUT,
    DIED,
    EXIT,
    GOLD,
    GRID,
    HAS_GOLD,
    PIT,
    WIDTH,
    WUMPUS,
    WUMPUS_DEAD,
    column_of,
    facing_of,
    has,
    row_of,
    square_of,
)

SHOT = 10
"""Cost of the shot."""
UNREACHABLE_LEG = 1 << 26
"""Number larger than the cost of any path."""


@helper
def sum_of_legs(leg, constants, state, *options):
    """Return the sum of the estimates of the legs that are left; 0 or `UNREACHABLE` if the game is over.

    The helper ``leg(world, origin, target, facings, *options)`` estimates the cost from one square to another. The
    hunter stands on the first with one of the facings in the given set.
    """
    if is_over(state):
        return value_when_over(state)
    total, square, facings = 0, square_of(state), 1 << facing_of(state)
    if not has(state, HAS_GOLD):
        total = leg(constants, square, constants[GOLD], facings, *options)
        square, facings = constants[GOLD], directions(constants, square, constants[GOLD]) or facings
    return total + leg(constants, square, constants[EXIT], facings, *options)


@helper
def is_over(state):
    """Return whether the hunter has climbed out or died."""
    return has(state, CLIMBED_OUT | DIED)


@helper
def goal_of(constants, state):
    """Return the target of the current leg: the gold, then the exit."""
    return constants[EXIT] if has(state, HAS_GOLD) else constants[GOLD]


@helper
def value_when_over(state):
    """Return 0 if the hunter has climbed out with the gold; else the game is lost."""
    return UNREACHABLE if has(state, DIED) or not has(state, HAS_GOLD) else 0


@helper
def base_costs(state):
    """Return the cost of CLIMB, and of GRAB until the gold is taken."""
    return 1 if has(state, HAS_GOLD) else 2


@helper
def living_wumpus(constants, state):
    """Return the square of the living wumpus; -1 if it is dead."""
    return -1 if has(state, WUMPUS_DEAD) else constants[WUMPUS]


@helper
def distance(origin, target):
    """Return the Manhattan distance of two squares."""
    return abs(column_of(target) - column_of(origin)) + abs(row_of(target) - row_of(origin))


@helper
def quarter_turns(facing, wanted):
    """Return the fewest quarter turns from one direction to another."""
    turn = (wanted - facing) & 3
    return 1 if turn == 3 else turn


@helper
def path_with_turns(constants, origin, facing, target):
    """Return the distance, plus turns to a direction that leads nearer, plus 1 for a corner."""
    if origin == target:
        return 0
    corner = 1 if is_bent(constants, origin, target) else 0
    return distance(origin, target) + turns(1 << facing, directions(constants, origin, target)) + corner


@helper
def directions(constants, origin, target):
    """Return the set of the (at most two) directions that reduce the distance."""
    dx, dy = column_of(target) - column_of(origin), row_of(target) - row_of(origin)
    north_south = 1 if dy > 0 else (4 if dy < 0 else 0)
    east_west = 2 if dx > 0 else (8 if dx < 0 else 0)
    return north_south | east_west


@helper
def is_bent(constants, origin, target):
    """Return whether the leg has a corner: both coordinates differ."""
    return column_of(origin) != column_of(target) and row_of(origin) != row_of(target)


@helper
def turns(facings, wanted):
    """Return the fewest quarter turns from one of the facings to one of the wanted directions (non-empty sets)."""
    if facings & wanted:
        return 0
    either_side = (wanted << 1) | (wanted >> 3) | (wanted >> 1) | (wanted << 3)
    return 1 if facings & either_side else 2


@helper
def is_blocked(constants, x, y):
    """Return whether a square holds a pit or a block."""
    return constants[GRID + y * constants[WIDTH] + x] & (PIT | BLOCK) != 0


@helper
def segment_is_blocked(constants, x1, y1, x2, y2):
    """Return whether a straight segment is blocked, ends included."""
    for y in range(min(y1, y2), max(y1, y2) + 1):
        for x in range(min(x1, x2), max(x1, x2) + 1):
            if is_blocked(constants, x, y):
                return True
    return False
