"""The exact cost in the cave if the wumpus is avoided, or shot from anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import Heuristic, Term
from heuristics.wumpus.cave_distances import cost_at, costs, first_table, second_table
from heuristics.wumpus.legs import living_wumpus, state_term
from heuristics.wumpus.manhattan import SHOT
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import helper
from worlds.wumpus.search import ARROW_USED, has


@register("heuristic", "relaxed_shot", domain="wumpus")
@dataclass(frozen=True)
class RelaxedShot(Heuristic):
    """The cheaper of two plans: around the wumpus, or as `relaxed` and 10 for the shot, from wherever the hunter is.

    Once the wumpus is dead, as `relaxed`; with the arrow gone and the wumpus alive, around it. Never smaller than
    `relaxed`. Admissible: a plan that never shoots goes around the wumpus, and one that does pays for the shot and all
    that is left in a cave without it. Consistent: each of the two changes by no more than a move or turn costs, and
    the shot leads from ``relaxed + 10`` at most to ``relaxed`` (or, if it misses, to the way around). Found once for
    each cave. A complete heuristic: to be combined with others by maximum.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the costs of both."""
        tables = [costs(problem, avoid_wumpus) for avoid_wumpus in (False, True)]
        return Term(_KERNEL, np.concatenate([problem.world, *tables]))


@helper
def avoided_or_shot(params, state):
    """The cheaper of the two."""
    ignored = cost_at(params, first_table(params), state)
    if living_wumpus(params, state) < 0:
        return ignored
    avoided = cost_at(params, second_table(params), state)
    return avoided if has(state, ARROW_USED) else min(avoided, ignored + SHOT)


_KERNEL = state_term(avoided_or_shot)
