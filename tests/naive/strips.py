"""Grounding of STRIPS tasks by enumeration, step by step as Pyperplan 2.1 does it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from worlds.pddl.lifted import objects_of
from worlds.pddl.reader import Domain, PddlProblem
from worlds.pddl.syntax import Expression

Facts = frozenset[str]
Row = tuple[str, Facts, Facts, Facts, Facts]
"""Name, preconditions, negative preconditions, added and deleted facts of an operator."""


def ground(domain: Domain, problem: PddlProblem) -> tuple[Facts, Facts, Facts, list[Row]]:
    """Return facts, initial state, goals and operators."""
    objects = objects_of(domain, problem)
    true = {_text(each, {}) for each in problem.initial if each.head not in ("=", "not")}
    changed = {atom.head for each in domain.actions.values() for atom, _ in _literals(each.effect)}
    goals = frozenset(_text(atom, {}) for atom, _ in _literals(problem.goal))
    rows: list[Row] = []
    for action in domain.actions.values():
        choices = [[each for each in objects.all if objects.has_type(each, types)] for _, types in action.parameters]
        for chosen in product(*choices):
            binding = {name: value for (name, _), value in zip(action.parameters, chosen, strict=True)}
            conditions = [(atom.head, _text(atom, binding), wanted) for atom, wanted in _literals(action.precondition)]
            equal = {f"(= {each} {each})" for each in objects.all}
            if all((text in true | equal) == wanted for head, text, wanted in conditions if head not in changed):
                needed, forbidden = (
                    frozenset(text for head, text, wanted in conditions if head in changed and wanted == kind)
                    for kind in (True, False)
                )
                effects = [(_text(atom, binding), is_added) for atom, is_added in _literals(action.effect)]
                adds = frozenset(text for text, is_added in effects if is_added)
                deletes = frozenset(text for text, is_added in effects if not is_added)
                rows.append((f"({' '.join([action.name, *chosen])})", needed, forbidden, adds - needed, deletes - adds))
    facts = goals.union(*(frozenset().union(*row[1:]) for row in rows))
    relevant, before = set(goals), set[str]()
    while relevant != before:
        before = set(relevant)
        for _, needed, forbidden, adds, deletes in rows:
            if (adds | deletes) & relevant:
                relevant |= needed | forbidden
    rows = [(*row[:3], row[3] & relevant, row[4] & relevant) for row in rows]
    return facts, facts & true, goals, [row for row in rows if row[3] or row[4]]


def _literals(expression: Expression | None) -> Iterator[tuple[Expression, bool]]:
    """Yield the atoms of a conjunction, and whether they are positive."""
    if expression is None or expression.head == "increase":
        return
    if expression.head in ("", "and"):
        for each in expression.lists(1):
            yield from _literals(each)
    elif expression.head == "not":
        yield expression.lists(1)[0], False
    else:
        yield expression, True


def _text(atom: Expression, binding: dict[str, str]) -> str:
    return f"({' '.join(binding.get(word, word) for word in atom.words())})"
