"""Exact cost in the cave if the hunter avoids the wumpus, or can shoot it from anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.cave_distances import cost_at, costs, first_table, second_table
from heuristics.wumpus.legs import SHOT, living_wumpus, state_term
from worlds.compile.kernel import helper
from worlds.interface import Problem
from worlds.wumpus.search import ARROW_USED, has


@HEURISTICS.register("relaxed_shot", domain="wumpus")
@dataclass(frozen=True)
class RelaxedShot(Heuristic):
    """The cheaper of two plans: around the wumpus, or as `relaxed` plus 10 for a shot from any square.

    If the wumpus is dead, as `relaxed`. If it lives and the arrow is used, the plan around it. Never smaller than
    `relaxed`. Admissible: a plan without a shot goes around the wumpus; a plan with a shot costs 10 plus at least the
    cost in the cave without the wumpus. Consistent: a move or turn changes both costs by at most 1, and a shot leads
    from at most ``relaxed + 10`` to ``relaxed`` (or, if it misses, to the plan around the wumpus). Computed once per
    cave. A complete heuristic: combine it with others by maximum.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the costs of both."""
        tables = [costs(problem, avoid_wumpus) for avoid_wumpus in (False, True)]
        return Term(_KERNEL, np.concatenate([problem.world, *tables]))


@helper
def avoided_or_shot(params, state):
    """Return the cost of the cheaper plan."""
    ignored = cost_at(params, first_table(params), state)
    if living_wumpus(params, state) < 0:
        return ignored
    avoided = cost_at(params, second_table(params), state)
    return avoided if has(state, ARROW_USED) else min(avoided, ignored + SHOT)


_KERNEL = state_term(avoided_or_shot)
