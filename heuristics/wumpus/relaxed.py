"""Exact cost in the cave without its wumpus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.cave_distances import cost_at, costs, first_table
from heuristics.wumpus.legs import state_term
from worlds.compile.kernel import helper
from worlds.interface import Problem


@HEURISTICS.register("relaxed", domain="wumpus")
@dataclass(frozen=True)
class Relaxed(Heuristic):
    """Cost of an optimal plan if there were no wumpus: moves and turns around all pits and blocks, GRAB and CLIMB.

    Admissible and consistent, because it is the exact cost in a cave with one obstacle less. A state without a plan in
    that cave is a dead end. Computed once per cave by a breadth-first search backwards over squares and facings. A
    complete heuristic: combine it with others by maximum.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the costs."""
        return Term(_KERNEL, np.concatenate([problem.world, costs(problem, avoid_wumpus=False)]))


@helper
def without_wumpus(params, state):
    """Return the cost, wherever the wumpus is."""
    return cost_at(params, first_table(params), state)


_KERNEL = state_term(without_wumpus)
