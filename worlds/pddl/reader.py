"""Reader of domains and problems in PDDL: lifted actions, types and objects as they are written, and their checks.

This reads the language independently of the translator. Mistakes raise a one-line `UserError` with file and line.
Source: Fox and Long, "PDDL2.1: An extension to PDDL for expressing temporal planning domains", JAIR 20, 2003 (levels 1
and 2, without numeric conditions). Derived predicates are those of PDDL2.2 (`worlds.pddl.derivation_rules`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from runner.base import UserError, did_you_mean, suggest
from worlds.compile import MAX_COST
from worlds.pddl.derivation_rules import DerivationRule, read_rule, strata
from worlds.pddl.syntax import Expression, Node, Typed, parse, typed

REQUIREMENTS = (
    ":strips",
    ":typing",
    ":equality",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":quantified-preconditions",
    ":conditional-effects",
    ":adl",
    ":action-costs",
    ":derived-predicates",
)
"""Requirements that are supported."""
_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":derived", ":action")
_PARTS_OF_PROBLEM = (":domain", ":objects", ":init", ":goal", ":metric", ":requirements")
_UNSUPPORTED = {
    ":axiom": "(:axiom ...) is not supported; write (:derived (PREDICATE VARIABLES) CONDITION)",
    ":durative-action": "durative actions (:durative-action) are not supported",
    ":constraints": "constraints on plans (:constraints) are not supported",
    ":length": "bounds on plans (:length) are not supported",
    "preference": "preferences are not supported",
    **{each: f"conditions on numbers ({each}) are not supported" for each in ("<", "<=", ">", ">=")},
    **{
        each: f"{each} is not supported: the only change of a number is (increase (total-cost) COST)"
        for each in ("decrease", "assign", "scale-up", "scale-down")
    },
}
"""Messages about words of PDDL that are not supported, by the word."""
_COUNTED_COST = "total-cost"
_COST = "(increase (total-cost) COST)"


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
    rules : tuple of DerivationRule
        Rules of derived predicates.
    """

    name: str
    supertypes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    constants: tuple[Typed, ...] = ()
    predicates: dict[str, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    rules: tuple[DerivationRule, ...] = ()

    @cached_property
    def derived(self) -> frozenset[str]:
        """Names of the derived predicates."""
        return frozenset(rule.predicate for rule in self.rules)

    @property
    def types(self) -> tuple[str, ...]:
        """Names of all types, ``object`` first."""
        return tuple(dict.fromkeys(("object", *self.supertypes, *chain.from_iterable(self.supertypes.values()))))

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
class PddlProblem:
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


def _kind_of(definition: Expression) -> str:
    """Return "domain" or "problem", or raise a `UserError`."""
    second = definition.items[1] if len(definition.items) > 1 else None
    kind = second.head if isinstance(second, Expression) else ""
    if definition.head != "define" or kind not in ("domain", "problem"):
        raise definition.fail("expected '(define (domain ...) ...)' or '(define (problem ...) ...)'")
    return kind


def read_domain(path: Path, text: str) -> Domain:
    """Read a domain.

    Raises
    ------
    UserError
        If the text is no domain, or needs what is not supported.
    """
    definition = parse(path, text)
    if _kind_of(definition) != "domain":
        raise definition.fail("expected a domain, got a problem")
    name, *sections = definition.lists(1)
    _by_name(sections, ":derived", ":action")
    constants: tuple[Typed, ...] = ()
    supertypes: dict[str, tuple[str, ...]] = {}
    predicates: dict[str, int] = {}
    functions: dict[str, int] = {}
    actions: dict[str, Action] = {}
    rules: list[DerivationRule] = []
    for section in sections:
        if section.head == ":requirements":
            _check_requirements(section)
        elif section.head == ":types":
            for type_, above in typed(section, section.items[1:]):
                supertypes[type_] = (*supertypes.get(type_, ()), *above)
        elif section.head == ":constants":
            constants = typed(section, section.items[1:])
        elif section.head == ":predicates":
            predicates |= _arities(section.lists(1))
        elif section.head == ":functions":  # with types, as in (price ?x - item) - number
            functions |= _arities(each for each in section.items[1:] if isinstance(each, Expression))
        elif section.head == ":derived":
            rules.append(read_rule(section))
        elif section.head == ":action":
            action = _action(section)
            if action.name in actions:
                raise section.fail(f"there is another action '{action.name}'; actions need different names")
            actions[action.name] = action
        else:
            raise _unknown(section, "section", _SECTIONS)
    domain = Domain(_name(name), supertypes, constants, predicates, functions, actions, tuple(rules))
    check = _Check(domain)
    check.types(definition, constants, domain.supertypes)
    _refuse_repeated(definition, constants)
    for rule in rules:
        check.rule(rule)
    strata(rules)
    for action in actions.values():
        check.action(action)
    names = frozenset(name for name, _ in constants)
    for rule in rules:
        _check_terms(rule.condition, names.union(name for name, _ in rule.parameters))
    for action in actions.values():
        for part in filter(None, (action.precondition, action.effect)):
            _check_terms(part, names.union(name for name, _ in action.parameters))
    return domain


def read_problem(path: Path, text: str, domain: Domain) -> PddlProblem:
    """Read a problem of a domain.

    Raises
    ------
    UserError
        If the text is no problem of this domain, or needs what is not supported.
    """
    definition = parse(path, text)
    if _kind_of(definition) != "problem":
        raise definition.fail(
            "expected a problem, got a domain; world.path is for problems, world.domain for the domain"
        )
    name, *sections = definition.lists(1)
    found = _by_name(sections)
    for section in sections:
        if section.head == ":requirements":
            _check_requirements(section)
        elif section.head not in _PARTS_OF_PROBLEM:
            raise _unknown(section, "section", _PARTS_OF_PROBLEM)
    for needed in (":domain", ":init", ":goal"):
        if needed not in found:
            raise definition.fail(f"the problem has no {needed}")
    of = _name(found[":domain"])
    if of != domain.name:
        raise found[":domain"].fail(f"the problem is of the domain '{of}', but the domain file defines '{domain.name}'")
    objects = typed(found[":objects"], found[":objects"].items[1:]) if ":objects" in found else ()
    (goal,) = found[":goal"].lists(1) if len(found[":goal"].items) == 2 else (None,)
    if goal is None or not goal.items:
        raise found[":goal"].fail("expected one condition as goal; (and) holds always")
    initial = found[":init"].lists(1)
    check = _Check(domain)
    check.types(found.get(":objects", definition), objects, domain.supertypes)
    _refuse_repeated(found.get(":objects", definition), (*domain.constants, *objects))
    for each in initial:
        check.initial(each)
    check.condition(goal)
    names = frozenset(name for name, _ in (*domain.constants, *objects))
    for each in (*initial, goal):
        if each.head != "=" or each is goal:  # the translator allows values for unknown objects
            _check_terms(each, names)
    metric = found.get(":metric")
    if metric is not None and _words(metric) != [":metric", "minimize", [_COUNTED_COST]]:
        raise metric.fail("expected '(:metric minimize (total-cost))'; no other metric is supported")
    return PddlProblem(_name(name), of, objects, initial, goal, metric is not None)


def _by_name(sections: Iterable[Expression], *several: str) -> dict[str, Expression]:
    """Return sections by their names. Only those that may occur several times are there twice."""
    found: dict[str, Expression] = {}
    for section in sections:
        first = found.setdefault(section.head, section)
        if first is not section and section.head not in several:
            raise section.fail(f"a second ({section.head} ...); the first one is in line {first.line}")
    return found


def _unknown(expression: Expression, kind: str, known: Iterable[str]) -> UserError:
    """Return an error about a word that is not supported, or that there is not."""
    head = expression.head
    return expression.fail(_UNSUPPORTED.get(head) or f"there is no {kind} '{head}'{suggest(head, known)}")


def _refuse_repeated(where: Expression, declared: Iterable[Typed]) -> None:
    names = set[str]()
    for name, _ in declared:
        if name in names:
            raise where.fail(f"the object '{name}' is declared twice; upper and lower case make no difference")
        names.add(name)


def _words(expression: Expression) -> list[object]:
    """Return an expression as nested lists."""
    return [item if isinstance(item, str) else _words(item) for item in expression.items]


def _name(expression: Expression) -> str:
    names = expression.words(1)
    if len(names) != 1:
        raise expression.fail(f"expected one name in ({expression.head} ...)")
    return names[0]


def _action(section: Expression) -> Action:
    name, *rest = section.items[1:] or ("",)
    if not isinstance(name, str) or not name:
        raise section.fail("an action without a name")
    if len(rest) % 2:
        raise section.fail(f"action {name}: expected keys such as :effect, each with one list")
    parts: dict[str, Expression] = {}
    for key, value in zip(rest[::2], rest[1::2], strict=True):
        known = (":parameters", ":precondition", ":effect")
        if not isinstance(key, str) or key not in known or not isinstance(value, Expression):
            raise section.fail(f"action {name}: expected a list after each of {', '.join(known)}")
        if key in parts:
            raise value.fail(f"action {name}: {key} is there twice")
        parts[key] = value
    listed = parts.get(":parameters", Expression((), section.path, section.line))
    return Action(section, name, typed(listed, listed.items), parts.get(":precondition"), parts.get(":effect"))


def _arities(declarations: Iterable[Expression]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in declarations:
        if not each.head:
            raise each.fail("expected a name, then parameters")
        number = len(typed(each, each.items[1:], allows_either=True))
        if found.setdefault(each.head, number) != number:
            raise each.fail(f"'{each.head}' is declared twice, with {found[each.head]} and {number} parameters")
    return found


def _check_requirements(section: Expression) -> None:
    for word in section.words(1):
        if word not in REQUIREMENTS:
            raise section.fail(f"requirement '{word}' is not supported{suggest(word, REQUIREMENTS)}")


class _Check:
    """Checks against the declarations of a domain. All raise a `UserError` with file and line.

    Parameters
    ----------
    domain : Domain
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def types(self, where: Expression, declared: Iterable[Typed], known: Collection[str]) -> None:
        """Check that types are known, or ``object``."""
        for name, types in declared:
            for each in types:
                if each != "object" and each not in known:
                    raise where.fail(f"{name}: there is no type '{each}'{suggest(each, known)}")

    def action(self, action: Action) -> None:
        """Check the types, the precondition and the effects of an action."""
        self.types(action.section, action.parameters, self._domain.types)
        if action.precondition is not None:
            self.condition(action.precondition)
        if action.effect is not None and self._effect(action.effect, "") > 1:
            raise action.effect.fail(f"action {action.name}: more than one {_COST}; write their sum as one")

    def rule(self, rule: DerivationRule) -> None:
        """Check the predicate, the types and the condition of a rule."""
        head = rule.section.lists(1)[0]
        self._atom(Expression((rule.predicate, *(name for name, _ in rule.parameters)), head.path, head.line))
        self.types(head, rule.parameters, self._domain.types)
        self.condition(rule.condition)

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
            if any(isinstance(each, Expression) for each in parts):
                raise condition.fail("conditions on numbers (=) are not supported")
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
            self._literal(fact, ":init cannot have it")

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
            self._literal(effect, "no effect can change it")
        return 0

    def _cost(self, increase: Expression) -> None:
        items = increase.items
        is_total = len(items) == 3 and isinstance(items[1], Expression) and items[1].items == (_COUNTED_COST,)
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
        self.types(variables, typed(variables, variables.items), self._domain.types)
        return body

    def _literal(self, expression: Expression, if_derived: str) -> None:
        """Check an atom or a negated atom, which must not be derived. The message then ends with `if_derived`."""
        if expression.head == "not":
            if len(expression.lists(1)) != 1:
                raise expression.fail(f"not takes 1 atom, got {len(expression.items) - 1}")
            expression = expression.lists(1)[0]
        self._atom(expression)
        if expression.head in self._domain.derived:
            raise expression.fail(f"the predicate '{expression.head}' is derived, so {if_derived}")

    def _atom(self, atom: Expression) -> None:
        """Check the predicate and the number of arguments."""
        predicates = self._domain.predicates
        if not atom.head:
            raise atom.fail(
                "expected (PREDICATE ...), got a list in a list" if atom.items else "expected (PREDICATE ...)"
            )
        if atom.head not in predicates:
            raise _unknown(atom, "predicate", predicates)
        arguments = atom.words(1)
        if len(arguments) != predicates[atom.head]:
            raise atom.fail(f"{atom.head} takes {predicates[atom.head]} arguments, got {len(arguments)}")


def _check_terms(part: Expression, known: frozenset[str]) -> None:
    """Raise a `UserError` for the first variable or object in a condition, an effect or a fact that is not known."""
    head, items = part.head, part.items[1:]
    if head in ("exists", "forall"):
        variables, items = part.lists(1)[0], items[1:]
        known = known.union(name for name, _ in typed(variables, variables.items))
    for item in items:
        if isinstance(item, Expression):
            _check_terms(item, known)
        elif head != "increase" and item not in known:
            kind = "variable" if item.startswith("?") else "object"
            raise part.fail(
                f"({' '.join(map(str, _words(part)))}): undefined {kind} '{item}'{did_you_mean(item, known)}"
            )


def _is_number(node: Node) -> bool:
    return isinstance(node, str) and node.isdecimal() and len(node) < 12 and int(node) <= MAX_COST
