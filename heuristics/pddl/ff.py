"""Cost of a relaxed plan."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.pddl.relaxation import (
    CONDITIONS,
    COUNT_BITS,
    FACTS,
    GOAL_FACTS,
    GOALS,
    INITIAL,
    MARKS,
    OPERATOR,
    SUPPORTERS,
    WORDS,
    explore,
    params_of,
)
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import as_index, helper, kernel
from worlds.interface import Problem


@HEURISTICS.register("ff", domain="pddl")
@dataclass(frozen=True)
class FF(Heuristic):
    """Cost of a plan of the delete relaxation, which makes each fact true by its cheapest operator according to `hadd`.

    Not admissible: the relaxed plan need not be optimal. Sources: Hoffmann and Nebel, "The FF planning system", JAIR
    14, 2001; Keyder and Geffner, "Heuristics for planning with action costs revisited", ECAI 2008.
    """

    admissible = False
    consistent = False
    safe = True

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(ff, params_of(problem))


@helper
def relaxed_plan_cost(params):
    """Return the cost of the relaxed plan: of all operators that support the goal facts, each counted once.

    The relaxed exploration must have been run. A visited fact or operator is marked with the number of the call.
    """
    facts, marks = as_index(params[FACTS]), as_index(params[MARKS])
    supporters, operators = as_index(params[SUPPORTERS]), as_index(params[OPERATOR])
    initial, conditions = as_index(params[INITIAL]), as_index(params[CONDITIONS])
    mark = params[marks] = params[marks] + 1
    waiting, fact_marks = marks + 1, marks + 1 + facts
    operator_marks = fact_marks + facts
    count, total = 0, 0
    goal_facts = as_index(params[GOAL_FACTS])
    for i in range(goal_facts, goal_facts + params[GOALS]):
        params[waiting + count] = params[i]
        params[fact_marks + as_index(params[i])] = mark
        count += 1
    while count > 0:
        count -= 1
        number = params[supporters + as_index(params[waiting + count])]
        if number < 0:  # the fact is true in the state
            continue
        operator = as_index(params[operators + number])
        if params[operator_marks + operator] != mark:
            params[operator_marks + operator] = mark
            total = min(total + (params[initial + number] >> COUNT_BITS), MAX_COST)
        needed = as_index(params[conditions + number])
        for i in range(needed + 1, needed + 1 + params[needed]):
            condition = as_index(params[i])
            if params[fact_marks + condition] != mark:
                params[fact_marks + condition] = mark
                params[waiting + count] = condition
                count += 1
    return total


@kernel(TERM)
def ff(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state, and extract a relaxed plan."""
    for k in range(n):
        if explore(params, out, out_at + k * params[WORDS], True):
            h[slot + k] += relaxed_plan_cost(params)
        else:
            h[slot + k] += UNREACHABLE
    return 0
