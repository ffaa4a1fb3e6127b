"""Manhattan distance of both legs, and what must be paid in any case."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import Heuristic, Term
from heuristics.wumpus.legs import distance, leg_term
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import helper
from worlds.wumpus.search import GOLD, HAS_GOLD, WUMPUS, WUMPUS_DEAD, has

SHOT = 10


@register("heuristic", "manhattan", domain="wumpus")
@dataclass(frozen=True)
class Manhattan(Heuristic):
    """Distance of each leg; +1 for GRAB, +1 for CLIMB, +10 while a living wumpus sits on the gold.

    Admissible and consistent: every MOVE changes one leg by one, and the other actions are counted once each.
    Source: UniBZ assignment 2021/22, ``MANHATTAN_SIMPLE``.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, problem.world)


@register("heuristic", "plain_manhattan", domain="wumpus")
@dataclass(frozen=True)
class PlainManhattan(Heuristic):
    """Distance of each leg, without GRAB, CLIMB and the shot.

    Admissible and consistent. Source: Green team, UniBZ 2020, section 4.1, where it is called Manhattan.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_DISTANCE_KERNEL, problem.world)


@helper
def manhattan_leg(world, origin, target, facings):
    """Number of moves."""
    return distance(origin, target)


@helper
def unavoidable_actions(world, state):
    """CLIMB; GRAB while the gold lies there; SHOOT while the wumpus guards it."""
    if has(state, HAS_GOLD):
        return 1
    must_shoot = world[WUMPUS] == world[GOLD] and not has(state, WUMPUS_DEAD)
    return 2 + SHOT if must_shoot else 2


_KERNEL = leg_term(manhattan_leg, unavoidable_actions)
_DISTANCE_KERNEL = leg_term(manhattan_leg)
