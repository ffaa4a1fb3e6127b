"""Costs without a value: the translator leaves such actions out without naming them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product

from worlds.pddl.conditions import Atom, BoundCondition, Conditions, Variable, atom_of
from worlds.pddl.lifted import Simulator, changed_predicates, objects_of
from worlds.pddl.reader import Action, Domain, PddlProblem
from worlds.pddl.strips import joined
from worlds.pddl.syntax import Expression

_MAX_CHECKED = 100_000
"""Maximum number of costs that are looked at for each action."""


def cost_without_value(domain: Domain, problem: PddlProblem) -> str | None:
    """Return a cost that has no value, such as ``(length a b)``, though static preconditions allow the action.

    None if the first 100,000 costs of each action have values, or if costs do not count.
    """
    if not problem.counts_costs:
        return None
    known = {atom_of(each.items[1], {}) for each in problem.initial if each.head == "="}
    truth = Conditions(objects_of(domain, problem), Simulator(domain, problem).initial)
    changed = changed_predicates(domain)
    costs = chain.from_iterable(
        islice(_costs_of(action, changed, truth), _MAX_CHECKED) for action in domain.actions.values()
    )
    missing = next((cost for cost in costs if cost not in known), None)
    return None if missing is None else f"({' '.join(missing)})"


def _costs_of(action: Action, changed: set[str], truth: Conditions) -> Iterator[Atom]:
    """Yield the costs of an action for the arguments that its static preconditions allow."""
    parts = [] if action.effect is None else [action.effect, *_members(action.effect)]
    amount = next((each.items[2] for each in parts if each.head == "increase"), None)
    if amount is None or (isinstance(amount, str) and amount.isdecimal()):
        return
    names = amount.variables if isinstance(amount, Expression) else ()
    variables = {name: Variable(truth.objects.of_type(types)) for name, types in action.parameters}
    if not all(variable.objects for variable in variables.values()):
        return
    conditions = [] if action.precondition is None else [action.precondition, *_members(action.precondition)]
    static = [
        BoundCondition(each, True, variables)
        for each in conditions
        if each.head not in ("", "and", "or", "not", "imply", "exists", "forall", *changed)
    ]
    for values in joined(static, truth):
        of_names = [variables[name] for name in names]
        for chosen in product(*((values[each],) if each in values else each.objects for each in of_names)):
            yield atom_of(amount, dict(zip(names, chosen, strict=True)))


def _members(expression: Expression) -> Iterator[Expression]:
    """Yield the lists in a conjunction, and in conjunctions in it."""
    if expression.head == "and":
        for each in expression.lists(1):
            yield each
            yield from _members(each)
