"""Landmarks of the start: facts, and sets of facts. Every plan makes one of each set true.

All facts are candidates. Candidates for sets come from the landmarks that are found: if every unary operator that makes
a landmark true needs an atom of one pattern, such as ``in(parcel, ...)``, one of these atoms must be true before.
Source: Porteous, Sebastia and Hoffmann, "On the extraction, ordering, and usage of landmarks in planning", ECP 2001;
Richter, Helmert and Westphal, "Landmarks revisited", AAAI 2008, for sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.facts import first_facts
from heuristics.pddl.landmark_labels import (
    KEEPS_TRUE,
    LABEL_BITS,
    LABEL_WORDS,
    MISSING,
    Landmark,
    reach_goal,
    set_landmarks,
    with_labels,
)
from heuristics.pddl.relaxation import UnaryOperator
from worlds.interface import Words
from worlds.pddl.task import Task

CANDIDATES = 8 * LABEL_BITS
"""How many candidates are tested at a time."""
LARGEST = 4
"""Number of facts in the largest sets, as in LAMA."""

Pattern = tuple[str | None, ...]
"""An atom with None instead of one of its arguments."""


def landmarks_of(
    task: Task, unary: Sequence[UnaryOperator], relaxation: NDArray[np.int64], start: Words
) -> list[Landmark]:
    """Return the landmarks of the start, with the goal facts; only these if the goal cannot be reached."""
    first = first_facts(task)
    params = with_labels(relaxation, [0] * CANDIDATES)
    params[KEEPS_TRUE] = 1
    goal = {(first[variable] + value,) for variable, value in task.goal}
    found = goal | _those_of_start(params, start, [(fact,) for fact in range(first[-1])])
    facts = {fact for (fact,) in found}
    patterns = list(_patterns(task))
    achievers = defaultdict(list)
    for each in unary:
        achievers[each.effect].append(each.conditions)
    tested: set[Landmark] = set()
    latest = found
    while latest:
        before = {each for landmark in latest for each in _sets_before(landmark, achievers, patterns)}
        candidates = {each for each in before - tested if facts.isdisjoint(each)}
        tested |= candidates
        latest = _those_of_start(params, start, sorted(candidates))
        found |= latest
    return sorted(found)


def _those_of_start(params: NDArray[np.int64], start: Words, candidates: Sequence[Landmark]) -> set[Landmark]:
    """Return the candidates that are landmarks of the start. There is none if the goal cannot be reached."""
    found: set[Landmark] = set()
    for index in range(0, len(candidates), CANDIDATES):
        part = candidates[index : index + CANDIDATES]
        set_landmarks(params, part)
        if reach_goal.compiled(params, start, 0):
            bits = params[params[MISSING] : params[MISSING] + params[LABEL_WORDS]].view(np.uint8)
            numbers: list[int] = np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()
            found.update(part[number] for number in numbers)
    return found


def _patterns(task: Task) -> Iterator[set[Pattern]]:
    """Yield the patterns of each fact; none for facts that are no atoms."""
    for atom in (atom for atoms in task.atoms for atom in atoms):
        name, _, rest = (atom or "").partition("(")
        arguments = rest.removesuffix(")").split(", ") if rest else []
        yield {(name, *arguments[:place], None, *arguments[place + 1 :]) for place in range(len(arguments))}


def _sets_before(
    landmark: Landmark, achievers: Mapping[int, Iterable[tuple[int, ...]]], patterns: Sequence[set[Pattern]]
) -> Iterator[Landmark]:
    """Yield sets of facts of one pattern: every operator that makes a landmark true needs one of each set.

    Operators that need the landmark itself do not make it true for the first time.
    """
    needed = [each for fact in landmark for each in achievers[fact] if set(landmark).isdisjoint(each)]
    if not needed:
        return
    for pattern in set.intersection(*(set().union(*(patterns[fact] for fact in each)) for each in needed)):
        facts = {fact for each in needed for fact in each if pattern in patterns[fact]}
        if 1 < len(facts) <= LARGEST:
            yield tuple(sorted(facts))
