"""Number of goal facts that do not hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.pddl.relaxation import task_of
from worlds.compile.kernel import kernel
from worlds.interface import Problem
from worlds.pddl.packing import Packing

# Layout of params: words of a state, then word, mask and bits of each goal fact.
WORDS, FACTS = range(2)


@HEURISTICS.register("goal_count", domain="pddl")
@dataclass(frozen=True)
class GoalCount(Heuristic):
    """Number of goal facts that do not hold.

    Not admissible: an operator may achieve several goal facts, or cost 0. Source: Fikes and Nilsson, "STRIPS: A new
    approach to the application of theorem proving to problem solving", AI 2, 1971.
    """

    admissible = False
    consistent = False
    safe = True

    def term(self, problem: Problem) -> Term:
        """Bind to params: the number of words, then word, mask and bits of each goal fact."""
        task = task_of(problem)
        packing = Packing(task)
        facts = [number for fact in task.goal for each in packing.combined([fact]) for number in each]
        return Term(goal_count, np.array([problem.initial.size, *facts], np.uint64).view(np.int64))


@kernel(TERM)
def goal_count(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Compare each goal fact with its bits of the state."""
    for k in range(n):
        at = out_at + k * params[WORDS]
        for fact in range(FACTS, params.size, 3):
            if out[at + params[fact]] & np.uint64(params[fact + 1]) != np.uint64(params[fact + 2]):
                h[slot + k] += 1
    return 0
