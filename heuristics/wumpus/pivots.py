"""Turns on the Manhattan path of each leg."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.legs import directions, is_bent, leg_term, turns
from worlds.compile.kernel import helper
from worlds.interface import Problem


@HEURISTICS.register("pivots", domain="wumpus")
@dataclass(frozen=True)
class Pivots(Heuristic):
    """Per leg: quarter turns until one possible facing points towards the target, plus 1 for a corner.

    The possible facings at the start of the second leg are the directions in which a shortest path can enter the gold's
    square. Admissible and consistent, alone and on top of `manhattan`. Source: UniBZ assignment 2021/22,
    ``MANHATTAN_PIVOTS``.
    """

    builds_on = ("manhattan",)
    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, problem.world)


@helper
def pivots_leg(world, origin, target, facings):
    """Return the number of turns."""
    if origin == target:
        return 0
    return turns(facings, directions(world, origin, target)) + (1 if is_bent(world, origin, target) else 0)


_KERNEL = leg_term(pivots_leg)
