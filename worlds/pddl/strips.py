"""Tasks in STRIPS, grounded as Pyperplan 2.1 does: atoms and actions are text such as ``(at p1 l0)``.

An action is grounded with all objects of the right types for which its static preconditions hold, whether it can be
applied or not. Then effects are removed that do not matter for the goal. Source: Alkhazraji et al., "Pyperplan", 2020,
https://doi.org/10.5281/zenodo.3700819
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from worlds.pddl.conditions import Atom, Conditions, Part, Variable, atom_of, terms_of, unified
from worlds.pddl.lifted import changed_predicates, objects_of
from worlds.pddl.reader import Action, Domain, Problem
from worlds.pddl.syntax import Expression

Facts = frozenset[str]


@dataclass(unsafe_hash=True)
class StripsOperator:
    """A grounded action.

    Attributes
    ----------
    name : str
        Action and arguments, such as ``(drive t1 l0 l1)``.
    preconditions, add_effects, del_effects : frozenset of str
        Atoms without those of static predicates.
    """

    name: str
    preconditions: Facts
    add_effects: Facts
    del_effects: Facts

    def applicable(self, state: Facts) -> bool:
        """Return whether the preconditions hold."""
        return self.preconditions <= state

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
    static: Facts

    def goal_reached(self, state: Facts) -> bool:
        """Return whether all goals hold."""
        return self.goals <= state

    def get_successor_states(self, state: Facts) -> list[tuple[StripsOperator, Facts]]:
        """Return the applicable operators with the states to which they lead."""
        return [(each, each.apply(state)) for each in self.operators if each.applicable(state)]


def ground(domain: Domain, problem: Problem) -> StripsTask:
    """Return the task of a problem.

    Raises
    ------
    UserError
        If conditions are no conjunctions of atoms, or effects have conditions or quantifiers.
    """
    initial = frozenset(atom_of(each, {}) for each in problem.initial if each.head not in ("=", "not"))
    changed = changed_predicates(domain)
    truth = Conditions(objects_of(domain, problem), initial)
    operators = [each for action in domain.actions.values() for each in _grounded(action, changed, truth)]
    goals = frozenset(map(_text, (atom_of(each, {}) for each in _conjuncts(problem.goal))))
    facts = set(goals).union(*((*each.preconditions, *each.add_effects, *each.del_effects) for each in operators))
    true = frozenset(map(_text, initial))
    return StripsTask(problem.name, facts, true & facts, goals, _relevant(operators, goals), true - facts)


def _grounded(action: Action, changed: set[str], truth: Conditions) -> Iterator[StripsOperator]:
    """Yield the operators of an action in the order of their arguments."""
    conditions, (added, deleted) = _conjuncts(action.precondition), _effects(action.effect)
    variables = {name: Variable(truth.objects.of_type(types)) for name, types in action.parameters}
    static = [Part(each, True, variables) for each in conditions if each.head not in changed]
    found = set[Atom]()
    for values in _joined(static, truth):
        choices = [(values[each],) if each in values else each.objects for each in variables.values()]
        found.update(product(*choices))
    for arguments in sorted(found):
        binding = dict(zip(variables, arguments, strict=True))
        needed, adds, deletes = (
            frozenset(_text(atom_of(each, binding)) for each in atoms)
            for atoms in ([each for each in conditions if each.head in changed], added, deleted)
        )
        yield StripsOperator(_text((action.name, *arguments)), needed, adds - needed, deletes - adds)


def _joined(parts: Sequence[Part], truth: Conditions) -> Iterator[dict[Variable, str]]:
    """Yield the values of the variables in some atoms for which all of them hold."""
    if not parts:
        yield {}
        return
    chosen = min(parts, key=lambda part: len(truth.matches(part)))
    rest = [part for part in parts if part is not chosen]
    for match in truth.matches(chosen):
        values = unified(terms_of(chosen), match)
        if values is not None:
            for others in _joined([part.bind(values) for part in rest], truth):
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
            new = operator.preconditions - relevant
            relevant |= new
            waiting += new
    for operator in operators:
        operator.add_effects &= relevant
        operator.del_effects &= relevant
    return [operator for operator in operators if operator.add_effects or operator.del_effects]


def _conjuncts(condition: Expression | None) -> list[Expression]:
    """Return the atoms of a conjunction."""
    if condition is None:
        return []
    if condition.head in ("", "and"):
        return list(chain(*map(_conjuncts, condition.lists(1))))
    if condition.head in ("or", "not", "imply", "exists", "forall", "="):
        raise condition.fail(f"({condition.head} ...) is not supported in conditions of STRIPS")
    return [condition]


def _effects(effect: Expression | None) -> tuple[list[Expression], list[Expression]]:
    """Return the atoms that an effect adds, and those that it deletes."""
    if effect is None or effect.head == "increase":
        return [], []
    if effect.head in ("", "and"):
        parts = [_effects(each) for each in effect.lists(1)]
        return list(chain(*(added for added, _ in parts))), list(chain(*(deleted for _, deleted in parts)))
    if effect.head in ("when", "forall"):
        raise effect.fail(f"({effect.head} ...) is not supported in effects of STRIPS")
    return ([], list(effect.lists(1))) if effect.head == "not" else ([effect], [])


def _text(atom: Atom) -> str:
    return f"({' '.join(atom)})"
