"""Rules of SAS+ in plain Python: the reference implementation for the kernels in `worlds.pddl.search`.

Plans of PDDL tasks are validated by `worlds.pddl.lifted`, which does not use the translated task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worlds.pddl.task import Operator, Task, Values


def is_goal(task: Task, values: Values) -> bool:
    """Return whether all goal facts hold."""
    return all(values[variable] == value for variable, value in task.goal)


def is_applicable(operator: Operator, values: Values) -> bool:
    """Return whether all preconditions hold."""
    return all(values[variable] == value for variable, value in operator.preconditions)


def apply(operator: Operator, values: Values) -> Values:
    """Return the values after the effects of an operator. Their conditions refer to the state before."""
    after = list(values)
    for effect in operator.effects:
        if all(values[variable] == value for variable, value in effect.conditions):
            after[effect.variable] = effect.value
    return tuple(after)


def evaluated(task: Task, values: Values) -> Values:
    """Return a state with the derived variables as the axioms say.

    They get their default values. Then the axioms of each layer, from the lowest on, apply until nothing changes.
    """
    if not task.defaults:
        return values
    after = list(values)
    for variable, value in task.defaults.items():
        after[variable] = value
    for layer in sorted({task.layers[axiom.variable] for axiom in task.axioms}):
        axioms = [axiom for axiom in task.axioms if task.layers[axiom.variable] == layer]
        changed = True
        while changed:
            changed = False
            for axiom in axioms:
                applies = all(after[variable] == value for variable, value in axiom.conditions)
                if applies and after[axiom.variable] != axiom.value:
                    after[axiom.variable] = axiom.value
                    changed = True
    return tuple(after)


def successor(task: Task, operator: Operator, values: Values) -> Values:
    """Return the state after an operator."""
    return evaluated(task, apply(operator, values))


def successors(task: Task, values: Values) -> Iterator[tuple[Operator, Values]]:
    """Yield the applicable operators, in the order of the task, and the states to which they lead."""
    for operator in task.operators:
        if is_applicable(operator, values):
            yield operator, successor(task, operator, values)


def play(task: Task, plan: Sequence[str]) -> Iterator[tuple[Values, int]]:
    """Yield the state after each action of a plan, and the cost so far. Stop before an action that is not possible.

    Several operators may have the same name, as those of an action with a disjunctive precondition. The first
    applicable one is played.
    """
    by_name: dict[str, list[Operator]] = {}
    for each in task.operators:
        by_name.setdefault(each.name, []).append(each)
    values, cost = task.initial, 0
    for name in plan:
        operator = next((each for each in by_name.get(name, ()) if is_applicable(each, values)), None)
        if operator is None:
            return
        values, cost = successor(task, operator, values), cost + operator.cost
        yield values, cost
