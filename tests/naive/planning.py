"""Naive heuristics for planning tasks, written from their definitions, and exact costs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from itertools import product

from worlds.pddl import rules
from worlds.pddl.task import Fact, Operator, Task, Values

Step = tuple[frozenset[Fact], Fact, int, Operator]
Costs = dict[Fact, float]


def h_star(task: Task, values: Values) -> float:
    """Return the cost of an optimal plan from a state, by Dijkstra's algorithm."""
    queue, closed = [(0, values)], set()
    while queue:
        cost, state = heapq.heappop(queue)
        if rules.is_goal(task, state):
            return cost
        if state not in closed:
            closed.add(state)
            for operator, after in rules.successors(task, state):
                heapq.heappush(queue, (cost + operator.cost, after))
    return math.inf


def h_plus(task: Task, values: Values) -> float:
    """Return the cost of an optimal plan of the delete relaxation, by Dijkstra's algorithm over sets of facts."""
    queue, closed, tie = [(0, 0, frozenset(enumerate(values)))], set(), 0
    while queue:
        cost, _, facts = heapq.heappop(queue)
        if facts.issuperset(task.goal):
            return cost
        if facts in closed:
            continue
        closed.add(facts)
        for operator in task.operators:
            if facts.issuperset(operator.preconditions):
                new = {(e.variable, e.value) for e in operator.effects if facts.issuperset(e.conditions)}
                if not new <= facts:
                    tie += 1
                    heapq.heappush(queue, (cost + operator.cost, tie, facts | new))
    return math.inf


def steps_of(task: Task) -> list[Step]:
    """Return a step for each effect of each operator, and for axioms: conditions, effect, cost, operator."""
    operators = [
        (frozenset((*operator.preconditions, *each.conditions)), (each.variable, each.value), operator.cost, operator)
        for operator in task.operators
        for each in operator.effects
    ]
    axioms = [(frozenset(each.conditions), (each.variable, each.value)) for each in task.axioms]
    return operators + [(*each, 0, Operator("axiom", (), (), 0)) for each in axioms + default_steps(task)]


def default_steps(task: Task) -> list[tuple[frozenset[Fact], Fact]]:
    """Return conditions for which derived variables have their default values: a violation of each of their axioms."""
    found: list[tuple[frozenset[Fact], Fact]] = []
    for variable, default in task.defaults.items():
        if variable in _derived_from(task, variable):
            found.append((frozenset(), (variable, default)))
            continue
        violations = [
            [(v, other) for v, value in axiom.conditions for other in range(len(task.facts[v])) if other != value]
            for axiom in task.axioms
            if axiom.variable == variable
        ]
        sets = map(frozenset, product(*violations))
        found += [(each, (variable, default)) for each in sets if len(dict(each)) == len(each)]  # one value each
    return found


def _derived_from(task: Task, variable: int) -> set[int]:
    """Return the variables on which a derived variable depends, directly or not."""
    found, waiting = set[int](), [variable]
    while waiting:
        each = waiting.pop()
        new = {needed for axiom in task.axioms if axiom.variable == each for needed, _ in axiom.conditions} - found
        found |= new
        waiting += new
    return found


def fact_costs(task: Task, values: Values, combine: Callable[[Iterable[float]], float]) -> Costs:
    """Return the costs of all facts: repeat all steps until nothing changes."""
    costs: Costs = {(v, value): math.inf for v, facts in enumerate(task.facts) for value in range(len(facts))}
    costs.update((fact, 0) for fact in enumerate(values))
    changed = True
    while changed:
        changed = False
        for needed, effect, cost, _ in steps_of(task):
            total = combine([costs[fact] for fact in needed] or [0]) + cost
            if total < costs[effect]:
                costs[effect], changed = total, True
    return costs


def hmax(task: Task, values: Values) -> float:
    costs = fact_costs(task, values, max)
    return max((costs[fact] for fact in task.goal), default=0)


def hadd(task: Task, values: Values) -> float:
    costs = fact_costs(task, values, sum)
    return sum(costs[fact] for fact in task.goal)


def relaxed_plan(task: Task, values: Values) -> list[Step]:
    """Return the steps of a relaxed plan by the costs of `hadd`. Exact only if each fact has one cheapest step."""
    costs = fact_costs(task, values, sum)
    plan, waiting, seen = list[Step](), list(task.goal), set()
    while waiting:
        fact = waiting.pop()
        if fact in seen or values[fact[0]] == fact[1]:
            continue
        seen.add(fact)
        step = min(
            (step for step in steps_of(task) if step[1] == fact),
            key=lambda step: sum(costs[f] for f in step[0]) + step[2],
        )
        plan.append(step)
        waiting += step[0]
    return plan


def ff(task: Task, values: Values) -> float:
    """Return the cost of the operators of a relaxed plan."""
    if math.isinf(hadd(task, values)):
        return math.inf
    return sum(operator.cost for operator in {operator for *_, operator in relaxed_plan(task, values)})


def helpful(task: Task, values: Values) -> list[int]:
    """Return the places of the successors by operators of a relaxed plan that support a fact at no further cost."""
    if math.isinf(hadd(task, values)):
        return []
    costs = fact_costs(task, values, sum)
    preferred = [step[3] for step in relaxed_plan(task, values) if all(costs[fact] == 0 for fact in step[0])]
    return [k for k, (operator, _) in enumerate(rules.successors(task, values)) if operator in preferred]


def blind(task: Task, values: Values) -> float:
    return 0 if rules.is_goal(task, values) else min((o.cost for o in task.operators), default=0)


def goal_count(task: Task, values: Values) -> float:
    return sum(values[variable] != value for variable, value in task.goal)
