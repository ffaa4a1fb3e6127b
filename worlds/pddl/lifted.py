"""Simulator of PDDL: plays ground actions on the set of true atoms. It validates plans, and uses no translated task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from worlds.pddl.model import Domain, Problem, Typed, typed
from worlds.pddl.syntax import Expression, Node

Atom = tuple[str, ...]
"""A predicate and its arguments."""
Atoms = frozenset[Atom]
Binding = Mapping[str, str]


class Simulator:
    """Rules of a problem.

    Attributes
    ----------
    initial : frozenset of atoms
        Atoms that hold at the start.
    """

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self._domain, self._problem = domain, problem
        self._types = {
            name: frozenset().union(*map(domain.ancestors, types))
            for name, types in (*domain.constants, *problem.objects)
        }
        self._numbers: dict[Atom, int] = {}
        true = set()
        for each in problem.initial:
            if each.head == "=":
                function, number = each.items[1:]
                self._numbers[_atom(function, {})] = _whole(each, number)
            elif each.head != "not":
                true.add(_atom(each, {}))
        self.initial: Atoms = frozenset(true)

    def is_goal(self, state: Atoms) -> bool:
        """Return whether the goal holds."""
        return self._holds(self._problem.goal, state, {})

    def act(self, state: Atoms, action: str) -> tuple[Atoms, int]:
        """Return the state after an action such as ``pick ball1 rooma left``, and the cost of the action.

        Raises
        ------
        ValueError
            If the action is not possible. The message says why.
        """
        name, *arguments = action.lower().strip("() ").split() or [""]
        schema = self._domain.actions.get(name)
        if schema is None:
            raise ValueError(f"there is no action '{name}'")
        if len(arguments) != len(schema.parameters):
            raise ValueError(f"{name} takes {len(schema.parameters)} arguments, got {len(arguments)}")
        binding = {}
        for (parameter, types), argument in zip(schema.parameters, arguments, strict=True):
            if not self._has_type(argument, types):
                raise ValueError(f"{argument} is no {' or '.join(types)}")
            binding[parameter] = argument
        if schema.precondition is not None and schema.precondition.items:
            unmet = self._unmet(schema.precondition, state, binding)
            if unmet is not None:
                raise ValueError(f"the precondition {unmet} does not hold")
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        costs: list[int] = []
        if schema.effect is not None and schema.effect.items:
            self._collect(schema.effect, state, binding, added, deleted, costs)
        return frozenset((state - deleted) | added), sum(costs) if self._problem.counts_costs else 1

    def _has_type(self, name: str, types: Sequence[str]) -> bool:
        return not self._types.get(name, frozenset()).isdisjoint(types)

    def _bindings(self, variables: Sequence[Typed], binding: Binding) -> Iterator[Binding]:
        """Yield a binding extended by all objects for some variables."""
        names = [[name for name in self._types if self._has_type(name, types)] for _, types in variables]
        for chosen in product(*names):
            yield {**binding, **{variable: name for (variable, _), name in zip(variables, chosen, strict=True)}}

    def _unmet(self, condition: Expression, state: Atoms, binding: Binding) -> str | None:
        """Return the first part of a condition that does not hold; None if it holds."""
        parts = condition.lists(1) if condition.head == "and" else (condition,)
        failing = next((part for part in parts if not self._holds(part, state, binding)), None)
        return None if failing is None else _text(failing, binding)

    def _holds(self, condition: Expression, state: Atoms, binding: Binding) -> bool:
        head = condition.head
        if head == "and" or not condition.items:
            return all(self._holds(each, state, binding) for each in condition.lists(1))
        if head == "or":
            return any(self._holds(each, state, binding) for each in condition.lists(1))
        if head == "not":
            return not self._holds(condition.lists(1)[0], state, binding)
        if head == "imply":
            first, second = condition.lists(1)
            return not self._holds(first, state, binding) or self._holds(second, state, binding)
        if head in ("exists", "forall"):
            variables, body = _quantified(condition)
            values = (self._holds(body, state, each) for each in self._bindings(variables, binding))
            return any(values) if head == "exists" else all(values)
        if head == "=":
            first_name, second_name = (binding.get(word, word) for word in condition.words(1))
            return first_name == second_name
        return _atom(condition, binding) in state

    def _collect(
        self,
        effect: Expression,
        state: Atoms,
        binding: Binding,
        added: set[Atom],
        deleted: set[Atom],
        costs: list[int],
    ) -> None:
        """Collect the atoms that an effect adds and deletes in a state, and its costs."""
        head = effect.head
        if head == "and" or not effect.items:
            for each in effect.lists(1):
                self._collect(each, state, binding, added, deleted, costs)
        elif head == "forall":
            variables, body = _quantified(effect)
            for extended in self._bindings(variables, binding):
                self._collect(body, state, extended, added, deleted, costs)
        elif head == "when":
            condition, body = effect.lists(1)
            if self._holds(condition, state, binding):
                self._collect(body, state, binding, added, deleted, costs)
        elif head == "not":
            deleted.add(_atom(effect.lists(1)[0], binding))
        elif head == "increase":
            amount = effect.items[2]
            is_number = isinstance(amount, str)
            costs.append(_whole(effect, amount) if is_number else self._numbers.get(_atom(amount, binding), 0))
        else:
            added.add(_atom(effect, binding))


def _quantified(expression: Expression) -> tuple[tuple[Typed, ...], Expression]:
    variables, body = expression.lists(1)
    return typed(variables, variables.items), body


def _atom(node: Node, binding: Binding) -> Atom:
    words = (node,) if isinstance(node, str) else node.words()
    return tuple(binding.get(word, word) for word in words)


def _whole(where: Expression, node: Node) -> int:
    """Return a number; costs are integers."""
    try:
        number = float(node) if isinstance(node, str) else None
    except ValueError:
        number = None
    if number is None or not number.is_integer() or number < 0:
        raise where.fail(f"expected a whole number from 0, got '{_text(node, {})}'")
    return int(number)


def _text(node: Node, binding: Binding) -> str:
    if isinstance(node, str):
        return binding.get(node, node)
    return f"({' '.join(_text(item, binding) for item in node.items)})"
