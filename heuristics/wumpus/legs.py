"""Shared parts of the heuristics for the cave.

A plan has two legs: the path to the gold, then the path to the exit. A set of directions is a bit mask, 1 << d for
d = 0 to 3 (N, E, S, W).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heuristics.interface import TERM, UNREACHABLE
from worlds.compile.kernel import Kernel, helper
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

Helper = Callable[..., Any]

SHOT = 10
"""Cost of the shot."""
UNREACHABLE_LEG = 1 << 26
"""Number larger than the cost of any path."""


@helper
def no_fixed_cost(world, state):
    """Return 0, for terms that estimate only the legs."""
    return 0


def leg_term(leg: Helper, fixed: Helper = no_fixed_cost) -> Kernel:
    """Make a term that adds up the estimates of the legs that are left. Its `params` are the packed world.

    A lost state is a dead end.

    Parameters
    ----------
    leg : helper
        ``leg(world, origin, target, facings)`` estimates the cost from one square to another. The hunter stands on the
        first with one of the facings in the given set.
    fixed : helper
        ``fixed(world, state)`` estimates the costs apart from the legs.
    """

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        for k in range(n):
            state = out[out_at + k]
            if has(state, CLIMBED_OUT | DIED):
                h[slot + k] += value_when_over(state)
                continue
            square, facings = square_of(state), 1 << facing_of(state)
            value = fixed(params, state)
            if has(state, HAS_GOLD):
                value += leg(params, square, params[EXIT], facings)
            else:
                entered = directions(params, square, params[GOLD]) or facings
                value += leg(params, square, params[GOLD], facings)
                value += leg(params, params[GOLD], params[EXIT], entered)
            h[slot + k] += value
        return 0

    term.__qualname__ = f"leg_term.{leg.__module__}.{leg.__qualname__}.{fixed.__qualname__}"  # see `Kernel`
    return Kernel(term, TERM)


def state_term(value: Helper) -> Kernel:
    """Make a term from ``value(params, state)``, the value of a state in which the game goes on.

    A lost state is a dead end.
    """

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        for k in range(n):
            state = out[out_at + k]
            h[slot + k] += value_when_over(state) if has(state, CLIMBED_OUT | DIED) else value(params, state)
        return 0

    term.__qualname__ = f"state_term.{value.__module__}.{value.__qualname__}"  # see `Kernel`
    return Kernel(term, TERM)


@helper
def goal_of(world, state):
    """Return the target of the current leg: the gold, then the exit."""
    return world[EXIT] if has(state, HAS_GOLD) else world[GOLD]


@helper
def value_when_over(state):
    """Return 0 if the hunter has climbed out with the gold; else the game is lost."""
    return UNREACHABLE if has(state, DIED) or not has(state, HAS_GOLD) else 0


@helper
def base_costs(state):
    """Return the cost of CLIMB, and of GRAB until the gold is taken."""
    return 1 if has(state, HAS_GOLD) else 2


@helper
def living_wumpus(world, state):
    """Return the square of the living wumpus; -1 if it is dead."""
    return -1 if has(state, WUMPUS_DEAD) else world[WUMPUS]


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
def path_with_turns(world, origin, facing, target):
    """Return the distance, plus turns to a direction that leads nearer, plus 1 for a corner."""
    if origin == target:
        return 0
    corner = 1 if is_bent(world, origin, target) else 0
    return distance(origin, target) + turns(1 << facing, directions(world, origin, target)) + corner


@helper
def directions(world, origin, target):
    """Return the set of the (at most two) directions that reduce the distance."""
    dx, dy = column_of(target) - column_of(origin), row_of(target) - row_of(origin)
    north_south = 1 if dy > 0 else (4 if dy < 0 else 0)
    east_west = 2 if dx > 0 else (8 if dx < 0 else 0)
    return north_south | east_west


@helper
def is_bent(world, origin, target):
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
def is_blocked(world, x, y):
    """Return whether a square holds a pit or a block."""
    return world[GRID + y * world[WIDTH] + x] & (PIT | BLOCK) != 0


@helper
def segment_is_blocked(world, x1, y1, x2, y2):
    """Return whether a straight segment is blocked, ends included."""
    for y in range(min(y1, y2), max(y1, y2) + 1):
        for x in range(min(x1, x2), max(x1, x2) + 1):
            if is_blocked(world, x, y):
                return True
    return False
