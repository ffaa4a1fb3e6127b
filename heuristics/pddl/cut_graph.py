"""Delete relaxation as landmark cuts need it: operators with all their effects, and the costs of facts by `hmax`.

The relaxation has a fact that is always true, which is the precondition of operators without any, and an artificial
goal fact that an operator without cost makes true from all goal facts.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.fact_queue import clear, pop, push, queue_size
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
    places = zip(packing.word, packing.shift, packing.mask, first[:-1], strict=True)
    tables = {
        PLACES: list(chain.from_iterable(places)),
        **{name: list(chain.from_iterable(each)) for name, each in lists.items()},
        OWN_COST: [cost for _, _, cost in rows],
        **{name: [0] * len(rows) for name in (COST, LEFT, SUPPORTER, SUPPORTER_COST, CUT)},
        **{name: [0] * facts for name in (COSTS, ZONE, WAITING)},
        QUEUE: [0] * queue_size(facts),
    }
    header = [packing.words, len(packing.word), facts, len(rows), *[0] * (_HEADER - PLACES)]
    return joined(header, tables, {name: list(map(len, each)) for name, each in lists.items()})


@helper
def reach(params, fact, cost):
    """Lower the cost of a fact, if it is not as low already."""
    if cost < params[params[COSTS] + fact]:
        params[params[COSTS] + fact] = cost
        push(params, params[QUEUE], params[FACTS], fact, cost)


@helper
def reach_effects(params, operator):
    """Lower the costs of the effects of an operator, whose supporter is known."""
    cost = min(params[params[SUPPORTER_COST] + operator] + params[params[COST] + operator], MAX_FACT_COST)
    effects = params[EFFECTS] + operator
    for i in range(params[effects], params[effects + 1]):
        reach(params, params[i], cost)


@helper
def start_facts(params, states, at, number):
    """Return the fact of a variable in the state at word offset `at`; after the last variable, the true fact."""
    if number == params[VARIABLES]:
        return params[FACTS] - 2
    place = params[PLACES] + 4 * number
    value = (states[at + params[place]] >> np.uint64(params[place + 1])) & np.uint64(params[place + 2])
    return params[place + 3] + np.int64(value)


@helper
def explore_all(params, states, at):
    """Compute the costs of all facts, and the supporters of all operators, from a state."""
    facts, operators, queue, costs = params[FACTS], params[OPERATORS], params[QUEUE], params[COSTS]
    clear(params, queue, facts)
    for fact in range(facts):
        params[costs + fact] = UNREACHED
    for operator in range(operators):
        preconditions = params[PRECONDITIONS] + operator
        params[params[LEFT] + operator] = params[preconditions + 1] - params[preconditions]
        params[params[SUPPORTER] + operator] = -1
    for number in range(params[VARIABLES] + 1):
        reach(params, start_facts(params, states, at, number), np.int64(0))
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        for i in range(params[params[NEEDED_BY] + fact], params[params[NEEDED_BY] + fact + 1]):
            operator = params[i]
            params[params[LEFT] + operator] -= 1
            if params[params[LEFT] + operator] == 0:
                params[params[SUPPORTER] + operator] = fact
                params[params[SUPPORTER_COST] + operator] = params[costs + fact]
                reach_effects(params, operator)


@helper
def explore_again(params, count):
    """Update costs and supporters after the operators in the list `CUT` have become cheaper."""
    facts, queue, costs = params[FACTS], params[QUEUE], params[COSTS]
    params[queue] = 0  # the queue is empty, and takes keys from 0 again
    for i in range(params[CUT], params[CUT] + count):
        reach_effects(params, params[i])
    while True:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return
        for i in range(params[params[NEEDED_BY] + fact], params[params[NEEDED_BY] + fact + 1]):
            operator = params[i]
            before = params[params[SUPPORTER_COST] + operator]
            if params[params[SUPPORTER] + operator] == fact and before > params[costs + fact]:
                choose_supporter(params, operator)
                if params[params[SUPPORTER_COST] + operator] != before:
                    reach_effects(params, operator)


@helper
def choose_supporter(params, operator):
    """Make the most expensive precondition of an operator its supporter."""
    preconditions = params[PRECONDITIONS] + operator
    chosen = params[params[preconditions]]
    for i in range(params[preconditions] + 1, params[preconditions + 1]):
        if params[params[COSTS] + params[i]] > params[params[COSTS] + chosen]:
            chosen = params[i]
    params[params[SUPPORTER] + operator] = chosen
    params[params[SUPPORTER_COST] + operator] = params[params[COSTS] + chosen]


@helper
def mark_goal_zone(params):
    """Mark the facts from which the goal can be reached at no cost, going back from effects to supporters."""
    waiting, zone = params[WAITING], params[ZONE]
    for fact in range(params[FACTS]):
        params[zone + fact] = NO_ZONE
    params[zone + params[FACTS] - 1] = GOAL_ZONE
    params[waiting] = params[FACTS] - 1
    count = 1
    while count > 0:
        count -= 1
        fact = params[waiting + count]
        for i in range(params[params[ACHIEVERS] + fact], params[params[ACHIEVERS] + fact + 1]):
            operator = params[i]
            supporter = params[params[SUPPORTER] + operator]
            if supporter >= 0 and params[params[COST] + operator] == 0 and params[zone + supporter] != GOAL_ZONE:
                params[zone + supporter] = GOAL_ZONE
                params[waiting + count] = supporter
                count += 1


@helper
def find_cut(params, states, at):
    """Write the operators that lead into the goal zone to the list `CUT`, and return how many there are.

    Every plan has one of them: they are all operators that lead into the zone from facts that are reached outside of
    it, if operators need nothing but their supporters.
    """
    waiting, zone = params[WAITING], params[ZONE]
    count, found = 0, 0
    for number in range(params[VARIABLES] + 1):
        fact = start_facts(params, states, at, number)
        params[zone + fact] = BEFORE_GOAL_ZONE
        params[waiting + count] = fact
        count += 1
    while count > 0:
        count -= 1
        fact = params[waiting + count]
        for i in range(params[params[NEEDED_BY] + fact], params[params[NEEDED_BY] + fact + 1]):
            operator = params[i]
            if params[params[SUPPORTER] + operator] != fact:
                continue
            effects = params[EFFECTS] + operator
            leads_into_zone = False
            for j in range(params[effects], params[effects + 1]):
                leads_into_zone |= params[zone + params[j]] == GOAL_ZONE
            if leads_into_zone:
                params[params[CUT] + found] = operator
                found += 1
                continue
            for j in range(params[effects], params[effects + 1]):
                if params[zone + params[j]] == NO_ZONE:
                    params[zone + params[j]] = BEFORE_GOAL_ZONE
                    params[waiting + count] = params[j]
                    count += 1
    return found
