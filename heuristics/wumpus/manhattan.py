"""Manhattan distance of both legs, and the costs of unavoidable actions."""

from __future__ import annotations

from heuristics.compiled_heuristic import compiled_heuristic
from heuristics.wumpus.legs import SHOT, base_costs, distance, is_over, living_wumpus, sum_of_legs, value_when_over
from worlds.compile.kernel import helper
from worlds.wumpus.search import GOLD, HAS_GOLD, has


@compiled_heuristic("manhattan", domain="wumpus", admissible=True, consistent=True)
def manhattan(world, state):
    """Distance of each leg; 1 each for GRAB and CLIMB; 10 while a living wumpus is on the gold's square.

    Admissible and consistent: every MOVE changes one leg by 1, and each other action is counted once.
    Source: UniBZ assignment 2021/22, ``MANHATTAN_SIMPLE``.
    """
    if is_over(state):
        return value_when_over(state)
    must_shoot = not has(state, HAS_GOLD) and living_wumpus(world, state) == world[GOLD]
    return base_costs(state) + (SHOT if must_shoot else 0) + sum_of_legs(manhattan_leg, world, state)


@compiled_heuristic("plain_manhattan", domain="wumpus", admissible=True, consistent=True)
def plain_manhattan(world, state):
    """Distance of each leg, without GRAB, CLIMB and the shot.

    Admissible and consistent. Source: Green team, UniBZ 2020, section 4.1 (there "Manhattan").
    """
    return sum_of_legs(manhattan_leg, world, state)


@helper
def manhattan_leg(world, origin, target, facings):
    """Return the number of moves."""
    return distance(origin, target)
