"""Facts that a relaxed plan makes true, for searches that count how many of them a path has achieved."""

from __future__ import annotations

from heuristics.pddl.relaxation import FACTS, MARKS, SUPPORTERS, explore, relaxed_plan_cost
from worlds.compile import as_index, helper


@helper
def write_relaxed_facts(params, states, at, facts, first):
    """Write the facts that the relaxed plan of `ff` makes true, from index `first` of `facts` on, in their order.

    `params` are those of `heuristics.pddl.relaxation.params_of`. Facts of the state are not among them. Returns their
    number, or -1 if there is no relaxed plan.
    """
    if not explore(params, states, at, True):
        return -1
    relaxed_plan_cost(params)
    marks, supporters, count = as_index(params[MARKS]), as_index(params[SUPPORTERS]), 0
    in_plan = marks + 1 + as_index(params[FACTS])
    for fact in range(params[FACTS]):
        if params[in_plan + fact] == params[marks] and params[supporters + fact] >= 0:
            facts[first + count] = fact
            count += 1
    return count
