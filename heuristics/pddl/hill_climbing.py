"""Choice of a collection of patterns by hill climbing, on the number of sampled states whose value a pattern raises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.additivity import additive_subsets, are_additive
from heuristics.pddl.facts import task_of
from heuristics.pddl.lookups import NO_GOAL, Table, table_of
from heuristics.pddl.patterns import abstract_states, changed_together, predecessors
from heuristics.pddl.projection import Pattern, Projection, cost_array
from heuristics.pddl.sampling import sampled_states
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import Task


@dataclass(frozen=True)
class ClimbingLimits:
    """Limits of hill climbing.

    Attributes
    ----------
    max_states, collection_max_states : int
        Largest number of abstract states of a pattern, and of all patterns of the collection together.
    max_candidates, max_candidate_states : int
        Number of patterns whose tables are made, and of their abstract states together.
    samples, min_improvement : int
        Number of sampled states, and of those whose value a step must raise.
    seed : int
        Seed of the random walks.
    """

    max_states: int
    collection_max_states: int
    max_candidates: int
    max_candidate_states: int
    samples: int
    min_improvement: int
    seed: int


def climbed_patterns(problem: Problem, limits: ClimbingLimits) -> list[Pattern]:
    """Return a collection of patterns.

    It begins with a pattern for each goal variable. Candidates are patterns of the collection with one more variable:
    one on which a change of theirs depends, or a goal variable whose change depends on them. Each step adds the
    candidate that raises the value of the most sampled states. Source: Haslum, Botea, Helmert, Bonet and Koenig,
    "Domain-independent construction of pattern database heuristics for cost-optimal planning", AAAI 2007.
    """
    task = task_of(problem)
    packing, neighbours, tables = Packing(task), _neighbours(task), CandidateTables(task, limits)
    goals: list[Pattern] = sorted({(variable,) for variable, _ in task.goal})
    collection = [pattern for pattern in goals if tables.make(pattern)]
    candidates: dict[Pattern, None] = {}
    extended, start = list(collection), np.array([task.initial], np.int64)
    while collection:
        for pattern in _larger(extended, neighbours):
            if pattern not in collection and pattern not in candidates and tables.make(pattern):
                candidates[pattern] = None
        estimate = float(_value(task, collection, tables, start)[0])
        seed = limits.seed + len(collection)
        states = sampled_states(problem, packing, limits.samples, estimate if np.isfinite(estimate) else 0, seed)
        room = limits.collection_max_states - sum(abstract_states(task, each) for each in collection)
        fitting = [each for each in candidates if abstract_states(task, each) <= room]
        raised = raised_states(task, collection, fitting, tables, states)
        if max(raised, default=0) < limits.min_improvement:
            break
        extended = [fitting[raised.index(max(raised))]]
        collection += extended
        del candidates[extended[0]]
    return collection


def raised_states(
    task: Task, collection: Sequence[Pattern], candidates: Iterable[Pattern], tables: CandidateTables,
    states: NDArray[np.int64],
) -> list[int]:  # fmt: skip
    """Return, for each candidate, the number of states whose value it raises if the collection gets it."""
    subsets = [frozenset(collection[number] for number in each) for each in additive_subsets(task, collection)]
    values = {each: tables.values(each, states) for each in collection}
    before = _largest_sum(subsets, values, states)
    together = changed_together(task)
    counts = []
    for candidate in candidates:
        additive = {each for each in collection if are_additive(together, candidate, each)}
        others = _largest_sum({subset & additive for subset in subsets}, values, states)
        counts.append(int((tables.values(candidate, states) + others > before).sum()))
    return counts


class CandidateTables:
    """Tables of the patterns that hill climbing evaluates, within its limits."""

    def __init__(self, task: Task, limits: ClimbingLimits) -> None:
        self._task, self._limits, self._costs = task, limits, cost_array(task)
        self._made: dict[Pattern, tuple[Projection, Table]] = {}
        self._states = 0

    def make(self, pattern: Pattern) -> bool:
        """Make the table of a pattern. Return whether the limits allow it."""
        if pattern in self._made:
            return True
        states, limits = abstract_states(self._task, pattern), self._limits
        if states > limits.max_states or len(self._made) >= limits.max_candidates:
            return False
        if self._states + states > limits.max_candidate_states:
            return False
        projection = Projection(self._task, pattern)
        self._made[pattern] = projection, table_of(projection.distances(self._costs))
        self._states += states
        return True

    def values(self, pattern: Pattern, states: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the value of each state by the table of a pattern alone."""
        projection, table = self._made[pattern]
        found = table[projection.indices(states)]
        return np.where(found == NO_GOAL, np.inf, found)


def _value(
    task: Task, collection: Sequence[Pattern], tables: CandidateTables, states: NDArray[np.int64]
) -> NDArray[np.float64]:
    subsets = [{collection[number] for number in each} for each in additive_subsets(task, collection)]
    return _largest_sum(subsets, {each: tables.values(each, states) for each in collection}, states)


def _largest_sum(
    subsets: Iterable[AbstractSet[Pattern]], values: dict[Pattern, NDArray[np.float64]], states: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return, for each state, the largest sum of the values of a subset of patterns."""
    best = np.zeros(len(states))
    for subset in subsets:
        best = np.maximum(best, sum((values[each] for each in subset), np.zeros(len(states))))
    return best


def _neighbours(task: Task) -> list[set[int]]:
    """Return, for each variable, those on which a change of it depends, and goal variables that depend on it."""
    needed = predecessors(task)
    found = [set(each) for each in needed]
    for variable, _ in task.goal:
        for cause in needed[variable]:
            found[cause].add(variable)
    return found


def _larger(patterns: Iterable[Pattern], neighbours: Sequence[set[int]]) -> Iterable[Pattern]:
    for pattern in patterns:
        for variable in sorted(set.union(*(neighbours[each] for each in pattern)).difference(pattern)):
            yield tuple(sorted((*pattern, variable)))
