"""Sets of additive patterns: no operator changes variables of two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heuristics.pddl.patterns import changed_together
from heuristics.pddl.projection import Pattern
from runner.base import Unsupported
from worlds.pddl.task import Task

MAX_SUBSETS = 100_000


def are_additive(together: Sequence[set[int]], one: Pattern, other: Pattern) -> bool:
    """Return whether no operator changes variables of both patterns. `together` is what `changed_together` returns."""
    return all(together[variable].isdisjoint(other) for variable in one)


def additive_subsets(task: Task, patterns: Sequence[Pattern]) -> list[tuple[int, ...]]:
    """Return the largest sets of additive patterns, by their numbers.

    They are the maximal cliques of a graph. Source: Tomita, Tanaka and Takahashi, "The worst-case time complexity for
    generating all maximal cliques and computational experiments", Theoretical Computer Science 363, 2006.

    Raises
    ------
    Unsupported
        If there are more than `MAX_SUBSETS`.
    """
    together, numbers = changed_together(task), range(len(patterns))
    additive = [
        {other for other in numbers if other != one and are_additive(together, patterns[one], patterns[other])}
        for one in numbers
    ]
    found = []
    for subset in _cliques(additive, (), set(numbers), set()):
        found.append(subset)
        if len(found) > MAX_SUBSETS:
            raise Unsupported(
                f"heuristic pattern_database: {len(patterns):,} patterns have more than {MAX_SUBSETS:,} largest sets "
                "of additive ones; choose fewer patterns, or heuristic.combine=scp"
            )
    return found


def _cliques(
    neighbours: Sequence[set[int]], chosen: tuple[int, ...], candidates: set[int], excluded: set[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the maximal cliques that contain the chosen nodes, some of the candidates, and no excluded node."""
    if not candidates and not excluded:
        yield tuple(sorted(chosen))
        return
    pivot = max(sorted(candidates | excluded), key=lambda each: len(neighbours[each] & candidates))
    for each in sorted(candidates - neighbours[pivot]):
        yield from _cliques(neighbours, (*chosen, each), candidates & neighbours[each], excluded & neighbours[each])
        candidates = candidates - {each}
        excluded = excluded | {each}
