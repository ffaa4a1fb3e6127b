"""The state equation from its definition, and the simplex method over fractions, which is exact."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from worlds.pddl import rules
from worlds.pddl.task import Fact, Operator, Task, Values


def operator_counting(task: Task, values: Values) -> float:
    """Return the value of a state: the optimum, rounded up."""
    optimum = least_cost(task, values)
    return math.ceil(optimum) if isinstance(optimum, Fraction) else optimum


def least_cost(task: Task, values: Values) -> Fraction | float:
    """Return the optimum of the linear program of a state: a column for each operator, and a row for each fact."""
    facts = [(variable, value) for variable, names in enumerate(task.facts) for value in range(len(names))]
    changes = [changes_of(task, operator) for operator in task.operators]
    rows = [[each.get(fact, 0) for each in changes] for fact in facts]
    bounds = [(fact in task.goal) - (values[fact[0]] == fact[1]) for fact in facts]
    return optimum_of([operator.cost for operator in task.operators], rows, bounds)


def changes_of(task: Task, operator: Operator) -> dict[Fact, int]:
    """Apply an operator to all values of the variables that it names; return the largest change of each fact."""
    conditions = [fact for effect in operator.effects for fact in effect.conditions]
    named = {variable for variable, _ in (*operator.preconditions, *conditions)}
    named |= {effect.variable for effect in operator.effects}
    found: dict[Fact, list[int]] = {}
    for chosen in product(*(range(len(names)) if number in named else [0] for number, names in enumerate(task.facts))):
        if not rules.is_applicable(operator, chosen):
            continue
        after = rules.apply(operator, chosen)
        for variable in named:
            for value in range(len(task.facts[variable])):
                change = (after[variable] == value) - (chosen[variable] == value)
                found.setdefault((variable, value), []).append(change)
    return {fact: max(changes) for fact, changes in found.items()}


def optimum_of(costs: list[int], rows: list[list[int]], bounds: list[int]) -> Fraction | float:
    """Return the least cost of numbers of at least 0 whose products with the rows reach the bounds.

    This is the dual simplex method with Bland's rule. A row of the table has the value of a basic variable, then its
    change with each of the other variables; the last row has the cost.
    """
    table = [[Fraction(-bound), *map(Fraction, row)] for row, bound in zip(rows, bounds, strict=True)]
    table.append([Fraction(0), *map(Fraction, costs)])
    others, basic = list(range(len(costs))), list(range(len(costs), len(costs) + len(rows)))
    while negative := [row for row in range(len(rows)) if table[row][0] < 0]:
        leaving = min(negative, key=lambda row: basic[row])
        rising = [column for column in range(1, len(costs) + 1) if table[leaving][column] > 0]
        if not rising:
            return math.inf
        entering = min(rising, key=lambda column: (table[-1][column] / table[leaving][column], others[column - 1]))
        basic[leaving], others[entering - 1] = others[entering - 1], basic[leaving]
        pivot(table, leaving, entering)
    return table[-1][0]


def pivot(table: list[list[Fraction]], leaving: int, entering: int) -> None:
    """Exchange the basic variable of a row for the variable of a column."""
    old = table[leaving]
    new = [-entry / old[entering] for entry in old]
    new[entering] = 1 / old[entering]
    for number, row in enumerate(table):
        factor = row[entering]
        changed = [entry + factor * other for entry, other in zip(row, new, strict=True)]
        changed[entering] = factor * new[entering]
        table[number] = changed
    table[leaving] = new
