"""Tasks in STRIPS, grounded as Pyperplan 2.1 does: atoms and actions are text such as ``(at p1 l0)``.

An action is grounded with all objects of the right types for which its static preconditions hold, whether it can be
applied or not. Then effects are removed that do not matter for the goal. Negative preconditions and equality are
allowed, too, which Pyperplan refuses. Source: Alkhazraji et al., "Pyperplan", 2020,
https://doi.org/10.5281/zenodo.3700819
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from sys import intern

from worlds.pddl.conditions import Atom, BoundCondition, Conditions, Variable, atom_of, terms_of, unified
from worlds.pddl.lifted import changed_predicates, objects_of
from worlds.pddl.reader import Action, Domain, PddlProblem
from worlds.pddl.syntax import Expression

Facts = frozenset[str]


@dataclass(unsafe_hash=True)
class StripsOperator:
    """A grounded action.

    Attributes
    ----------
    name : str
        Action and arguments, such as ``(drive t1 l0 l1)``.
    preconditions, add_effects, del_effects, negative_preconditions : frozenset of str
        Atoms without those of static predicates. Negative preconditions are those that must not hold.
    """

    name: str
    preconditions: Facts
    add_effects: Facts
    del_effects: Facts
    negative_preconditions: Facts = frozenset()

    def __post_init__(self) -> None:
        # heuristics may make operators of sets and lists, as those of Pyperplan
        self.preconditions = frozenset(self.preconditions)
        self.add_effects, self.del_effects = frozenset(self.add_effects), frozenset(self.del_effects)

    def applicable(self, state: Facts) -> bool:
        """Return whether the preconditions hold."""
        return self.preconditions <= state and self.negative_preconditions.isdisjoint(state)

    def apply(self, state: Facts) -> Facts:
        """Return the state after the operator."""
        return (state - self.del_effects) | self.add_effects


@dataclass(eq=False)
class StripsTask:
    """A task as Pyperplan's heuristics see it.

    Attributes
    ----------
    name : str
        Name of the problem.
    facts : set of str
        Atoms of operators before effects were removed, and of the goal.
    initial_state, goals : frozenset of str
        Facts that hold at the start, and that must hold at the end.
    operators : list of StripsOperator
        In the order of the actions in the domain, then of the arguments.
    static : frozenset of str
        Atoms that hold at the start and are no facts. Pyperplan forgets them.
    """

    name: str
    facts: set[str]
    initial_state: Facts
    goals: Facts
    operators: list[StripsOperator]
    static: Facts = frozenset()

    def goal_reached(self, state: Facts) -> bool:
        """Return whether all goals hold."""
        return self.goals <= state

    def get_successor_states(self, state: Facts) -> list[tuple[StripsOperator, Facts]]:
        """Return the applicable operators with the states to which they lead."""
        return [(each, each.apply(state)) for each in self.operators if each.applicable(state)]


def check(domain: Domain, problem: PddlProblem) -> None:
    """Raise `UserError` if conditions are no conjunctions, or effects, the goal or axioms are not supported."""
    for rule in domain.rules:
        raise rule.section.fail("derived predicates are not supported in STRIPS")
    for action in domain.actions.values():
        _atoms(action.precondition)
        _atoms(action.effect)
    atoms, negative = _atoms(problem.goal)
    if negative or any(atom.head == "=" for atom in atoms):
        raise problem.goal.fail("not and = are not supported in goals of STRIPS")


def ground(domain: Domain, problem: PddlProblem) -> StripsTask:
    """Return the task of a problem. There may be too many operators for time and memory.

    Raises
    ------
    UserError
        As `check`.
    """
    check(domain, problem)
    initial = frozenset(atom_of(each, {}) for each in problem.initial if each.head not in ("=", "not"))
    changed = changed_predicates(domain)
    truth = Conditions(objects_of(domain, problem), initial)
    operators = [each for action in domain.actions.values() for each in _grounded(action, changed, truth)]
    goals = frozenset(_text(atom_of(each, {})) for each in _atoms(problem.goal)[0])
    facts = set(goals).union(*(_needed(each) | each.add_effects | each.del_effects for each in operators))
    true = frozenset(map(_text, initial))
    return StripsTask(problem.name, facts, true & facts, goals, _relevant(operators, goals), true - facts)


def _grounded(action: Action, changed: set[str], truth: Conditions) -> Iterator[StripsOperator]:
    """Yield the operators of an action in the order of their arguments."""
    needed, forbidden = _atoms(action.precondition)
    variables: dict[str, Variable] = {}
    for name, types in action.parameters:  # two parameters may have one name
        objects = truth.objects.of_type(types)
        known = variables[name].objects if name in variables else objects
        variables[name] = Variable({each: None for each in objects if each in known})
    static = [BoundCondition(each, True, variables) for each in needed if each.head not in changed]
    found = set[Atom]()
    for values in joined(static, truth):
        choices = [(values[each],) if each in values else each.objects for each in variables.values()]
        found.update(product(*choices))
    for arguments in sorted(found):
        binding = dict(zip(variables, arguments, strict=True))
        if any(each.head not in changed and truth.is_true(each, binding) for each in forbidden):
            continue
        positive, negative, adds, deletes = (
            frozenset(_text(atom_of(each, binding)) for each in atoms if each.head in changed)
            for atoms in (needed, forbidden, *_atoms(action.effect))
        )
        name = _text((action.name, *(binding[parameter] for parameter, _ in action.parameters)))
        yield StripsOperator(name, positive, adds - positive, deletes - adds, negative)


def joined(parts: Sequence[BoundCondition], truth: Conditions) -> Iterator[dict[Variable, str]]:
    """Yield the values of the variables in some atoms for which all of them hold."""
    if not parts:
        yield {}
        return
    chosen = min(parts, key=lambda part: len(truth.matches(part)))
    rest = [part for part in parts if part is not chosen]
    for match in truth.matches(chosen):
        values = unified(terms_of(chosen), match)
        if values is not None:
            for others in joined([part.bind(values) for part in rest], truth):
                yield {**values, **others}


def _relevant(operators: Sequence[StripsOperator], goals: Facts) -> list[StripsOperator]:
    """Remove effects on facts that no goal needs, directly or indirectly, and operators without effects."""
    changing = defaultdict(list)
    for operator in operators:
        for fact in operator.add_effects | operator.del_effects:
            changing[fact].append(operator)
    relevant, waiting = set(goals), list(goals)
    while waiting:
        for operator in changing.pop(waiting.pop(), ()):
            new = _needed(operator) - relevant
            relevant |= new
            waiting += new
    for operator in operators:
        operator.add_effects &= relevant
        operator.del_effects &= relevant
    return [operator for operator in operators if operator.add_effects or operator.del_effects]


def _needed(operator: StripsOperator) -> Facts:
    return operator.preconditions | operator.negative_preconditions


def _atoms(expression: Expression | None) -> tuple[list[Expression], list[Expression]]:
    """Return the positive and the negative atoms and equalities of a condition or an effect."""
    found = list(_literals(expression))
    positive, negative = ([atom for atom, sign in found if sign == wanted] for wanted in (True, False))
    return positive, negative


def _literals(expression: Expression | None) -> Iterator[tuple[Expression, bool]]:
    if expression is None or expression.head == "increase":
        return
    inner = expression.lists(1)[0] if expression.head == "not" else expression
    if expression.head in ("", "and"):
        for each in expression.lists(1):
            yield from _literals(each)
    elif inner.head in ("", "and", "or", "not", "imply", "exists", "forall", "when"):
        raise expression.fail(f"({expression.head} ...) is not supported here in STRIPS")
    else:
        yield inner, inner is expression


def _text(atom: Atom) -> str:
    return intern(f"({' '.join(atom)})")  # kept once, and compared by identity
