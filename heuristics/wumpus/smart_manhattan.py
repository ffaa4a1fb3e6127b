"""Manhattan distance and the turns that pits and blocks on the leg require, without and with a look ahead."""

from __future__ import annotations

from typing import Any

from heuristics.compiled_heuristic import compiled_heuristic
from heuristics.declared import Declared
from heuristics.wumpus.legs import (
    SHOT,
    UNREACHABLE_LEG,
    base_costs,
    goal_of,
    is_over,
    living_wumpus,
    quarter_turns,
    value_when_over,
)
from heuristics.wumpus.smart_distance import CORRECTED, NO_FACING, PUBLISHED, smart_leg, smart_tables, variant_of
from runner.base.errors import UserError
from worlds.compile.kernel import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, is_passable, neighbour, square_of


def refuse_both(heuristic: Any) -> None:
    """Raise `UserError` if a heuristic is both as published and corrected."""
    if heuristic.as_published and heuristic.corrected:
        name = heuristic.registered_name
        raise UserError(f"heuristic.corrected: {name} as published is not corrected; choose one")


DECLARED: Declared = {
    "admissible": lambda heuristic: heuristic.corrected,
    "consistent": lambda heuristic: heuristic.corrected,
    "safe": True,
    "validate": refuse_both,
}


@compiled_heuristic("smart_manhattan", domain="wumpus", tables=smart_tables, **DECLARED)
def smart_manhattan(world, state):
    """Smart distance of each leg: moves, and the turns of the best monotone path, or 4 if no monotone path is free.

    To this are added: turns to a direction that leads nearer to the target, 10 while the living wumpus is on the gold's
    square or the exit, GRAB and CLIMB. Neither admissible nor consistent: if a detour begins in another direction, the
    first turns are counted twice.

    With ``corrected=true`` consistent, and so admissible: the first turns are part of the path's turns, and are not
    added to a detour. A turn then changes the value by at most 1. A move that leads nearer lowers it by at most 1: a
    monotone path from the next square, extended backwards, is one from this square. A move that leads away does so too,
    because at least two turns must follow it. After GRAB the leg to the exit costs at least what was counted for any
    facing, and 1 action less remains. SHOOT lowers the value by its cost of 10. A complete heuristic: combine it with
    others by maximum. Source: Green team, UniBZ 2020, section 4.4.

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
    return smart_rest(world, state) + smart_leg(world, square_of(state), goal_of(world, state), facing_of(state))


@compiled_heuristic("best_neighbour_smart_manhattan", domain="wumpus", tables=smart_tables, **DECLARED)
def best_neighbour_smart_manhattan(world, state):
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
    return smart_rest(world, state) + best_smart_path(world, state, goal_of(world, state))


@helper
def forced_shot(world, state):
    """Return the cost of the shot while the living wumpus is on a square that the hunter must enter."""
    wumpus = living_wumpus(world, state)
    must_go = wumpus == world[EXIT] or (not has(state, HAS_GOLD) and wumpus == world[GOLD])
    return SHOT if must_go else 0


@helper
def smart_rest(world, state):
    """Return the cost of the leg from gold to exit, the shot, GRAB and CLIMB."""
    later = 0 if has(state, HAS_GOLD) else smart_leg(world, world[GOLD], world[EXIT], NO_FACING)
    return base_costs(state) + forced_shot(world, state) + later


@helper
def best_smart_path(world, state, goal):
    """Return the smallest value of the neighbours."""
    square, facing = square_of(state), facing_of(state)
    if square == goal:
        return 0
    wumpus = living_wumpus(world, state)
    if variant_of(world) == CORRECTED and forced_shot(world, state) > 0:
        wumpus = -1  # counted already
    best = UNREACHABLE_LEG
    for direction in range(4):
        to = neighbour(world, square, direction)
        if is_passable(world, to):
            shot = SHOT if to == wumpus and to != goal else 0
            best = min(best, quarter_turns(facing, direction) + 1 + shot + smart_leg(world, to, goal, direction))
    if best < UNREACHABLE_LEG:
        return best
    if variant_of(world) == PUBLISHED:
        return smart_leg(world, square, world[EXIT], NO_FACING)
    return smart_leg(world, square, goal, facing)
