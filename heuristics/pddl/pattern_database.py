"""Pattern databases: exact costs in projections of the task, added up where no operator changes two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.pddl.lookups import Entry, maximum_of_sums, table_of
from heuristics.pddl.patterns import changed_together, given_patterns, greedy_pattern, systematic_patterns
from heuristics.pddl.projection import MAX_STATES, Pattern, Projection, cost_array
from heuristics.pddl.relaxation import refuse_axioms, task_of
from runner.base.errors import Unsupported
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import Task

MAX_SUMS = 100_000


@HEURISTICS.register("pattern_database", domain="pddl")
@dataclass(frozen=True)
class PlanningPatternDatabase(Heuristic):
    """Maximum over sets of additive patterns: the sum of the costs if only the variables of each pattern matter.

    Patterns are additive if no operator changes variables of two of them; the sets are the largest ones (canonical
    heuristic). Admissible and consistent. Conditions of effects that a pattern does not decide may be met or not.
    Sources: Edelkamp, "Planning with pattern databases", ECP 2001; Haslum, Botea, Helmert, Bonet and Koenig,
    "Domain-independent construction of pattern database heuristics for cost-optimal planning", AAAI 2007.

    Attributes
    ----------
    patterns : {"greedy", "systematic"} or list of lists of int or str
        ``greedy``: one pattern, of goal variables and of those on which they depend, as large as allowed.
        ``systematic``: all interesting patterns of a few variables (Pommerening, Röger and Helmert, IJCAI 2013). Or the
        variables of each pattern, by numbers or names (`var3`).
    max_variables : int
        Largest number of variables of a pattern of ``systematic``.
    max_states : int
        Largest number of abstract states of a pattern. Each takes 4 bytes, and 32 while its table is made.
    """

    patterns: Literal["greedy", "systematic"] | list[list[int | str]] = "greedy"
    max_variables: Annotated[int, Meta(ge=1)] = 2
    max_states: Annotated[int, Meta(ge=1, le=MAX_STATES)] = 1_000_000

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Compute the tables of all patterns."""
        task, projections = task_of(problem), self.abstractions(problem)
        costs = cost_array(task)
        entries = [Entry(number, table_of(each.distances(costs))) for number, each in enumerate(projections)]
        subsets = additive_subsets(task, [each.pattern for each in projections])
        sums = [[entries[number] for number in subset] for subset in subsets]
        return maximum_of_sums(Packing(task), projections, sums)

    def abstractions(self, problem: Problem) -> list[Projection]:
        """Return the projections to the patterns."""
        task = task_of(problem)
        refuse_axioms(task, "pattern_database")
        return [Projection(task, pattern) for pattern in self.chosen(task)]

    def chosen(self, task: Task) -> list[Pattern]:
        """Return the patterns."""
        if self.patterns == "greedy":
            pattern = greedy_pattern(task, self.max_states)
            return [pattern] if pattern else []
        if self.patterns == "systematic":
            return systematic_patterns(task, self.max_variables, self.max_states)
        return given_patterns(task, self.patterns, self.max_states)


def additive_subsets(task: Task, patterns: Sequence[Pattern]) -> list[tuple[int, ...]]:
    """Return the largest sets of additive patterns, by their numbers.

    They are the maximal cliques of a graph. Source: Tomita, Tanaka and Takahashi, "The worst-case time complexity for
    generating all maximal cliques and computational experiments", Theoretical Computer Science 363, 2006.

    Raises
    ------
    Unsupported
        If there are more than `MAX_SUMS`.
    """
    together = changed_together(task)
    around = [set().union(*(together[variable] for variable in pattern)) for pattern in patterns]
    numbers = range(len(patterns))
    additive = [
        {other for other in numbers if other != one and around[one].isdisjoint(patterns[other])} for one in numbers
    ]
    found = []
    for subset in _cliques(additive, (), set(numbers), set()):
        found.append(subset)
        if len(found) > MAX_SUMS:
            raise Unsupported(
                f"heuristic pattern_database: {len(patterns):,} patterns have more than {MAX_SUMS:,} largest sets of "
                "additive ones; choose fewer patterns, or heuristic.combine=scp"
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
