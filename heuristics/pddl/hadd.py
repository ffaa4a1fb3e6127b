"""Sum of the costs of the goal facts in the delete relaxation."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.pddl.relaxation import COSTS, GOAL_FACTS, GOALS, WORDS, explore, params_of
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import kernel
from worlds.interface import Problem


@HEURISTICS.register("hadd", domain="pddl")
@dataclass(frozen=True)
class HAdd(Heuristic):
    """Sum of the costs of the goal facts, if facts stay true and the costs of conditions add up.

    Not admissible: steps that serve several facts count several times. Source: Bonet and Geffner, "Planning as
    heuristic search", AI 129, 2001.
    """

    admissible = False
    consistent = False
    safe = True

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(hadd, params_of(problem))


@kernel(TERM)
def hadd(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state."""
    for k in range(n):
        value = 0
        if explore(params, out, out_at + k * params[WORDS], True):
            for i in range(params[GOAL_FACTS], params[GOAL_FACTS] + params[GOALS]):
                value = min(value + params[params[COSTS] + params[i]], MAX_COST)
        else:
            value = UNREACHABLE
        h[slot + k] += value
    return 0
