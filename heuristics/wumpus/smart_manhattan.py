"""Manhattan distance, and the turns that pits and blocks on the leg require."""

from __future__ import annotations

from typing import Any

from heuristics.interface import HeuristicDeclaration, compiled_heuristic
from heuristics.wumpus.legs import SHOT, base_costs, goal_of, is_over, living_wumpus, value_when_over
from heuristics.wumpus.smart_distance import NO_FACING, smart_leg, smart_tables
from runner.base import UserError
from worlds.compile import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


def refuse_both(heuristic: Any) -> None:
    """Raise `UserError` if a heuristic is both as published and corrected."""
    if heuristic.as_published and heuristic.corrected:
        name = heuristic.registered_name
        raise UserError(f"heuristic.corrected: {name} as published is not corrected; choose one")


DECLARED: HeuristicDeclaration = {
    "admissible": lambda heuristic: heuristic.corrected,
    "consistent": lambda heuristic: heuristic.corrected,
    "safe": True,
    "validate": refuse_both,
}


@compiled_heuristic("smart_manhattan", domain="wumpus", tables=smart_tables, **DECLARED)
def smart_manhattan(constants, state):
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
    return smart_rest(constants, state) + smart_leg(
        constants, square_of(state), goal_of(constants, state), facing_of(state)
    )


@helper
def forced_shot(constants, state):
    """Return the cost of the shot while the living wumpus is on a square that the hunter must enter."""
    wumpus = living_wumpus(constants, state)
    must_go = wumpus == constants[EXIT] or (not has(state, HAS_GOLD) and wumpus == constants[GOLD])
    return SHOT if must_go else 0


@helper
def smart_rest(constants, state):
    """Return the cost of the leg from gold to exit, the shot, GRAB and CLIMB."""
    later = 0 if has(state, HAS_GOLD) else smart_leg(constants, constants[GOLD], constants[EXIT], NO_FACING)
    return base_costs(state) + forced_shot(constants, state) + later
