"""Planning tasks in SAS+: variables with finitely many values, operators that change them, and axioms.

Source: Bäckström and Nebel, "Complexity results for SAS+ planning", Computational Intelligence 11, 1995. Conditional
effects, axioms and costs are those of the files of Fast Downward's translator (Helmert, "The Fast Downward planning
system", JAIR 26, 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Fact = tuple[int, int]
"""A variable and one of its values, by number."""
Values = tuple[int, ...]
"""State: the value of each variable, by number."""
NONE_OF_THOSE = "none of those"
"""Name of the value of a variable where none of its atoms holds."""
CostMode = Literal["normal", "one", "plus_one"]
_ARTIFICIAL = "new-axiom@"
"""Beginning of the names of the derived facts that the translator makes of conditions."""


@dataclass(frozen=True)
class Effect:
    """Assignment of a value to a variable, in states that meet all conditions."""

    variable: int
    value: int
    conditions: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Operator:
    """A grounded action.

    Attributes
    ----------
    name : str
        Action and arguments, separated by blanks.
    preconditions : tuple of (variable, value)
        Facts that must hold, in the order of the file: the conditions on variables that stay first, then those of the
        effects. No variable occurs twice.
    effects : tuple of Effect
        Effects, whose conditions refer to the state before. If several assign the same variable, the last one counts.
    cost : int
    """

    name: str
    preconditions: tuple[Fact, ...]
    effects: tuple[Effect, ...]
    cost: int


@dataclass(frozen=True)
class Axiom:
    """Rule that gives a derived variable, which has two values, the value that is not its default.

    Attributes
    ----------
    conditions : tuple of (variable, value)
        Facts that must hold.
    variable, value : int
        Derived variable, and the value that it then has.
    """

    conditions: tuple[Fact, ...]
    variable: int
    value: int


@dataclass(frozen=True, eq=False)
class Task:
    """A planning task.

    Attributes
    ----------
    names : tuple of str
        Name of each variable.
    facts : tuple of tuple of str
        Name of each value of each variable, such as ``on(a, b)``, ``not clear(a)`` or ``none of those``.
    initial : tuple of int
        Value of each variable at the start, after the evaluation of the axioms.
    goal : tuple of (variable, value)
        Facts that must hold at the end.
    operators : tuple of Operator
    axioms : tuple of Axiom
    layers : tuple of int
        Layer of the axioms of each variable; -1 for a variable that operators change. Empty without axioms.
    """

    names: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]
    initial: Values
    goal: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    axioms: tuple[Axiom, ...] = ()
    layers: tuple[int, ...] = ()

    @cached_property
    def has_unit_costs(self) -> bool:
        """Whether every operator costs 1."""
        return all(operator.cost == 1 for operator in self.operators)

    @cached_property
    def least_cost(self) -> int:
        """Cost of the cheapest operator; 0 if there is no operator."""
        return min((operator.cost for operator in self.operators), default=0)

    @cached_property
    def defaults(self) -> Mapping[int, int]:
        """Value of each derived variable in states where none of its axioms applies."""
        without_axioms = {variable: self.initial[variable] for variable, layer in enumerate(self.layers) if layer >= 0}
        return without_axioms | {axiom.variable: 1 - axiom.value for axiom in self.axioms}

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each variable by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def changers(self) -> tuple[tuple[int, ...], ...]:
        """For each variable, the numbers of the operators with an effect on it."""
        found: list[dict[int, None]] = [{} for _ in self.names]
        for number, operator in enumerate(self.operators):
            for effect in operator.effects:
                found[effect.variable][number] = None
        return tuple(map(tuple, found))

    def charged(self, cost: int, mode: CostMode) -> int:
        """Return what an operator of this cost costs in a mode.

        As in Fast Downward, `plus_one` adds 1, unless every operator of the task costs 1.
        """
        if mode == "one":
            return 1
        return cost + (mode == "plus_one" and not self.has_unit_costs)

    def with_costs(self, mode: CostMode) -> Task:
        """Return the task with the costs of a mode."""
        if mode == "normal":
            return self
        operators = (replace(each, cost=self.charged(each.cost, mode)) for each in self.operators)
        return replace(self, operators=tuple(operators))

    @cached_property
    def atoms(self) -> tuple[tuple[str | None, ...], ...]:
        """Names of the values as in `facts`; None for negated atoms, "none of those" and facts of the translator."""
        return tuple(
            tuple(name if _is_atom(name) and not self.is_artificial((variable, value)) else None
                  for value, name in enumerate(names))
            for variable, names in enumerate(self.facts)
        )  # fmt: skip

    def is_artificial(self, fact: Fact) -> bool:
        """Return whether the translator made a derived fact of a condition that is no conjunction of literals."""
        variable, value = fact
        return variable in self.defaults and self.facts[variable][value].removeprefix("not ").startswith(_ARTIFICIAL)

    @cached_property
    def fact_names(self) -> frozenset[str]:
        """Names of all facts, without negated ones and those of the translator."""
        return frozenset(name for names in self.atoms for name in names if name is not None)

    def true_facts(self, values: Values) -> frozenset[str]:
        """Return the names of the facts that hold in a state, without negated ones and those of the translator."""
        names = (atoms[value] for atoms, value in zip(self.atoms, values, strict=True))
        return frozenset(name for name in names if name is not None)


def _is_atom(name: str) -> bool:
    return not name.startswith("not ") and name != NONE_OF_THOSE
