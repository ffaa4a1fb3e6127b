"""Landmark cuts: every plan contains an operator of each cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.pddl.cut_graph import (
    COST,
    COSTS,
    CUT,
    FACTS,
    WORDS,
    explore_again,
    explore_all,
    find_cut,
    mark_goal_zone,
    params_of,
)
from heuristics.pddl.relaxation import UNREACHED
from worlds.compile.kernel import as_index, helper, kernel
from worlds.interface import Problem


@HEURISTICS.register("lmcut", domain="pddl")
@dataclass(frozen=True)
class LMCut(Heuristic):
    """Sum of the least costs of cuts: every plan of the delete relaxation contains an operator of each cut.

    A cut is the set of operators between the facts that are reached and those from which the goal costs nothing more,
    by the costs of `hmax`. Its least cost is subtracted from all of its operators, until the goal costs nothing.
    Admissible, but not consistent. Conditions of effects are ignored, which is a further relaxation. Source: Helmert
    and Domshlak, "Landmarks, critical paths and abstractions: What's the difference anyway?", ICAPS 2009.
    """

    admissible = True
    consistent = False

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(lmcut, params_of(problem))


@helper
def sum_of_cuts(params, states, at):
    """Return the value of the state at word offset `at`."""
    cut, goal = as_index(params[CUT]), as_index(params[COSTS] + params[FACTS] - 1)
    explore_all(params, states, at)
    if params[goal] == UNREACHED:
        return np.int64(UNREACHABLE)
    total = np.int64(0)
    while params[goal] > 0:
        mark_goal_zone(params)
        count = find_cut(params, states, at)
        least = params[as_index(params[cut]) + COST]
        for i in range(cut + 1, cut + count):
            least = min(least, params[as_index(params[i]) + COST])
        for i in range(cut, cut + count):
            params[as_index(params[i]) + COST] -= least
        total += least
        explore_again(params, count)
    return total


@kernel(TERM)
def lmcut(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add up the cuts of each state."""
    for k in range(n):
        h[slot + k] += sum_of_cuts(params, out, out_at + k * params[WORDS])
    return 0
