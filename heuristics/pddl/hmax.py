"""Cost of the most expensive goal fact in the delete relaxation."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.pddl.relaxation import COSTS, GOAL_FACTS, GOALS, WORDS, explore, params_of
from worlds.compile.kernel import kernel
from worlds.interface import Problem


@HEURISTICS.register("hmax", domain="pddl")
@dataclass(frozen=True)
class HMax(Heuristic):
    """Cost of the most expensive goal fact, if facts stay true and conditions cost as much as the most expensive one.

    Admissible and consistent. Source: Bonet and Geffner, "Planning as heuristic search", AI 129, 2001.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(hmax, params_of(problem))


@kernel(TERM)
def hmax(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state."""
    for k in range(n):
        value = 0
        if explore(params, out, out_at + k * params[WORDS], False):
            for i in range(params[GOAL_FACTS], params[GOAL_FACTS] + params[GOALS]):
                value = max(value, params[params[COSTS] + params[i]])
        else:
            value = UNREACHABLE
        h[slot + k] += value
    return 0
