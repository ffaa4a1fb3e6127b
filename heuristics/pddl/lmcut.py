"""Landmark cuts: every plan contains an operator of each cut.

The delete relaxation has operators with all their effects here, and the costs of facts by `hmax`. It has a fact that is
always true, which is the precondition of operators without any, and an artificial goal fact that an operator without
cost makes true from all goal facts.

Values depend on ties, which are those of Fast Downward 26 (without conditional effects, which that refuses):

- Facts of equal cost are taken in the order of `cut_queue`. The facts of the state are put there by variables, and the
  true fact last. Operators that need a fact come in the order of the task, and the one that makes the goal true last.
- In the first exploration, the precondition that is taken last supports an operator. Later, when the cost of the
  supporter has fallen, it stays if none costs more, else the first of the most expensive ones takes its place.
- The goal zone is found depth first. When it reaches an operator without cost, the first precondition that costs as
  much as the supporter takes its place if it is in the zone, or only operators with costs make it true.
- Operators of a cut are found depth first from the true fact and the facts of the state, the last one first.
- In states other than the start, the queue begins as a heap if that of the start has become one.

Source of the third rule: Lauer and Fickert, "Beating LM-cut with LM-cut: Quick cutting and practical tie breaking for
the precondition choice function", HSDIP workshop, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Term
from heuristics.pddl.cost_type import CostTyped
from heuristics.pddl.cut_queue import IS_HEAP, clear, pop, push, with_queue
from heuristics.pddl.facts import fact_at, first_facts, joined, members, places_of, refuse_axioms, task_of
from heuristics.pddl.relaxation import UNREACHED
from worlds.compile import MAX_COST, as_index, helper, kernel
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import CostMode

# Layout of params: a header with sizes and with the index of each table.
#   PLACES: word, shift, mask and first fact of each variable
#   RECORDS: record of each operator; the next one begins at its END
#   NEEDED_BY, ACHIEVERS: for each fact, index of the list of operators with this precondition or effect; one more
#   COSTS, ZONE: cost of each fact; whether it is in the goal zone, or before it
#   FREE: whether an operator without cost makes the fact true
#   CUT, WAITING, NEXT: list of operators; stack of facts, and for each of them the index of the next operator
#   START, STATE: facts of the start and of the state, by variables
#   FIRST_QUEUE: whether the queue begins as a heap; -1 before the start is explored. QUEUE: see `cut_queue`
(WORDS, VARIABLES, FACTS, RECORDS_END, PLACES, RECORDS, NEEDED_BY, ACHIEVERS, COSTS, ZONE, FREE, CUT, WAITING, NEXT,
 START, STATE, FIRST_QUEUE, QUEUE) = range(18)  # fmt: skip
_HEADER = 18

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
            list(dict.fromkeys(first[effect.variable] + effect.value for effect in operator.effects)),
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
    start = [*map(sum, zip(first, task.initial, strict=False)), always]
    tables = {
        PLACES: places,
        RECORDS: records,
        NEEDED_BY: list(chain.from_iterable(needed_by)),
        ACHIEVERS: list(chain.from_iterable(achievers)),
        **{name: [0] * facts for name in (COSTS, ZONE, FREE, WAITING, NEXT)},
        CUT: [0] * len(rows),
        START: start,
        STATE: start,
    }
    header = [packing.words, len(packing.fields), facts, record, *[0] * (_HEADER - PLACES)]
    params = joined(header, tables, {NEEDED_BY: list(map(len, needed_by)), ACHIEVERS: list(map(len, achievers))})
    params[FIRST_QUEUE] = -1
    # In the first exploration each operator reaches its effects once, and later once more for each precondition.
    came = len(start) + sum(len(effects) for _, effects, _ in rows)
    return with_queue(params, QUEUE, came, came + sum(len(needed) * len(effects) for needed, effects, _ in rows))


# Helpers take the indices of tables from the header once, because a write to `params` might change them for all that
# the compiler knows.


@helper
def reach_effects(params, queue, costs, record):
    """Lower the costs of the effects of an operator, from the costs of its supporter and its own."""
    total = min(params[record + SUPPORTER_COST] + params[record + COST], MAX_COST)
    for i in range(as_index(params[record + EFFECTS]), as_index(params[record + END])):
        fact = as_index(params[i])
        if total < params[costs + fact]:
            params[costs + fact] = total
            push(params, queue, fact, total)


@helper
def charge(params, record, cost):
    """Set what is left of the cost of an operator."""
    params[record + COST] = cost
    if cost == 0:
        free = as_index(params[FREE])
        for i in range(as_index(params[record + EFFECTS]), as_index(params[record + END])):
            params[free + as_index(params[i])] = 1


@helper
def explore_all(params):
    """Compute the costs of all facts, and the supporters of all operators, from the facts in the table `STATE`."""
    facts, queue = as_index(params[FACTS]), as_index(params[QUEUE])
    costs, needed_by = as_index(params[COSTS]), as_index(params[NEEDED_BY])
    start = as_index(params[START])
    state = as_index(params[STATE])
    count = params[VARIABLES] + 1
    free = as_index(params[FREE])
    for fact in range(facts):
        params[costs + fact] = UNREACHED
        params[free + fact] = 0
    record, last = as_index(params[RECORDS]), params[RECORDS_END]
    while record < last:
        charge(params, record, params[record + OWN_COST])
        params[record + LEFT] = params[record + EFFECTS] - record - PRECONDITIONS
        params[record + SUPPORTER] = -1
        record = as_index(params[record + END])
    is_start = True
    for number in range(count):
        is_start = is_start and params[state + number] == params[start + number]
    clear(params, queue, np.int64(0) if is_start else params[FIRST_QUEUE])
    for number in range(count):
        fact = as_index(params[state + number])
        params[costs + fact] = 0
        push(params, queue, fact, np.int64(0))
    while True:
        fact = pop(params, queue, costs)
        if fact < 0:
            return
        reached = params[costs + fact]
        for i in members(params, needed_by + fact):
            record = as_index(params[i])
            params[record + LEFT] -= 1
            if params[record + LEFT] == 0:
                params[record + SUPPORTER] = fact
                params[record + SUPPORTER_COST] = reached
                reach_effects(params, queue, costs, record)


@helper
def explore_again(params, count):
    """Update costs and supporters after the operators in the list `CUT` have become cheaper."""
    queue, cut = as_index(params[QUEUE]), as_index(params[CUT])
    costs, needed_by = as_index(params[COSTS]), as_index(params[NEEDED_BY])
    for i in range(cut, cut + count):
        reach_effects(params, queue, costs, as_index(params[i]))
    while True:
        fact = pop(params, queue, costs)
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
                reach_effects(params, queue, costs, record)


@helper
def most_expensive(params, costs, record):
    """Return the most expensive precondition of an operator: of equals the supporter, or else the first."""
    chosen = as_index(params[record + SUPPORTER])
    for i in range(record + PRECONDITIONS, params[record + EFFECTS]):
        fact = as_index(params[i])
        if params[costs + fact] > params[costs + chosen]:
            chosen = fact
    return chosen


@helper
def mark_goal_zone(params):
    """Mark the facts from which the goal can be reached at no cost, going back from effects to supporters."""
    facts = as_index(params[FACTS])
    waiting = as_index(params[WAITING])
    following = as_index(params[NEXT])
    zone, achievers = as_index(params[ZONE]), as_index(params[ACHIEVERS])
    for fact in range(facts):
        params[zone + fact] = NO_ZONE
    reason = facts - 1
    count = 0
    while True:
        if reason >= 0 and params[zone + reason] != GOAL_ZONE:
            params[zone + reason] = GOAL_ZONE
            params[waiting + count] = reason
            params[following + count] = params[achievers + reason]
            count += 1
        reason = -1
        while reason < 0:
            if count == 0:
                return
            fact, i = as_index(params[waiting + count - 1]), as_index(params[following + count - 1])
            if i == params[achievers + fact + 1]:
                count -= 1
                continue
            params[following + count - 1] = i + 1
            record = as_index(params[i])
            if params[record + COST] == 0 and params[record + SUPPORTER] >= 0:
                reason = choose_in_zone(params, zone, record)


@helper
def choose_in_zone(params, zone, record):
    """Let the first most expensive precondition in the goal zone or at its border support an operator; return it."""
    costs = as_index(params[COSTS])
    free = as_index(params[FREE])
    cost = params[record + SUPPORTER_COST]
    for i in range(record + PRECONDITIONS, params[record + EFFECTS]):
        fact = as_index(params[i])
        if params[costs + fact] == cost and (params[free + fact] == 0 or params[zone + fact] == GOAL_ZONE):
            params[record + SUPPORTER] = fact
            break
    return params[record + SUPPORTER]


@helper
def find_cut(params):
    """Write the operators that lead into the goal zone to the list `CUT`, and return how many there are.

    Every plan has one of them: they are all operators that lead into the zone from facts that are reached outside of
    it, if operators need nothing but their supporters.
    """
    waiting, zone = as_index(params[WAITING]), as_index(params[ZONE])
    needed_by, cut = as_index(params[NEEDED_BY]), as_index(params[CUT])
    state, variables = as_index(params[STATE]), params[VARIABLES]
    count, found = 0, 0
    for number in range(-1, variables):
        fact = as_index(params[state + (variables if number < 0 else number)])
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
    if params[FIRST_QUEUE] < 0:  # the table `STATE` has the start
        explore_all(params)
        params[FIRST_QUEUE] = params[as_index(params[QUEUE] + IS_HEAP)]
    state = as_index(params[STATE])
    for number in range(params[VARIABLES]):
        params[state + number] = fact_at(params, params[PLACES] + 4 * number, states, at)
    explore_all(params)
    if params[goal] == UNREACHED:
        return np.int64(UNREACHABLE)
    total = np.int64(0)
    while params[goal] > 0:
        mark_goal_zone(params)
        count = find_cut(params)
        least = params[as_index(params[cut]) + COST]
        for i in range(cut + 1, cut + count):
            least = min(least, params[as_index(params[i]) + COST])
        for i in range(cut, cut + count):
            record = as_index(params[i])
            charge(params, record, params[record + COST] - least)
        total += least
        explore_again(params, count)
    return total


@kernel(TERM)
def lmcut(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add up the cuts of each state."""
    for k in range(n):
        h[slot + k] += sum_of_cuts(params, out, out_at + k * params[WORDS])
    return 0
