"""Conditions and effects of PDDL by enumeration of all objects for all variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from worlds.pddl.conditions import Atom, Atoms
from worlds.pddl.lifted import objects_of
from worlds.pddl.reader import Domain, PddlProblem
from worlds.pddl.syntax import Expression, typed

Binding = Mapping[str, str]


class NaiveSimulator:
    """Rules of a problem."""

    def __init__(self, domain: Domain, problem: PddlProblem) -> None:
        self._actions, self._objects = domain.actions, objects_of(domain, problem)

    def after(self, action: str, binding: Binding, state: Atoms) -> Atoms:
        """Return the state after the effects of an action."""
        effect = self._actions[action].effect
        assert effect is not None
        changes = list(self._changes(effect, state, binding))
        deleted, added = ({atom for atom, is_added in changes if is_added == kind} for kind in (False, True))
        return frozenset((state - deleted) | added)

    def holds(self, condition: Expression, state: Atoms, binding: Binding) -> bool:
        """Return whether a condition holds."""
        head = condition.head
        parts = condition.lists(1) if head in ("", "and", "or", "not", "imply") else ()
        if head in ("", "and"):
            return all(self.holds(each, state, binding) for each in parts)
        if head == "or":
            return any(self.holds(each, state, binding) for each in parts)
        if head == "not":
            return not self.holds(parts[0], state, binding)
        if head == "imply":
            return not self.holds(parts[0], state, binding) or self.holds(parts[1], state, binding)
        if head in ("exists", "forall"):
            values = (self.holds(condition.lists(1)[1], state, each) for each in self._bindings(condition, binding))
            return any(values) if head == "exists" else all(values)
        name, *arguments = (binding.get(word, word) for word in condition.words())
        return arguments[0] == arguments[1] if name == "=" else (name, *arguments) in state

    def _bindings(self, quantifier: Expression, binding: Binding) -> Iterator[Binding]:
        variables = typed(quantifier, quantifier.lists(1)[0].items)
        names = [[each for each in self._objects.all if self._objects.has_type(each, types)] for _, types in variables]
        for chosen in product(*names):
            yield {**binding, **{variable: name for (variable, _), name in zip(variables, chosen, strict=True)}}

    def _changes(self, effect: Expression, state: Atoms, binding: Binding) -> Iterator[tuple[Atom, bool]]:
        """Yield the atoms that change, and whether they are added."""
        head, parts = effect.head, effect.items
        if head == "and":
            for each in effect.lists(1):
                yield from self._changes(each, state, binding)
        elif head == "forall":
            for extended in self._bindings(effect, binding):
                yield from self._changes(effect.lists(1)[1], state, extended)
        elif head == "when":
            condition, body = effect.lists(1)
            if self.holds(condition, state, binding):
                yield from self._changes(body, state, binding)
        elif head == "not":
            for atom, _ in self._changes(effect.lists(1)[0], state, binding):
                yield atom, False
        else:
            yield tuple(binding.get(str(word), str(word)) for word in parts), True
