"""Lifted form of a planning task as simple data: action schemas, predicates, objects, static facts and the goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from worlds.pddl.conditions import atom_name
from worlds.pddl.lifted import Simulator, changed_predicates
from worlds.pddl.reader import Domain, PddlProblem
from worlds.pddl.syntax import Expression, Node, Typed

Nested: TypeAlias = "tuple[str | Nested, ...]"
"""Condition or effect as in PDDL: ``("and", ("at", "?c", "?l"), ("not", ("empty-ferry",)))``; empty without one."""


@dataclass(frozen=True)
class Schema:
    """Lifted action.

    Attributes
    ----------
    name : str
    parameters : tuple of (name, type)
        Such as ``(("?c", "car"), ("?l", "location"))``.
    precondition, effect : nested tuples of str
        As in PDDL. The cost is a part of the effect: ``("increase", ("total-cost",), "1")``.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    precondition: Nested
    effect: Nested


@dataclass(frozen=True)
class LiftedTask:
    """Domain and problem of a planning task, as they are written in PDDL. Words are in lower case.

    Attributes
    ----------
    domain, name : str
        Names of the domain and of the problem.
    types : dict
        Direct supertypes of each type.
    objects : dict
        Type of each object, the constants of the domain first.
    predicates : dict
        Number of arguments of each predicate.
    schemas : tuple of Schema
    static_facts : frozenset of str
        Facts that hold in all states, such as ``door(hall, kitchen)``: those whose predicates no action changes, and
        those that no action deletes, which are in no variable of the translation.
    goal : nested tuples of str
    """

    domain: str
    name: str
    types: Mapping[str, tuple[str, ...]]
    objects: Mapping[str, str]
    predicates: Mapping[str, int]
    schemas: tuple[Schema, ...]
    static_facts: frozenset[str]
    goal: Nested

    @classmethod
    def of(cls, domain: Domain, problem: PddlProblem, constant: frozenset[str]) -> LiftedTask:
        """Return the lifted form of a problem. `constant` are the facts of `changeable_facts` that always hold."""
        schemas = (
            Schema(each.name, _with_type(each.parameters), _nested(each.precondition), _nested(each.effect))
            for each in domain.actions.values()
        )
        return cls(
            domain=domain.name,
            name=problem.name,
            types=dict(domain.supertypes),
            objects=dict(_with_type((*domain.constants, *problem.objects))),
            predicates=dict(domain.predicates),
            schemas=tuple(schemas),
            static_facts=_static_facts(domain, problem) | constant,
            goal=_nested(problem.goal),
        )


def changeable_facts(domain: Domain, problem: PddlProblem) -> frozenset[str]:
    """Return the names of the facts that hold at the start and whose predicates actions change, if not all of them."""
    changed, atoms = changed_predicates(domain) - domain.derived, Simulator(domain, problem).initial
    return frozenset(atom_name(atom) for atom in atoms if atom[0] in changed)


def _static_facts(domain: Domain, problem: PddlProblem) -> frozenset[str]:
    """Return the names of the facts that hold at the start and whose predicates no action changes."""
    changed, atoms = changed_predicates(domain), Simulator(domain, problem).initial
    return frozenset(atom_name(atom) for atom in atoms if atom[0] not in changed)


def _with_type(declared: Iterable[Typed]) -> tuple[tuple[str, str], ...]:
    """Return names with their types. Only predicates may have arguments of several types."""
    return tuple((name, types[0]) for name, types in declared)


def _nested(expression: Expression | None) -> Nested:
    return () if expression is None else tuple(map(_item, expression.items))


def _item(node: Node) -> str | Nested:
    return node if isinstance(node, str) else _nested(node)
