"""Conditions of PDDL in one state. Quantified variables get their values by joins over the atoms that hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from worlds.pddl.syntax import Expression, Node, typed

Atom = tuple[str, ...]
"""A predicate and its arguments."""
Atoms = frozenset[Atom]


class Variable:
    """A quantified variable without a value.

    Attributes
    ----------
    objects : dict
        Its possible values, as keys.
    """

    def __init__(self, objects: dict[str, None]) -> None:
        self.objects = objects


Term: TypeAlias = str | Variable
"""An object, or a variable that may become any of its objects."""
Binding = Mapping[str, Term]


class BoundCondition(NamedTuple):
    """A condition that must hold, or must not, and the terms for the names of its variables."""

    condition: Expression
    wanted: bool
    binding: Binding

    def variables(self) -> dict[Variable, None]:
        """Return the variables without values."""
        terms = map(self.binding.get, self.condition.variables)
        return dict.fromkeys(term for term in terms if isinstance(term, Variable))

    def key(self) -> tuple[object, ...]:
        """Return the condition, its wanted value and its arguments, which determine whether this part holds."""
        return self.condition, self.wanted, *map(self.binding.get, self.condition.variables)

    def bind(self, values: Mapping[Variable, str]) -> BoundCondition:
        """Return this part with the values of some variables."""
        return BoundCondition(self.condition, self.wanted, bind(self.binding, self.condition.variables, values))


class Objects:
    """Objects of a problem.

    Parameters
    ----------
    types : dict
        For each object, its types and their ancestors.
    """

    def __init__(self, types: Mapping[str, frozenset[str]]) -> None:
        self._types = types
        self._variables: dict[Expression, dict[str, Variable]] = {}
        self.all = list(types)

    def of_type(self, types: Collection[str]) -> dict[str, None]:
        """Return the objects that have one of some types, as keys."""
        return {each: None for each in self.all if self.has_type(each, types)}

    def has_type(self, name: str, types: Collection[str]) -> bool:
        """Return whether an object has one of some types."""
        return not self._types.get(name, frozenset()).isdisjoint(types)

    def variables(self, quantifier: Expression) -> dict[str, Variable]:
        """Return the variables of a quantifier by their names: the same ones every time."""
        if quantifier not in self._variables:
            declared = quantifier.lists(1)[0]
            self._variables[quantifier] = {
                name: Variable(self.of_type(types)) for name, types in typed(declared, declared.items)
            }
        return self._variables[quantifier]


class Conditions:
    """Truth of conditions in a state.

    The parts of a conjunction that share no variable are solved one by one. In the others, the atom with the fewest
    matches in the state gives values to its variables. What was found out about the rest is kept, so a chain of atoms
    takes time polynomial in the number of objects, however many variables it has.

    Parameters
    ----------
    objects : Objects
    state : frozenset of atoms
        The atoms that hold.
    """

    def __init__(self, objects: Objects, state: Atoms) -> None:
        self.objects, self._state = objects, state
        self._known: dict[tuple[object, ...], bool] = {}
        self._indices: dict[tuple[str, tuple[int, ...]], dict[Atom, list[Atom]]] = {}

    def hold(self, parts: Iterable[BoundCondition]) -> bool:
        """Return whether the variables have values for which all parts hold."""
        groups = self._simplified(parts)
        return groups is not None and all(map(self._has_solution, groups))

    def _simplified(self, parts: Iterable[BoundCondition]) -> list[list[BoundCondition]] | None:
        """Return the parts that have variables, in groups that share none; None if the other parts do not hold."""
        rest, composite, open_parts = list(parts), [], []
        while rest:
            part = rest.pop()
            condition, wanted, binding = part
            head = condition.head or "and"  # () is (and)
            if head == "not":
                rest.append(BoundCondition(condition.lists(1)[0], not wanted, binding))
            elif head == ("and" if wanted else "or"):
                rest += [BoundCondition(each, wanted, binding) for each in condition.lists(1)]
            elif head == "imply" and not wanted:
                premise, conclusion = condition.lists(1)
                rest += [BoundCondition(premise, True, binding), BoundCondition(conclusion, False, binding)]
            elif head == ("exists" if wanted else "forall"):
                variables = self.objects.variables(condition)
                if not all(variable.objects for variable in variables.values()):
                    return None
                rest.append(BoundCondition(condition.lists(1)[1], wanted, {**binding, **variables}))
            elif part.variables():
                open_parts.append(part)
            elif _is_literal(condition):
                if self.is_true(condition, binding) != wanted:
                    return None
            else:
                composite.append(part)
        return _connected(open_parts) if all(map(self._holds, composite)) else None

    def solutions(self, parts: Sequence[BoundCondition], names: Sequence[str], binding: Binding) -> Iterator[Binding]:
        """Yield bindings of some names to objects, for which all parts hold with some values of other variables."""
        variables = [term for term in map(binding.get, names) if isinstance(term, Variable)]
        for values in self._values(parts, dict.fromkeys(variables)):
            yield bind(binding, names, values)

    def _values(self, parts: Iterable[BoundCondition], wanted: dict[Variable, None]) -> Iterator[dict[Variable, str]]:
        """Yield values of the wanted variables for which all parts hold with some values of the others.

        Some are yielded several times. Parts without wanted variables are only tested.
        """
        groups = self._simplified(parts)
        if groups is None:
            return
        tested, kept = list[list[BoundCondition]](), list[BoundCondition]()
        for group in groups:
            if any(not wanted.keys().isdisjoint(part.variables()) for part in group):
                kept += group
            else:
                tested.append(group)
        if not all(map(self._has_solution, tested)):
            return
        if not kept:
            for chosen in product(*(variable.objects for variable in wanted)):
                yield dict(zip(wanted, chosen, strict=True))
            return
        for values, rest in self._branches(kept, wanted):
            found = {variable: value for variable, value in values.items() if variable in wanted}
            for others in self._values(rest, {each: None for each in wanted if each not in found}):
                yield {**found, **others}

    def is_true(self, literal: Expression, binding: Binding) -> bool:
        """Return whether an atom or an equality without open variables is true."""
        atom = tuple(binding.get(word, word) for word in literal.words())
        return atom[1] == atom[2] if literal.head == "=" else atom in self._state

    def _holds(self, part: BoundCondition) -> bool:
        """Return whether a part without open variables holds that is no conjunction and no atom."""
        key = part.key()
        if key not in self._known:
            if part.condition.head in ("exists", "forall"):
                self._known[key] = not self.hold([part._replace(wanted=not part.wanted)])
            else:
                self._known[key] = any(self.hold([each]) for each in _alternatives(part))
        return self._known[key]

    def _has_solution(self, parts: Sequence[BoundCondition]) -> bool:
        """Return whether the variables of parts that share some have values for which all of them hold."""
        key = tuple(item for part in parts for item in part.key())
        if key not in self._known:
            every = dict.fromkeys(variable for part in parts for variable in part.variables())
            self._known[key] = any(self.hold(rest) for _, rest in self._branches(parts, every))
        return self._known[key]

    def _branches(
        self, parts: Sequence[BoundCondition], wanted: dict[Variable, None]
    ) -> Iterator[tuple[dict[Variable, str], list[BoundCondition]]]:
        """Yield values of variables and simpler parts that hold in some case if, and only if, these parts hold.

        Each case is about a part with a wanted variable.
        """
        with_wanted = {
            number: part for number, part in enumerate(parts) if not wanted.keys().isdisjoint(part.variables())
        }
        matches = {
            number: self.matches(part)
            for number, part in with_wanted.items()
            if part.wanted and _is_literal(part.condition)
        }
        if matches:
            chosen = min(matches, key=lambda number: len(matches[number]))
            terms = terms_of(parts[chosen])
            rest = [part for number, part in enumerate(parts) if number != chosen]
            for match in matches[chosen]:
                values = unified(terms, match)
                if values is not None:
                    yield values, [part.bind(values) for part in rest]
            return
        for number, part in with_wanted.items():
            for alternative in _alternatives(part):
                yield {}, [alternative, *parts[:number], *parts[number + 1 :]]
            if part.condition.head in ("and", "or", "imply"):
                return
        variable = next(each for part in with_wanted.values() for each in part.variables() if each in wanted)
        for value in variable.objects:
            yield {variable: value}, [part.bind({variable: value}) for part in parts]

    def matches(self, part: BoundCondition) -> Sequence[Atom]:
        """Return the arguments of the atoms that hold and agree with an atom where it has objects."""
        terms = terms_of(part)
        given = tuple(place for place, term in enumerate(terms) if isinstance(term, str))
        index = self._index(part.condition.head, given)
        return index.get(tuple(term for term in terms if isinstance(term, str)), ())

    def _index(self, predicate: str, given: tuple[int, ...]) -> dict[Atom, list[Atom]]:
        """Return the arguments of the atoms of a predicate, by the arguments at some places."""
        if not self._indices:
            self._indices["=", ()] = {(): [(name, name) for name in self.objects.all]}
            for atom in self._state:
                self._indices.setdefault((atom[0], ()), {(): []})[()].append(atom[1:])
        if (predicate, given) not in self._indices:
            index = self._indices[predicate, given] = {}
            for arguments in self._indices.get((predicate, ()), {}).get((), ()):
                index.setdefault(tuple(arguments[place] for place in given), []).append(arguments)
        return self._indices[predicate, given]


def bind(binding: Binding, names: Iterable[str], values: Mapping[Variable, str]) -> Binding:
    """Return a binding of some names with the values of some variables."""
    terms = ((name, binding[name]) for name in names if name in binding)
    return {name: values.get(term, term) if isinstance(term, Variable) else term for name, term in terms}


def _is_literal(condition: Expression) -> bool:
    return condition.head not in ("", "and", "or", "imply", "exists", "forall")


def terms_of(part: BoundCondition) -> list[Term]:
    """Return the arguments of an atom."""
    return [part.binding.get(word, word) for word in part.condition.words(1)]


def unified(terms: Sequence[Term], arguments: Sequence[str]) -> dict[Variable, str] | None:
    """Return the values for which terms become some arguments; None if there are none."""
    values: dict[Variable, str] = {}
    for term, argument in zip(terms, arguments, strict=True):
        if isinstance(term, Variable) and (
            argument not in term.objects or values.setdefault(term, argument) != argument
        ):
            return None
    return values


def _alternatives(part: BoundCondition) -> list[BoundCondition]:
    """Return the alternatives of a disjunction; nothing for other conditions."""
    condition, wanted, binding = part
    if condition.head == ("or" if wanted else "and") or not condition.items:
        return [BoundCondition(each, wanted, binding) for each in condition.lists(1)]
    if condition.head == "imply" and wanted:
        premise, conclusion = condition.lists(1)
        return [BoundCondition(premise, False, binding), BoundCondition(conclusion, True, binding)]
    return []


def _connected(parts: Iterable[BoundCondition]) -> list[list[BoundCondition]]:
    """Return parts in groups that share no open variable."""
    groups: list[tuple[list[BoundCondition], dict[Variable, None]]] = []
    for part in parts:
        group, variables = [part], part.variables()
        apart = []
        for each in groups:
            if each[1].keys().isdisjoint(variables):
                apart.append(each)
            else:
                group, variables = each[0] + group, {**each[1], **variables}
        groups = [*apart, (group, variables)]
    return [group for group, _ in groups]


def atom_of(node: Node, binding: Binding) -> Atom:
    """Return an atom with the objects of a binding."""
    words = (node,) if isinstance(node, str) else node.words()
    return tuple(str(binding.get(word, word)) for word in words)


def atom_name(atom: Sequence[str]) -> str:
    """Return the name of an atom in our notation, such as ``on(a, b)``."""
    return f"{atom[0]}({', '.join(atom[1:])})" if len(atom) > 1 else atom[0]


def pddl_literal(name: str) -> str:
    """Return the literal of a name in PDDL, such as ``(on a b)``.

    Examples
    --------
    >>> pddl_literal("on(a, b)"), pddl_literal("handempty"), pddl_literal("not on(a, b)")
    ('(on a b)', '(handempty)', '(not (on a b))')
    """
    if name.startswith("not "):
        return f"(not {pddl_literal(name[4:])})"
    return f"({name.rstrip(')').replace('(', ' ').replace(', ', ' ')})"


def facts_text(facts: Iterable[str]) -> str:
    """Return facts as in PDDL, in one line."""
    return " ".join(sorted(map(pddl_literal, facts)))
