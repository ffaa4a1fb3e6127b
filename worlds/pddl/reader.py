"""Reader of domains and problems in PDDL.

This reads the language independently of the translator. Mistakes raise a one-line `UserError` with file and line.
Source: Fox and Long, "PDDL2.1: An extension to PDDL for expressing temporal planning domains", JAIR 20, 2003 (levels 1
and 2, without numeric conditions).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runner.base.errors import suggest
from worlds.pddl.checks import Check, has_atom
from worlds.pddl.model import Action, Domain, Problem
from worlds.pddl.syntax import Expression, Typed, parse, typed

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
)
"""Requirements that are supported."""
_COUNTED_COST = "total-cost"


def kind_of(definition: Expression) -> str:
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
    if kind_of(definition) != "domain":
        raise definition.fail("expected a domain, got a problem")
    name, *sections = definition.lists(1)
    constants: tuple[Typed, ...] = ()
    supertypes: dict[str, tuple[str, ...]] = {}
    predicates: dict[str, int] = {}
    functions: dict[str, int] = {}
    actions: dict[str, Action] = {}
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
        elif section.head == ":action":
            action = _action(section)
            if action.name in actions:
                raise section.fail(f"there is another action '{action.name}'; actions need different names")
            actions[action.name] = action
        elif section.head in (":derived", ":axiom"):
            raise section.fail("derived predicates (axioms) are not supported")
        else:
            known = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
            raise section.fail(f"there is no section '{section.head}'{suggest(section.head, known)}")
    domain = Domain(_name(name), supertypes, constants, predicates, functions, actions)
    check = Check(domain)
    check.types(definition, constants, domain.supertypes)
    for action in actions.values():
        check.action(action)
    return domain


def read_problem(path: Path, text: str, domain: Domain) -> Problem:
    """Read a problem of a domain.

    Raises
    ------
    UserError
        If the text is no problem of this domain, or needs what is not supported.
    """
    definition = parse(path, text)
    if kind_of(definition) != "problem":
        raise definition.fail(
            "expected a problem, got a domain; world.path is for problems, world.domain for the domain"
        )
    name, *sections = definition.lists(1)
    found = {section.head: section for section in sections}
    for section in sections:
        if section.head == ":requirements":
            _check_requirements(section)
        elif section.head not in (":domain", ":objects", ":init", ":goal", ":metric"):
            known = (":domain", ":objects", ":init", ":goal", ":metric", ":requirements")
            raise section.fail(f"there is no section '{section.head}'{suggest(section.head, known)}")
    for needed in (":domain", ":init", ":goal"):
        if needed not in found:
            raise definition.fail(f"the problem has no {needed}")
    of = _name(found[":domain"])
    if of != domain.name:
        raise found[":domain"].fail(f"the problem is of the domain '{of}', but the domain file defines '{domain.name}'")
    objects = typed(found[":objects"], found[":objects"].items[1:]) if ":objects" in found else ()
    (goal,) = found[":goal"].lists(1) if len(found[":goal"].items) == 2 else (None,)
    if goal is None:
        raise found[":goal"].fail("expected one condition as goal")
    initial = found[":init"].lists(1)
    check = Check(domain)
    check.types(found.get(":objects", definition), objects, domain.supertypes)
    for each in initial:
        check.initial(each)
    check.condition(goal)
    if not has_atom(goal):
        raise goal.fail("the goal has no atom; expected a condition such as (and (PREDICATE OBJECT ...) ...)")
    metric = found.get(":metric")
    if metric is not None and _words(metric) != [":metric", "minimize", [_COUNTED_COST]]:
        raise metric.fail("expected '(:metric minimize (total-cost))'; no other metric is supported")
    return Problem(_name(name), of, objects, initial, goal, metric is not None)


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
    parameters = typed(listed, listed.items)
    if len(dict(parameters)) < len(parameters):
        raise listed.fail(f"action {name}: two parameters have the same name")
    return Action(section, name, parameters, parts.get(":precondition"), parts.get(":effect"))


def _arities(declarations: Iterable[Expression]) -> dict[str, int]:
    found = {}
    for each in declarations:
        if not each.head:
            raise each.fail("expected a name, then parameters")
        found[each.head] = len(typed(each, each.items[1:]))
    return found


def _check_requirements(section: Expression) -> None:
    for word in section.words(1):
        if word == ":derived-predicates":
            raise section.fail("derived predicates (axioms) are not supported")
        if word not in REQUIREMENTS:
            raise section.fail(f"requirement '{word}' is not supported{suggest(word, REQUIREMENTS)}")
