"""Checks of conditions, effects and initial atoms before anything is translated. A mistake is one line."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

from runner.base.errors import suggest
from worlds.compile.errors import MAX_COST
from worlds.pddl.model import Action, Domain
from worlds.pddl.syntax import Expression, Node, Typed, typed

_COST = "(increase (total-cost) COST)"


class Check:
    """Checks against the declarations of a domain. All raise a `UserError` with file and line.

    Parameters
    ----------
    domain : Domain
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._types = dict.fromkeys(("object", *domain.supertypes, *chain.from_iterable(domain.supertypes.values())))

    def types(self, where: Expression, declared: Iterable[Typed], known: Collection[str]) -> None:
        """Check that types are known, or ``object``."""
        for name, types in declared:
            for each in types:
                if each != "object" and each not in known:
                    raise where.fail(f"{name}: there is no type '{each}'{suggest(each, known)}")

    def action(self, action: Action) -> None:
        """Check the types, the precondition and the effects of an action."""
        self.types(action.section, action.parameters, self._types)
        if action.precondition is not None:
            self.condition(action.precondition)
        if action.effect is not None and self._effect(action.effect, "") > 1:
            raise action.effect.fail(f"action {action.name}: more than one {_COST}; write their sum as one")

    def condition(self, condition: Expression, *, is_part: bool = False) -> None:
        """Check a condition."""
        head, parts = condition.head, condition.items[1:]
        if not condition.items and not is_part:
            return
        if not head:
            raise condition.fail("expected a condition such as (PREDICATE ...) or (and ...), got a list in a list")
        if head in ("exists", "forall"):
            self.condition(self._quantified(condition), is_part=True)
        elif head in ("and", "or", "not", "imply"):
            count = {"not": 1, "imply": 2}.get(head, len(parts))
            if len(parts) != count:
                raise condition.fail(f"{head} takes {count} condition{'s' * (count > 1)}, got {len(parts)}")
            for each in condition.lists(1):
                self.condition(each, is_part=True)
        elif head == "=":
            if len(condition.words(1)) != 2:
                raise condition.fail(f"= takes 2 arguments, got {len(parts)}")
        else:
            self._atom(condition)

    def initial(self, fact: Expression) -> None:
        """Check an element of ``:init``: an atom, a negated atom, or the value of a function."""
        if fact.head == "=":
            if len(fact.items) != 3 or not _is_number(fact.items[2]):
                raise fact.fail(f"expected (= (FUNCTION ...) NUMBER) with a whole number from 0 to {MAX_COST:,}")
            self._function(fact.items[1], fact, is_declared=False)
        else:
            self._literal(fact)

    def _effect(self, effect: Expression, context: str) -> int:
        """Check an effect inside of others, and return the number of costs in it."""
        head = effect.head
        if head == "and":
            return sum(self._effect(each, context or "and") for each in effect.lists(1))
        if head == "forall":
            return self._effect(self._quantified(effect), head)
        if head == "when":
            if len(effect.items) != 3:
                raise effect.fail("expected (when CONDITION EFFECT)")
            condition, inner = effect.lists(1)
            self.condition(condition)
            return self._effect(inner, head)
        if head == "increase":
            if context in ("forall", "when"):
                raise effect.fail(f"{_COST} cannot be inside of {context}")
            self._cost(effect)
            return 1
        if effect.items or context:
            self._literal(effect)
        return 0

    def _cost(self, increase: Expression) -> None:
        items = increase.items
        is_total = len(items) == 3 and isinstance(items[1], Expression) and items[1].items == ("total-cost",)
        if not is_total:
            raise increase.fail(f"expected {_COST}; no other function can change")
        if not _is_number(items[2]):
            self._function(items[2], increase, is_declared=True)

    def _function(self, node: Node, where: Expression, *, is_declared: bool) -> None:
        """Check a term such as ``(price lamp)`` or ``price``. The translator allows values of undeclared functions."""
        name, *arguments = (node,) if isinstance(node, str) else (node.head, *node.words(1))
        functions = self._domain.functions
        if not name or (is_declared and name not in functions):
            hint = suggest(name, functions)
            raise where.fail(f"'{name}' is no function, and no whole number from 0 to {MAX_COST:,}{hint}")
        if functions.get(name, len(arguments)) != len(arguments):
            raise where.fail(f"{name} takes {functions[name]} arguments, got {len(arguments)}")

    def _quantified(self, expression: Expression) -> Expression:
        """Check the variables of a quantifier, and return what it is about."""
        if len(expression.items) != 3 or not isinstance(expression.items[1], Expression):
            raise expression.fail(f"expected ({expression.head} (VARIABLES) ...)")
        variables, body = expression.lists(1)
        self.types(variables, typed(variables, variables.items), self._types)
        return body

    def _literal(self, expression: Expression) -> None:
        """Check an atom or a negated atom."""
        if expression.head == "not":
            if len(expression.lists(1)) != 1:
                raise expression.fail(f"not takes 1 atom, got {len(expression.items) - 1}")
            expression = expression.lists(1)[0]
        self._atom(expression)

    def _atom(self, atom: Expression) -> None:
        """Check the predicate and the number of arguments."""
        predicates = self._domain.predicates
        if not atom.head:
            raise atom.fail(
                "expected (PREDICATE ...), got a list in a list" if atom.items else "expected (PREDICATE ...)"
            )
        if atom.head not in predicates:
            raise atom.fail(f"there is no predicate '{atom.head}'{suggest(atom.head, predicates)}")
        arguments = atom.words(1)
        if len(arguments) != predicates[atom.head]:
            raise atom.fail(f"{atom.head} takes {predicates[atom.head]} arguments, got {len(arguments)}")


def has_atom(condition: Expression) -> bool:
    """Return whether an atom occurs in a condition."""
    if condition.head in ("exists", "forall"):
        return has_atom(condition.lists(2)[0])
    if condition.head in ("", "and", "or", "not", "imply"):
        return any(map(has_atom, condition.lists(1)))
    return True


def _is_number(node: Node) -> bool:
    return isinstance(node, str) and node.isdecimal() and len(node) < 12 and int(node) <= MAX_COST
