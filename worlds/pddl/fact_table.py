"""Facts of a planning task as numbers: the predicate and the objects of each, for models that learn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worlds.pddl.packing import Packing
from worlds.pddl.task import Fact

NONE = -1
"""Predicate of a fact that is no atom, and object of an argument that an atom does not have."""
_ATOM = re.compile(r"([^(]+)(?:\((.*)\))?")


@dataclass(frozen=True, eq=False)
class FactTable:
    """Facts of a task. A fact is a value of a variable; facts are numbered variable by variable.

    Attributes
    ----------
    names : tuple of str
        Name of each fact, such as ``on(a, b)``, ``not clear(a)`` or ``none of those``.
    first : ndarray of int64, shape (variables,)
        Number of the first fact of each variable. The value v of a variable is the fact ``first[variable] + v``.
    predicate : ndarray of int64, shape (facts,)
        Number of the predicate of each atom; -1 for a fact that is no atom: a negated one, or "none of those".
    arguments : ndarray of int64, shape (facts, largest number of arguments)
        Numbers of the objects of each atom; -1 after the last.
    goal : ndarray of int64, shape (goal facts,)
        Numbers of the facts that the goal requires.
    predicates : tuple of str
        Names of the predicates: in the order of the domain, then those that only the translation has. Tasks of one
        domain have the same numbers.
    objects : tuple of str
        Names of the objects: the constants of the domain, then the objects of the problem. Of a task without PDDL,
        predicates and objects are those that occur in facts, in alphabetical order.
    static_facts : tuple of str
        Names of the facts that hold in all states and have no number, in alphabetical order.
    static_predicate, static_arguments : ndarray of int64
        As `predicate` and `arguments`, of `static_facts`.
    """

    names: tuple[str, ...]
    first: NDArray[np.int64]
    predicate: NDArray[np.int64]
    arguments: NDArray[np.int64]
    goal: NDArray[np.int64]
    predicates: tuple[str, ...]
    objects: tuple[str, ...]
    static_facts: tuple[str, ...]
    static_predicate: NDArray[np.int64]
    static_arguments: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        packing: Packing,
        predicates: Iterable[str] = (),
        objects: Iterable[str] = (),
        static_facts: Iterable[str] = (),
    ) -> FactTable:
        """Return the table of a task.

        Parameters
        ----------
        predicates, objects : iterable of str
            Names in the order of their numbers. Those that are missing follow, in alphabetical order.
        static_facts : iterable of str
            Names of the facts that hold in all states.
        """
        task = packing.task
        static = tuple(sorted(static_facts))
        atoms = [None if name is None else _parts(name) for names in task.atoms for name in names]
        known = [each for each in atoms if each is not None]
        of_predicate = _numbered(predicates, (name for name, _ in known))
        of_object = _numbered(objects, (each for _, arguments in known for each in arguments))
        arrays = [_as_numbers(each, of_predicate, of_object) for each in (atoms, list(map(_parts, static)))]
        names = tuple(name for names in task.facts for name in names)
        goal = _numbers(packing.first_facts, task.goal)
        all_names = (tuple(of_predicate), tuple(of_object), static)
        return cls(names, packing.first_facts, *arrays[0], goal, *all_names, *arrays[1])

    def numbers(self, values: ArrayLike) -> NDArray[np.int64]:
        """Return the numbers of the facts that hold in states, given as values of variables.

        Parameters
        ----------
        values : array of int, shape (states, columns)
            Values as in `PlanningStates.values` or `Dataset.values`, which may have more columns than variables.
        """
        return np.asarray(values, np.int64)[:, : len(self.first)] + self.first


def _parts(atom: str) -> tuple[str, list[str]]:
    """Return the predicate and the arguments of an atom."""
    match = _ATOM.fullmatch(atom)
    if match is None:
        return atom, []
    return match[1], match[2].split(", ") if match[2] else []


def _as_numbers(
    atoms: Sequence[tuple[str, list[str]] | None], of_predicate: Mapping[str, int], of_object: Mapping[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the predicate and the arguments of each atom."""
    predicate = np.full(len(atoms), NONE, np.int64)
    width = max((len(atom[1]) for atom in atoms if atom is not None), default=0)
    arguments = np.full((len(atoms), width), NONE, np.int64)
    for number, atom in enumerate(atoms):
        if atom is not None:
            predicate[number] = of_predicate[atom[0]]
            arguments[number, : len(atom[1])] = [of_object[each] for each in atom[1]]
    return predicate, arguments


def _numbered(given: Iterable[str], used: Iterable[str]) -> Mapping[str, int]:
    names = dict.fromkeys(given)
    names.update(dict.fromkeys(sorted({*used} - names.keys())))
    return {name: number for number, name in enumerate(names)}


def _numbers(first: NDArray[np.int64], facts: Sequence[Fact]) -> NDArray[np.int64]:
    return np.array([first[variable] + value for variable, value in facts], np.int64)
