"""Manhattan distance of the legs, with the costs of unavoidable actions or the turns of the first leg."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import (
    SHOT,
    base_costs,
    distance,
    goal_of,
    is_over,
    living_wumpus,
    path_with_turns,
    sum_of_legs,
    value_when_over,
)
from worlds.compile import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


@compiled_heuristic("manhattan", domain="wumpus", admissible=True, consistent=True)
def manhattan(constants, state):
    """Distance of each leg; 1 each for GRAB and CLIMB; 10 while a living wumpus is on the gold's square.

    Admissible and consistent: every MOVE changes one leg by 1, and each other action is counted once.
    Source: UniBZ assignment 2021/22, ``MANHATTAN_SIMPLE``.
    """
    if is_over(state):
        return value_when_over(state)
    must_shoot = not has(state, HAS_GOLD) and living_wumpus(constants, state) == constants[GOLD]
    return base_costs(state) + (SHOT if must_shoot else 0) + sum_of_legs(manhattan_leg, constants, state)


@compiled_heuristic("plain_manhattan", domain="wumpus", admissible=True, consistent=True)
def plain_manhattan(constants, state):
    """Distance of each leg, without GRAB, CLIMB and the shot.

    Admissible and consistent. Source: Green team, UniBZ 2020, section 4.1 (there "Manhattan").
    """
    return sum_of_legs(manhattan_leg, constants, state)


@helper
def manhattan_leg(constants, origin, target, facings):
    """Return the number of moves."""
    return distance(origin, target)


@compiled_heuristic("manhattan_orientation", domain="wumpus", admissible=True, consistent=True)
def manhattan_orientation(constants, state):
    """Cost of the current leg: distance, turns to a direction that leads nearer, 1 for a corner; plus the rest.

    The rest is GRAB and CLIMB, and the distance from gold to exit until the gold is taken. Consistent, so admissible.
    A turn changes the number of turns by at most 1. A move that leads nearer lowers the distance by 1, and does not
    lower the turns and the corner. A move that leads away raises the distance by 1 and leaves at least 2 turns. After
    GRAB the new leg costs at least the distance that was counted for it, and 1 action less remains. A complete
    heuristic: combine it with others by maximum. Source: Green team, UniBZ 2020, section 4.2.
    """
    if is_over(state):
        return value_when_over(state)
    rest = base_costs(state) + (0 if has(state, HAS_GOLD) else distance(constants[GOLD], constants[EXIT]))
    return rest + path_with_turns(constants, square_of(state), facing_of(state), goal_of(constants, state))
