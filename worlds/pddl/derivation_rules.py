"""Rules of derived predicates in PDDL, and the order in which they are evaluated.

Source: Edelkamp and Hoffmann, "PDDL2.2: The language for the classical part of the 4th International Planning
Competition", technical report 195, University of Freiburg, 2004.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from worlds.pddl.dependency_order import Group, groups
from worlds.pddl.syntax import Expression, Typed, typed


@dataclass(frozen=True, eq=False)
class DerivationRule:
    """Rule of a derived predicate: its atoms hold for all arguments for which the condition holds.

    Attributes
    ----------
    section : Expression
        Where it is written.
    """

    section: Expression
    predicate: str
    parameters: tuple[Typed, ...]
    condition: Expression


def read_rule(section: Expression) -> DerivationRule:
    """Read a section such as ``(:derived (above ?x ?y) (on ?x ?y))``."""
    if len(section.items) != 3:
        raise section.fail("expected (:derived (PREDICATE VARIABLES) CONDITION)")
    head, condition = section.lists(1)
    if not head.head:
        raise head.fail("expected (PREDICATE VARIABLES) after :derived")
    parameters = typed(head, head.items[1:])
    names = [name for name, _ in parameters]
    if not all(name.startswith("?") for name in names) or len(set(names)) < len(names):
        raise head.fail(f"({head.head} ...): expected different variables as arguments of a derived predicate")
    return DerivationRule(section, head.head, parameters, condition)


def signed_atoms(condition: Expression, is_positive: bool = True) -> Iterator[tuple[Expression, bool]]:
    """Yield the atoms in a condition, and whether they occur positively: under an even number of negations."""
    head = condition.head
    if head in ("exists", "forall"):
        yield from signed_atoms(condition.lists(2)[0], is_positive)
    elif head in ("", "and", "or", "not", "imply"):
        for place, part in enumerate(condition.lists(1)):
            is_negated = head == "not" or (head == "imply" and place == 0)
            yield from signed_atoms(part, is_positive != is_negated)
    elif head != "=":
        yield condition, is_positive


def strata(rules: Iterable[DerivationRule]) -> list[Group[DerivationRule]]:
    """Return the rules in groups, each after those that it needs.

    Raises
    ------
    UserError
        If a predicate depends on its own negation.
    """
    by_predicate: dict[str, list[DerivationRule]] = {}
    for rule in rules:
        by_predicate.setdefault(rule.predicate, []).append(rule)
    needs = {
        predicate: {atom.head for rule in own for atom, _ in signed_atoms(rule.condition) if atom.head in by_predicate}
        for predicate, own in by_predicate.items()
    }
    found = groups(by_predicate, needs)
    for stratum in found:
        _refuse_negative_cycles(stratum.rules)
    return found


def _refuse_negative_cycles(rules: Sequence[DerivationRule]) -> None:
    group = {rule.predicate for rule in rules}
    for rule in rules:
        for atom, is_positive in signed_atoms(rule.condition):
            if atom.head in group and not is_positive:
                raise atom.fail(
                    f"'{rule.predicate}' depends on the negation of '{atom.head}', which depends on it in turn; "
                    "derived predicates must be stratified"
                )
