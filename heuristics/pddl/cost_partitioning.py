"""Saturated cost partitioning: each abstraction takes the costs that it needs, and the next ones divide the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from heuristics.interface import COMBINATIONS, Combination, Term
from heuristics.pddl.facts import task_of
from heuristics.pddl.lookups import NO_GOAL, Entry, maximum_of_sums, table_of
from heuristics.pddl.projection import INFINITE, UNNEEDED, Projection, cost_array
from heuristics.pddl.sampling import sampled_states
from worlds.compile import MAX_COST
from worlds.interface import Problem
from worlds.pddl.packing import Packing


@COMBINATIONS.register("scp", domain="pddl")
@dataclass(frozen=True)
class SaturatedCostPartitioning(Combination):
    """Maximum over orders of the abstractions of the sum of their distances, each with the costs that are left for it.

    The first abstraction of an order takes of the cost of each operator what it needs to keep all its distances, and
    leaves the rest to those after it. Admissible and consistent. Source: Seipp, Keller and Helmert, "Saturated cost
    partitioning for optimal classical planning", JAIR 67, 2020.

    Attributes
    ----------
    orders : int
        Number of orders that are tried.
    order : {"greedy", "random"}
        ``greedy``: for the start, and for each of some sampled states, abstractions with a large distance there come
        first, if they take little that others need.
    diversify : bool
        Whether to keep only orders whose sum in one of the sampled states is larger than that of all orders before.
    samples : int
        Number of states at the ends of random walks for `diversify`.
    seed : int
        Seed of random orders and walks.
    """

    admissible = True
    consistent = True

    orders: Annotated[int, Meta(ge=1)] = 50
    order: Literal["greedy", "random"] = "greedy"
    diversify: bool = True
    samples: Annotated[int, Meta(ge=1)] = 1000
    seed: Annotated[int, Meta(ge=0)] = 0

    def term(self, problem: Problem, abstractions: Sequence[Projection]) -> Term:
        """Compute the tables of all orders."""
        task = task_of(problem)
        packing, costs = Packing(task), cost_array(task)
        greedy = _GreedyOrders(abstractions, costs)
        start = [each.indices(np.array([task.initial], np.int64)) for each in abstractions]
        first = partition(abstractions, costs, greedy.order(start, 0))
        estimate = max(0, int(sums_of(first, start)[0]))
        samples = sampled_states(problem, packing, max(self.samples, self.orders), estimate, self.seed)
        indices = [each.indices(samples) for each in abstractions]
        source = random.Random(self.seed)
        kept: list[list[Entry]] = []
        best = np.full(len(samples), NO_GOAL, np.int64)
        for number in range(self.orders):
            if self.order == "greedy":
                order = greedy.order(indices, number)
            else:
                order = source.sample(range(len(abstractions)), len(abstractions))
            entries = partition(abstractions, costs, order)
            values = sums_of(entries, indices)
            if not self.diversify or not kept or (values > best).any():
                kept.append(entries)
                best = np.maximum(best, values)
        return maximum_of_sums(packing, abstractions, kept)


def partition(projections: Sequence[Projection], costs: NDArray[np.int64], order: Sequence[int]) -> list[Entry]:
    """Return the tables of an order, without those that are 0 everywhere."""
    left, entries = costs.copy(), []
    for number in order:
        distances = projections[number].distances(left)
        if not distances.any():
            continue
        entries.append(Entry(number, table_of(distances)))
        needed = projections[number].needed(distances)
        is_useless = (left >= INFINITE) | (needed == UNNEEDED)
        left = np.where(is_useless, INFINITE, np.minimum(left - np.where(is_useless, 0, needed), MAX_COST))
    return entries


def sums_of(entries: Sequence[Entry], indices: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the sum of entries in some states; `NO_GOAL` if one of them has no goal.

    Parameters
    ----------
    indices : sequence of ndarray of int64
        For each projection, the index of the abstract state of each state.
    """
    states = len(indices[0]) if indices else 1
    total, has_goal = np.zeros(states, np.int64), np.ones(states, bool)
    for entry in entries:
        values = entry.table[indices[entry.projection]]
        has_goal &= values != NO_GOAL
        total += values
    return np.where(has_goal, total, NO_GOAL)


class _GreedyOrders:
    """Greedy orders of projections, by what each would take of the costs if it came first.

    Parameters
    ----------
    projections : sequence of Projection
    costs : ndarray of int64
        Cost of each operator.
    """

    def __init__(self, projections: Sequence[Projection], costs: NDArray[np.int64]) -> None:
        self._tables = []
        self._stolen = []
        lacking = -costs
        for each in projections:
            distances = each.distances(costs)
            self._tables.append(table_of(distances))
            lacking = lacking + _wish(each, distances)
        for each in projections:  # the wishes of thousands of patterns do not fit in memory
            stolen = np.maximum(0, lacking) - np.maximum(0, lacking - _wish(each, each.distances(costs)))
            self._stolen.append(max(1, int(stolen.sum())))

    def order(self, indices: Sequence[NDArray[np.int64]], state: int) -> list[int]:
        """Return the numbers of the projections, by their distance for each unit of costs that others then lack.

        Parameters
        ----------
        indices : sequence of ndarray of int64
            As for `sums_of`.
        state : int
            Number of the state.
        """
        values = [int(table[index[state]]) for table, index in zip(self._tables, indices, strict=True)]
        return sorted(range(len(values)), key=lambda number: (-values[number] / self._stolen[number], number))


def _wish(projection: Projection, distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what a projection takes of the costs if it comes first, with these distances."""
    needed = projection.needed(distances)
    return np.where(needed == UNNEEDED, 0, needed)
