"""Smallest value of the neighbours."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import (
    SHOT,
    UNREACHABLE_LEG,
    base_costs,
    distance,
    goal_of,
    is_bent,
    is_over,
    living_wumpus,
    path_with_turns,
    quarter_turns,
    value_when_over,
)
from worlds.compile import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, is_passable, neighbour, square_of


@compiled_heuristic(
    "best_neighbour",
    domain="wumpus",
    admissible=True,
    consistent=lambda heuristic: not heuristic.as_published,
)
def best_neighbour(constants, state, as_published=False):
    """As `manhattan_orientation`, with a look ahead of one step: the smallest value over the free neighbours.

    The value of a neighbour is the sum of the turns to it, the move, the shot if the living wumpus is there, and the
    distance, turns and corner from there to the target. On the target's square the current leg costs nothing. The rest
    is distance and corner from gold to exit, GRAB and CLIMB. Admissible and consistent: the hunter must enter some
    neighbour, and a look ahead with a consistent heuristic is consistent. A complete heuristic: combine it with others
    by maximum. Source: Green team, UniBZ 2020, section 4.3.

    Parameters
    ----------
    as_published : bool
        As the published program: without a free neighbour it counts only the distance, so it is not consistent there.
    """
    if is_over(state):
        return value_when_over(state)
    goal = goal_of(constants, state)
    value = base_costs(state) + path_over_neighbours(constants, state, goal, as_published)
    if not has(state, HAS_GOLD):
        value += distance(constants[GOLD], constants[EXIT]) + (
            1 if is_bent(constants, constants[GOLD], constants[EXIT]) else 0
        )
    return value


@helper
def path_over_neighbours(constants, state, goal, as_published):
    """Return the smallest value of the neighbours; if none is free, as if there were no obstacles."""
    square, facing = square_of(state), facing_of(state)
    wumpus = living_wumpus(constants, state)
    if square == goal:
        return SHOT if square == wumpus else 0
    best = UNREACHABLE_LEG
    for direction in range(4):
        to = neighbour(constants, square, direction)
        if is_passable(constants, to):
            value = quarter_turns(facing, direction) + 1 + path_with_turns(constants, to, direction, goal)
            best = min(best, value + (SHOT if to == wumpus else 0))
    if best < UNREACHABLE_LEG:
        return best
    return distance(square, goal) if as_published else path_with_turns(constants, square, facing, goal)
