"""Domains and problems in PDDL, as they are written: lifted actions, types and objects."""

from __future__ import annotations

from dataclasses import dataclass, field

from worlds.pddl.syntax import Expression, Typed


@dataclass(frozen=True, eq=False)
class Action:
    """Lifted action.

    Attributes
    ----------
    section : Expression
        Where it is written.
    """

    section: Expression
    name: str
    parameters: tuple[Typed, ...]
    precondition: Expression | None
    effect: Expression | None


@dataclass(frozen=True, eq=False)
class Domain:
    """Domain.

    Attributes
    ----------
    supertypes : dict
        Direct supertypes of each type.
    constants : tuple of (name, types)
    predicates, functions : dict
        Number of arguments of each predicate, and of each function.
    actions : dict
        Actions by their names.
    """

    name: str
    supertypes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    constants: tuple[Typed, ...] = ()
    predicates: dict[str, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)

    def ancestors(self, type_: str) -> frozenset[str]:
        """Return a type, its supertypes and ``object``."""
        found, rest = {"object"}, [type_]
        while rest:
            each = rest.pop()
            if each not in found:
                found.add(each)
                rest += self.supertypes.get(each, ())
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class Problem:
    """Problem of a domain.

    Attributes
    ----------
    objects : tuple of (name, types)
    initial : tuple of Expression
        Atoms, and assignments of numbers.
    goal : Expression
    counts_costs : bool
        Whether the metric is to minimise the total cost. Otherwise every action costs 1.
    """

    name: str
    domain: str
    objects: tuple[Typed, ...]
    initial: tuple[Expression, ...]
    goal: Expression
    counts_costs: bool
