"""Least operator cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.pddl.relaxation import task_of
from worlds.compile.kernel import kernel
from worlds.interface import Problem
from worlds.pddl.search import GOAL, WORDS, facts_hold


@HEURISTICS.register("blind", domain="pddl")
@dataclass(frozen=True)
class Blind(Heuristic):
    """0 at goals, else the cost of the cheapest operator of the task.

    Admissible and consistent. Source: Fast Downward's heuristic of this name.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to params: the packed world and the least cost."""
        return Term(blind, np.append(problem.world, task_of(problem).least_cost))


@kernel(TERM)
def blind(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Compare each state with the goal."""
    least = params[params.size - 1]
    for k in range(n):
        if not facts_hold(params, GOAL, out, out_at + k * params[WORDS]):
            h[slot + k] += least
    return 0
