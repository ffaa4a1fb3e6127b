"""Landmark cuts: every plan contains an operator of each cut.

The delete relaxation has operators with all their effects here, and the costs of facts by `hmax`. It has a fact that is
always true, which is the precondition of operators without any, and an artificial goal fact that an operator without
cost makes true from all goal facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Term
from heuristics.pddl.cost_type import CostTyped
from heuristics.pddl.fact_queue import clear, pop, push, queue_size, restart
from heuristics.pddl.facts import fact_at, first_facts, joined, members, places_of, refuse_axioms, task_of
from heuristics.pddl.relaxation import UNREACHED
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import as_index, helper, kernel
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import CostMode

# Layout of params: a header with sizes and with the index of each table.
#   PLACES: word, shift, mask and first fact of each variable
#   RECORDS: record of each operator; the next one begins at its END
#   NEEDED_BY, ACHIEVERS: for each fact, index of the list of operators with this precondition or effect; one more
#   COSTS, ZONE: cost of each fact; whether it is in the goal zone, or before it
#   CUT, WAITING: list of operators; stack of facts. QUEUE: see `fact_queue`
(WORDS, VARIABLES, FACTS, RECORDS_END, PLACES, RECORDS, NEEDED_BY, ACHIEVERS, COSTS, ZONE, CUT, WAITING,
 QUEUE) = range(13)  # fmt: skip
_HEADER = 13

# Layout of the record of an operator, which lies in few cache lines. In lists, the index of its record stands for it.
#   COST: what is left of its own cost. LEFT: number of preconditions that are not reached
#   SUPPORTER, SUPPORTER_COST: most expensive precondition (-1: not reached), and its cost
#   EFFECTS: index of its effects, before which are its preconditions. END: index after its effects
COST, LEFT, SUPPORTER, SUPPORTER_COST, OWN_COST, EFFECTS, END, PRECONDITIONS = range(8)

NO_ZONE, BEFORE_GOAL_ZONE, GOAL_ZONE = range(3)


@HEURISTICS.register("lmcut", domain="pddl")
@dataclass(frozen=True)
class LMCut(CostTyped):
    """Sum of the least costs of cuts: every plan of the delete relaxation contains an operator of each cut.

    A cut is the set of operators between the facts that are reached and those from which the goal costs nothing more,
    by the costs of `hmax`. Its least cost is subtracted from all of its operators, until the goal costs nothing.
    Admissible, but not consistent. Conditions of effects are ignored, which is a further relaxation. Source: Helmert
    and Domshlak, "Landmarks, critical paths and abstractions: What's the difference anyway?", ICAPS 2009.
    """

    safe = True

    @property
    def admissible(self) -> bool | None:
        """True with the costs of the plan."""
        return self._if_normal(True)

    @property
    def consistent(self) -> bool | None:
        """False with the costs of the plan."""
        return self._if_normal(False)

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        refuse_axioms(task_of(problem), "lmcut")
        return Term(lmcut, params_of(problem, self.cost_type))


def params_of(problem: Problem, cost_type: CostMode) -> NDArray[np.int64]:
    """Return the params of the kernel, in the layout above. The last two facts are the artificial ones."""
    task = task_of(problem, cost_type)
    packing, first = Packing(task), first_facts(task)
    always, goal = first[-1], first[-1] + 1
    facts = goal + 1
    rows = [
        (
            [first[variable] + value for variable, value in operator.preconditions] or [always],
            sorted({first[effect.variable] + effect.value for effect in operator.effects}),
            operator.cost,
        )
        for operator in task.operators
    ]
    rows.append(([first[variable] + value for variable, value in task.goal] or [always], [goal], 0))
    needed_by: list[list[int]] = [[] for _ in range(facts)]
    achievers: list[list[int]] = [[] for _ in range(facts)]
    places = places_of(packing, first)
    record, records = _HEADER + len(places), list[int]()
    for preconditions, effects, cost in rows:
        for fact in preconditions:
            needed_by[fact].append(record)
        for fact in effects:
            achievers[fact].append(record)
        first_effect = record + PRECONDITIONS + len(preconditions)
        end = first_effect + len(effects)
        records += [0, 0, 0, 0, cost, first_effect, end, *preconditions, *effects]
        record = end
    tables = {
        PLACES: places,
        RECORDS: records,
        NEEDED_BY: list(chain.from_iterable(needed_by)),
        ACHIEVERS: list(chain.from_iterable(achievers)),
        **{name: [0] * facts for name in (COSTS, ZONE, WAITING)},
        CUT: [0] * len(rows),
        QUEUE: [0] * queue_size(facts),
    }
    header = [packing.words, len(packing.fields), facts, record, *[0] * (_HEADER - PLACES)]
    return joined(header, tables, {NEEDED_BY: list(map(len, needed_by)), ACHIEVERS: list(map(len, achievers))})


# Helpers take the indices of tables from the header once, because a write to `params` might change them for all that
# the compiler knows.


@helper
def reach_effects(params, queue, facts, costs, record):
    """Lower the costs of the effects of an operator, from the costs of its supporter and its own."""
    total = min(params[record + SUPPORTER_COST] + params[record + COST], MAX_COST)
    for i in range(as_index(params[record + EFFECTS]), as_index(params[record + END])):
        fact = as_index(params[i])
        if total < params[costs + fact]:
            params[costs + fact] = total
            push(params, queue, facts, fact, total)


@helper
def start_fact(params, states, at, number):
    """Return the fact of a variable in the state at word offset `at`; after the last variable, the true fact."""
    if number == params[VARIABLES]:
        return as_index(params[FACTS] - 2)
    return fact_at(params, params[PLACES] + 4 * number, states, at)


@helper
def explore_all(params, states, at):
    """Compute the costs of all facts, and the supporters of all operators, from a state."""
    facts, queue = as_index(params[FACTS]), as_index(params[QUEUE])
    costs, needed_by = as_index(params[COSTS]), as_index(params[NEEDED_BY])
    clear(params, queue, facts)
    for fact in range(facts):
        params[costs + fact] = UNREACHED
    record, last = as_index(params[RECORDS]), params[RECORDS_END]
    while record < last:
        params[record + COST] = params[record + OWN_COST]
        params[record + LEFT] = params[record + EFFECTS] - record - PRECONDITIONS
        params[record + SUPPORTER] = -1
        record = as_index(params[record + END])
    for number in range(params[VARIABLES] + 1):
        fact = start_fact(params, states, at, number)
        params[costs + fact] = 0
        push(params, queue, facts, fact, np.int64(0))
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        reached = params[costs + fact]
        for i in members(params, needed_by + fact):
            record = as_index(params[i])
            params[record + LEFT] -= 1
            if params[record + LEFT] == 0:
                params[record + SUPPORTER] = fact
                params[record + SUPPORTER_COST] = reached
                reach_effects(params, queue, facts, costs, record)


@helper
def explore_again(params, count):
    """Update costs and supporters after the operators in the list `CUT` have become cheaper."""
    facts, queue = as_index(params[FACTS]), as_index(params[QUEUE])
    costs, needed_by = as_index(params[COSTS]), as_index(params[NEEDED_BY])
    restart(params, queue)
    cut = as_index(params[CUT])
    for i in range(cut, cut + count):
        reach_effects(params, queue, facts, costs, as_index(params[i]))
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        reached = params[costs + fact]
        for i in members(params, needed_by + fact):
            record = as_index(params[i])
            if params[record + SUPPORTER] != fact or params[record + SUPPORTER_COST] <= reached:
                continue
            chosen = most_expensive(params, costs, record)
            after, before = params[costs + chosen], params[record + SUPPORTER_COST]
            params[record + SUPPORTER], params[record + SUPPORTER_COST] = chosen, after
            if after != before:
                reach_effects(params, queue, facts, costs, record)


@helper
def most_expensive(params, costs, record):
    """Return the most expensive precondition of an operator."""
    chosen = as_index(params[record + PRECONDITIONS])
    for i in range(record + PRECONDITIONS + 1, params[record + EFFECTS]):
        fact = as_index(params[i])
        if params[costs + fact] > params[costs + chosen]:
            chosen = fact
    return chosen


@helper
def mark_goal_zone(params):
    """Mark the facts from which the goal can be reached at no cost, going back from effects to supporters."""
    facts, waiting = as_index(params[FACTS]), as_index(params[WAITING])
    zone, achievers = as_index(params[ZONE]), as_index(params[ACHIEVERS])
    for fact in range(facts):
        params[zone + fact] = NO_ZONE
    params[zone + facts - 1] = GOAL_ZONE
    params[waiting] = facts - 1
    count = 1
    while count > 0:
        count -= 1
        fact = as_index(params[waiting + count])
        for i in members(params, achievers + fact):
            record = as_index(params[i])
            if params[record + COST] > 0:
                continue
            reason = params[record + SUPPORTER]
            if reason >= 0 and params[zone + reason] != GOAL_ZONE:
                params[zone + reason] = GOAL_ZONE
                params[waiting + count] = reason
                count += 1


@helper
def find_cut(params, states, at):
    """Write the operators that lead into the goal zone to the list `CUT`, and return how many there are.

    Every plan has one of them: they are all operators that lead into the zone from facts that are reached outside of
    it, if operators need nothing but their supporters.
    """
    waiting, zone = as_index(params[WAITING]), as_index(params[ZONE])
    needed_by, cut = as_index(params[NEEDED_BY]), as_index(params[CUT])
    count, found = 0, 0
    for number in range(params[VARIABLES] + 1):
        fact = start_fact(params, states, at, number)
        params[zone + fact] = BEFORE_GOAL_ZONE
        params[waiting + count] = fact
        count += 1
    while count > 0:
        count -= 1
        fact = as_index(params[waiting + count])
        for i in members(params, needed_by + fact):
            record = as_index(params[i])
            if params[record + SUPPORTER] != fact:
                continue
            first, last = as_index(params[record + EFFECTS]), as_index(params[record + END])
            if reaches_zone(params, zone, first, last):
                params[cut + found] = record
                found += 1
                continue
            for j in range(first, last):
                effect = as_index(params[j])
                if params[zone + effect] == NO_ZONE:
                    params[zone + effect] = BEFORE_GOAL_ZONE
                    params[waiting + count] = effect
                    count += 1
    return found


@helper
def reaches_zone(params, zone, first, last):
    """Return whether one of the facts from index `first` to `last` is in the goal zone."""
    for i in range(first, last):
        if params[zone + as_index(params[i])] == GOAL_ZONE:
            return True
    return False


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
