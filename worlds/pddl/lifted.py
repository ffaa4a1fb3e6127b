"""Simulator of PDDL: plays ground actions on the set of true atoms. It validates plans, and uses no translated task."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.pddl.conditions import Atom, Atoms, Binding, BoundCondition, Conditions, Objects, Variable, atom_of
from worlds.pddl.derivation_rules import DerivationRule, signed_atoms, strata
from worlds.pddl.reader import Domain, PddlProblem
from worlds.pddl.syntax import Expression, Node


class Simulator:
    """Rules of a problem. States include the atoms of derived predicates.

    Attributes
    ----------
    initial : frozenset of atoms
        Atoms that hold at the start.
    """

    def __init__(self, domain: Domain, problem: PddlProblem) -> None:
        self._domain, self._problem = domain, problem
        self._objects = objects_of(domain, problem)
        self._derivation = _Derivation(self._objects, domain)
        self._numbers: dict[Atom, int] = {}
        true = set()
        for each in problem.initial:
            if each.head == "=":
                function, number = each.items[1:]
                self._numbers[atom_of(function, {})] = int(str(number))
            elif each.head != "not":
                true.add(atom_of(each, {}))
        self.initial = self._derivation.evaluated(frozenset(true))

    def is_goal(self, state: Atoms) -> bool:
        """Return whether the goal holds."""
        return Conditions(self._objects, state).hold([BoundCondition(self._problem.goal, True, {})])

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
        binding: dict[str, str] = {}
        for (parameter, types), argument in zip(schema.parameters, arguments, strict=True):
            if not self._objects.has_type(argument, types):
                raise ValueError(f"{argument} is no {' or '.join(types)}")
            if binding.setdefault(parameter, argument) != argument:  # two parameters may have one name
                raise ValueError(f"the parameters {parameter} are {binding[parameter]} and {argument}")
        conditions = Conditions(self._objects, state)
        if schema.precondition is not None:
            unmet = _unmet(schema.precondition, conditions, binding)
            if unmet is not None:
                raise ValueError(f"the precondition {unmet} does not hold")
        changes = _Changes(self._objects, conditions, self._numbers)
        if schema.effect is not None:
            changes.collect(schema.effect, [], binding)
        cost = changes.cost if self._problem.counts_costs else 1
        return self._derivation.evaluated((state - changes.deleted) | changes.added), cost


def changed_predicates(domain: Domain) -> set[str]:
    """Return the predicates in effects of actions, and those derived from them. All others are static."""
    found = set[str]()
    waiting = [action.effect for action in domain.actions.values() if action.effect is not None]
    while waiting:
        effect = waiting.pop()
        if effect.head in ("", "and", "not"):
            waiting += effect.lists(1)
        elif effect.head in ("when", "forall"):
            waiting.append(effect.lists(1)[1])
        elif effect.head != "increase":
            found.add(effect.head)
    for stratum in strata(domain.rules):
        needed = {atom.head for rule in stratum.rules for atom, _ in signed_atoms(rule.condition)}
        if not needed.isdisjoint(found):
            found.update(rule.predicate for rule in stratum.rules)
    return found


def objects_of(domain: Domain, problem: PddlProblem) -> Objects:
    """Return the objects of a problem and the constants of its domain."""
    declared = (*domain.constants, *problem.objects)
    return Objects({name: frozenset().union(*map(domain.ancestors, types)) for name, types in declared})


class _Derivation:
    """Evaluation of the rules of derived predicates."""

    def __init__(self, objects: Objects, domain: Domain) -> None:
        self._objects, self._derived, self._strata = objects, domain.derived, strata(domain.rules)
        self._variables = {
            rule: {name: Variable(objects.of_type(types)) for name, types in rule.parameters} for rule in domain.rules
        }

    def evaluated(self, state: Atoms) -> Atoms:
        """Return a state with the atoms of derived predicates that hold in it, and no others of these predicates.

        A stratum is complete before the next one, which may need the negation of its atoms.
        """
        if not self._strata:
            return state
        true = {atom for atom in state if atom[0] not in self._derived}
        for stratum in self._strata:
            is_complete = False
            while not is_complete:
                conditions = Conditions(self._objects, frozenset(true))
                new = {atom for rule in stratum.rules for atom in self._atoms(rule, conditions)} - true
                true |= new
                is_complete = not (new and stratum.is_recursive)
        return frozenset(true)

    def _atoms(self, rule: DerivationRule, conditions: Conditions) -> Iterator[Atom]:
        """Yield the atoms that a rule derives in a state."""
        variables = self._variables[rule]
        if all(variable.objects for variable in variables.values()):
            parts = [BoundCondition(rule.condition, True, variables)]
            for solution in conditions.solutions(parts, tuple(variables), variables):
                yield (rule.predicate, *(str(solution[name]) for name in variables))


class _Changes:
    """Atoms that the effects of an action add and delete in a state, and the cost of the action."""

    def __init__(self, objects: Objects, conditions: Conditions, numbers: dict[Atom, int]) -> None:
        self._objects, self._conditions, self._numbers = objects, conditions, numbers
        self.added: set[Atom] = set()
        self.deleted: set[Atom] = set()
        self.cost = 0

    def collect(self, effect: Expression, parts: list[BoundCondition], binding: Binding) -> None:
        """Collect the changes of an effect where all parts hold."""
        head = effect.head
        if head == "and" or not effect.items:
            for each in effect.lists(1):
                self.collect(each, parts, binding)
        elif head == "forall":
            variables = self._objects.variables(effect)
            if all(variable.objects for variable in variables.values()):
                self.collect(effect.lists(1)[1], parts, {**binding, **variables})
        elif head == "when":
            condition, body = effect.lists(1)
            self.collect(body, [*parts, BoundCondition(condition, True, binding)], binding)
        elif head == "increase":
            amount = effect.items[2]
            is_number = isinstance(amount, str) and amount.isdecimal()
            number = int(str(amount)) if is_number else self._numbers.get(atom_of(amount, binding))
            if number is None:
                raise ValueError(f"{_text(amount, binding)} has no value")
            self.cost += number
        else:
            atom, changed = (effect.lists(1)[0], self.deleted) if head == "not" else (effect, self.added)
            for solution in self._conditions.solutions(parts, atom.variables, binding):
                changed.add(atom_of(atom, solution))


def _unmet(condition: Expression, conditions: Conditions, binding: Binding) -> str | None:
    """Return the first part of a condition that does not hold; None if it holds."""
    parts = condition.lists(1) if condition.head == "and" else (condition,)
    failing = next((part for part in parts if not conditions.hold([BoundCondition(part, True, binding)])), None)
    return None if failing is None else _text(failing, binding)


def _text(node: Node, binding: Binding) -> str:
    if isinstance(node, str):
        return str(binding.get(node, node))
    return f"({' '.join(_text(item, binding) for item in node.items)})"
