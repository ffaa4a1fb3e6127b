"""Manhattan distance of both legs, and the costs of unavoidable actions."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.legs import SHOT, base_costs, distance, leg_term, living_wumpus
from worlds.compile.kernel import helper
from worlds.interface import Problem
from worlds.wumpus.search import GOLD, HAS_GOLD, has


@HEURISTICS.register("manhattan", domain="wumpus")
@dataclass(frozen=True)
class Manhattan(Heuristic):
    """Distance of each leg; 1 each for GRAB and CLIMB; 10 while a living wumpus is on the gold's square.

    Admissible and consistent: every MOVE changes one leg by 1, and each other action is counted once.
    Source: UniBZ assignment 2021/22, ``MANHATTAN_SIMPLE``.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, problem.world)


@HEURISTICS.register("plain_manhattan", domain="wumpus")
@dataclass(frozen=True)
class PlainManhattan(Heuristic):
    """Distance of each leg, without GRAB, CLIMB and the shot.

    Admissible and consistent. Source: Green team, UniBZ 2020, section 4.1 (there "Manhattan").
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_DISTANCE_KERNEL, problem.world)


@helper
def manhattan_leg(world, origin, target, facings):
    """Return the number of moves."""
    return distance(origin, target)


@helper
def unavoidable_actions(world, state):
    """Return the cost of CLIMB, of GRAB until the gold is taken, and of SHOOT while the wumpus is on the gold."""
    must_shoot = not has(state, HAS_GOLD) and living_wumpus(world, state) == world[GOLD]
    return base_costs(state) + (SHOT if must_shoot else 0)


_KERNEL = leg_term(manhattan_leg, unavoidable_actions)
_DISTANCE_KERNEL = leg_term(manhattan_leg)
