"""Delete relaxation as landmark cuts need it: operators with all their effects, and the costs of facts by `hmax`.

The relaxation has a fact that is always true, which is the precondition of operators without any, and an artificial
goal fact that an operator without cost makes true from all goal facts.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.fact_queue import clear, pop, push, queue_size, restart
from heuristics.pddl.relaxation import MAX_FACT_COST, UNREACHED, first_facts, joined
from heuristics.pddl.task_of import task_of
from worlds.interface import Problem
from worlds.kernel import helper
from worlds.pddl.packing import packing_of

# Layout of params: a header with sizes and with the index of each table.
#   PLACES: word, shift, mask and first fact of each variable
#   PRECONDITIONS, EFFECTS: for each operator, index of its list of facts; one more at the end
#   NEEDED_BY, ACHIEVERS: for each fact, index of the list of operators with this precondition or effect; one more
#   OWN_COST: cost of each operator
#   COST: what is left of it. LEFT: number of preconditions that are not reached
#   SUPPORTER, SUPPORTER_COST: most expensive precondition of each operator (-1: not reached), and its cost
#   COSTS, ZONE: cost of each fact; whether it is in the goal zone, or before it
#   CUT, WAITING: list of operators; stack of facts. QUEUE: see `fact_queue`
(WORDS, VARIABLES, FACTS, OPERATORS, PLACES, PRECONDITIONS, EFFECTS, NEEDED_BY, ACHIEVERS, OWN_COST, COST, LEFT,
 SUPPORTER, SUPPORTER_COST, COSTS, ZONE, CUT, WAITING, QUEUE) = range(19)  # fmt: skip
_HEADER = 19

NO_ZONE, BEFORE_GOAL_ZONE, GOAL_ZONE = range(3)


def params_of(problem: Problem) -> NDArray[np.int64]:
    """Return the params of the kernel, in the layout above. The last two facts are the artificial ones."""
    task = task_of(problem)
    packing, first = packing_of(task), first_facts(task)
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
    for number, (preconditions, effects, _) in enumerate(rows):
        for fact in preconditions:
            needed_by[fact].append(number)
        for fact in effects:
            achievers[fact].append(number)
    lists = {
        PRECONDITIONS: [preconditions for preconditions, _, _ in rows],
        EFFECTS: [effects for _, effects, _ in rows],
        NEEDED_BY: needed_by,
        ACHIEVERS: achievers,
    }
    places = ((*field, fact) for field, fact in zip(packing.fields, first[:-1], strict=True))
    tables = {
        PLACES: list(chain.from_iterable(places)),
        **{name: list(chain.from_iterable(each)) for name, each in lists.items()},
        OWN_COST: [cost for _, _, cost in rows],
        **{name: [0] * len(rows) for name in (COST, LEFT, SUPPORTER, SUPPORTER_COST, CUT)},
        **{name: [0] * facts for name in (COSTS, ZONE, WAITING)},
        QUEUE: [0] * queue_size(facts),
    }
    header = [packing.words, len(packing.fields), facts, len(rows), *[0] * (_HEADER - PLACES)]
    return joined(header, tables, {name: list(map(len, each)) for name, each in lists.items()})


# Helpers take the indices of tables from the header once, because a write to `params` might change them for all that
# the compiler knows.


@helper
def reach_effects(params, queue, facts, costs, effects, operator, supporter_cost, cost):
    """Lower the costs of the effects of an operator, from the costs of its supporter and its own."""
    total = min(supporter_cost + cost, MAX_FACT_COST)
    for i in range(params[effects + operator], params[effects + operator + 1]):
        fact = params[i]
        if total < params[costs + fact]:
            params[costs + fact] = total
            push(params, queue, facts, fact, total)


@helper
def start_fact(params, states, at, number):
    """Return the fact of a variable in the state at word offset `at`; after the last variable, the true fact."""
    if number == params[VARIABLES]:
        return params[FACTS] - 2
    place = params[PLACES] + 4 * number
    value = (states[at + params[place]] >> np.uint64(params[place + 1])) & np.uint64(params[place + 2])
    return params[place + 3] + np.int64(value)


@helper
def explore_all(params, states, at):
    """Compute the costs of all facts, and the supporters of all operators, from a state."""
    facts, operators, queue, costs, cost = params[FACTS], params[OPERATORS], params[QUEUE], params[COSTS], params[COST]
    left, needed_by, preconditions, effects = params[LEFT], params[NEEDED_BY], params[PRECONDITIONS], params[EFFECTS]
    supporter, supporter_cost = params[SUPPORTER], params[SUPPORTER_COST]
    clear(params, queue, facts)
    for fact in range(facts):
        params[costs + fact] = UNREACHED
    for operator in range(operators):
        params[left + operator] = params[preconditions + operator + 1] - params[preconditions + operator]
        params[supporter + operator] = -1
    for number in range(params[VARIABLES] + 1):
        fact = start_fact(params, states, at, number)
        params[costs + fact] = 0
        push(params, queue, facts, fact, np.int64(0))
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        reached = params[costs + fact]
        for i in range(params[needed_by + fact], params[needed_by + fact + 1]):
            operator = params[i]
            params[left + operator] -= 1
            if params[left + operator] == 0:
                params[supporter + operator] = fact
                params[supporter_cost + operator] = reached
                reach_effects(params, queue, facts, costs, effects, operator, reached, params[cost + operator])


@helper
def explore_again(params, count):
    """Update costs and supporters after the operators in the list `CUT` have become cheaper."""
    facts, queue, costs, cost, effects = params[FACTS], params[QUEUE], params[COSTS], params[COST], params[EFFECTS]
    supporter, supporter_cost = params[SUPPORTER], params[SUPPORTER_COST]
    needed_by, preconditions = params[NEEDED_BY], params[PRECONDITIONS]
    restart(params, queue)
    for i in range(params[CUT], params[CUT] + count):
        operator = params[i]
        before = params[supporter_cost + operator]
        reach_effects(params, queue, facts, costs, effects, operator, before, params[cost + operator])
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        reached = params[costs + fact]
        for i in range(params[needed_by + fact], params[needed_by + fact + 1]):
            operator = params[i]
            before = params[supporter_cost + operator]
            if params[supporter + operator] == fact and before > reached:
                chosen = most_expensive(params, costs, preconditions + operator)
                after = params[costs + chosen]
                params[supporter + operator], params[supporter_cost + operator] = chosen, after
                if after != before:
                    reach_effects(params, queue, facts, costs, effects, operator, after, params[cost + operator])


@helper
def most_expensive(params, costs, facts):
    """Return the most expensive fact of a list, which has its index at `facts`."""
    chosen = params[params[facts]]
    for i in range(params[facts] + 1, params[facts + 1]):
        if params[costs + params[i]] > params[costs + chosen]:
            chosen = params[i]
    return chosen


@helper
def mark_goal_zone(params):
    """Mark the facts from which the goal can be reached at no cost, going back from effects to supporters."""
    facts, waiting, zone, cost = params[FACTS], params[WAITING], params[ZONE], params[COST]
    achievers, supporter = params[ACHIEVERS], params[SUPPORTER]
    for fact in range(facts):
        params[zone + fact] = NO_ZONE
    params[zone + facts - 1] = GOAL_ZONE
    params[waiting] = facts - 1
    count = 1
    while count > 0:
        count -= 1
        fact = params[waiting + count]
        for i in range(params[achievers + fact], params[achievers + fact + 1]):
            operator = params[i]
            if params[cost + operator] > 0:
                continue
            reason = params[supporter + operator]
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
    waiting, zone, effects = params[WAITING], params[ZONE], params[EFFECTS]
    needed_by, supporter, cut = params[NEEDED_BY], params[SUPPORTER], params[CUT]
    count, found = 0, 0
    for number in range(params[VARIABLES] + 1):
        fact = start_fact(params, states, at, number)
        params[zone + fact] = BEFORE_GOAL_ZONE
        params[waiting + count] = fact
        count += 1
    while count > 0:
        count -= 1
        fact = params[waiting + count]
        for i in range(params[needed_by + fact], params[needed_by + fact + 1]):
            operator = params[i]
            if params[supporter + operator] != fact:
                continue
            first, last = params[effects + operator], params[effects + operator + 1]
            if reaches_zone(params, zone, first, last):
                params[cut + found] = operator
                found += 1
                continue
            for j in range(first, last):
                if params[zone + params[j]] == NO_ZONE:
                    params[zone + params[j]] = BEFORE_GOAL_ZONE
                    params[waiting + count] = params[j]
                    count += 1
    return found


@helper
def reaches_zone(params, zone, first, last):
    """Return whether one of the facts from index `first` to `last` is in the goal zone."""
    for i in range(first, last):
        if params[zone + params[i]] == GOAL_ZONE:
            return True
    return False
