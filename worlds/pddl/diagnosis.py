"""Places in the files for what the translator does without naming them: axioms, and actions that it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product

from worlds.pddl.conditions import Atom, BoundCondition, Conditions, Variable, atom_of
from worlds.pddl.lifted import changed_predicates, objects_of
from worlds.pddl.reader import Action, Domain, PddlProblem
from worlds.pddl.strips import joined
from worlds.pddl.syntax import Expression

_MAX_CHECKED = 100_000
"""Maximum number of costs that are looked at for each action."""


def condition_with_axioms(domain: Domain, problem: PddlProblem) -> Expression | None:
    """Return the first condition that the translator expresses by axioms; None if it is not found."""
    for action in domain.actions.values():
        conditions = [action.precondition, *_conditions_of(action.effect)]
        for condition in conditions:
            found = None if condition is None else _universal(condition, wanted=True)
            if found is not None:
                return found
    return _not_conjunctive(problem.goal)


def _conditions_of(effect: Expression | None) -> Iterator[Expression]:
    """Yield the conditions of the effects in an effect."""
    if effect is None:
        return
    if effect.head == "when":
        yield effect.lists(1)[0]
    inner = (
        effect.lists(1) if effect.head == "and" else effect.lists(1)[1:] if effect.head in ("when", "forall") else ()
    )
    for each in inner:
        yield from _conditions_of(each)


def _universal(condition: Expression, *, wanted: bool) -> Expression | None:
    """Return the first ``forall`` that must hold, or ``exists`` that must not."""
    head = condition.head
    if head in ("exists", "forall"):
        if (head == "forall") == wanted:
            return condition
        return _universal(condition.lists(2)[0], wanted=wanted)
    if head not in ("", "and", "or", "not", "imply"):
        return None
    for place, part in enumerate(condition.lists(1)):
        is_negated = head == "not" or (head == "imply" and place == 0)
        found = _universal(part, wanted=wanted != is_negated)
        if found is not None:
            return found
    return None


def _not_conjunctive(goal: Expression) -> Expression | None:
    """Return the first part of a goal that is neither a literal nor a conjunction of literals."""
    if goal.head in ("", "and"):
        return next((found for part in goal.lists(1) if (found := _not_conjunctive(part)) is not None), None)
    inner = goal.lists(1)[0] if goal.head == "not" else goal
    return goal if inner.head in ("and", "or", "not", "imply", "exists", "forall") else None


def cost_without_value(domain: Domain, problem: PddlProblem) -> str | None:
    """Return a cost that has no value, such as ``(length a b)``, though static preconditions allow the action.

    None if the first 100,000 costs of each action have values, or if costs do not count.
    """
    if not problem.counts_costs:
        return None
    known = {atom_of(each.items[1], {}) for each in problem.initial if each.head == "="}
    initial = frozenset(atom_of(each, {}) for each in problem.initial if each.head not in ("=", "not"))
    truth, changed = Conditions(objects_of(domain, problem), initial), changed_predicates(domain)
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
