"""Registered best-first algorithms: their parameters and guarantees.

They differ in the order of the open list, which they pass to the search, `algorithms.engine.best_first_search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from algorithms.engine.best_first_search import CONSTANT_ONE, BestFirstSearch, Priority
from algorithms.interface import ALGORITHMS, Algorithm, Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weighting

Ties = Literal["low_h", "high_h", "fifo", "lifo"]


@dataclass(frozen=True)
class BestFirst(SearchAlgorithm):
    """Base of best-first algorithms: the parameters that they share.

    Attributes
    ----------
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Order of nodes with the same f: smallest h first, largest h first, oldest first, or newest first. Among nodes
        that are still equal, the newest comes first.
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    """

    complete = True

    ties: Ties = "low_h"
    reopen: bool = True

    def _search(self, stack: BoundStack, weight_g: float, weighting: Weighting) -> BestFirstSearch:
        return BestFirstSearch(stack, Priority(weight_g, weighting, self.ties, self.reopen))


@ALGORITHMS.register("ucs")
@dataclass(frozen=True)
class UniformCost(BestFirst):
    """Uniform-cost search (Dijkstra): the smallest g first. Complete and optimal; ignores heuristics."""

    heuristic = "ignored"
    optimal = "always"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Start with f = g."""
        return self._search(stack, 1, Constant(0))


@ALGORITHMS.register("greedy")
@dataclass(frozen=True)
class Greedy(BestFirst):
    """Greedy best-first search: the smallest h first. Complete on finite spaces; no bound on the cost.

    By default it does not reopen closed nodes, unlike the others: a cheaper path does not change the order, and states
    would be expanded repeatedly only for a cheaper plan.
    """

    heuristic = "needed"

    reopen: bool = False

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Start with f = h."""
        return self._search(stack, 0, Constant(1))


@ALGORITHMS.register("astar")
@dataclass(frozen=True)
class AStar(BestFirst):
    """A*: the smallest f = g + h first (Hart, Nilsson and Raphael 1968).

    Complete. Optimal if the heuristic is admissible, and either `reopen` is on or the heuristic is consistent. A
    weighting makes it weighted A*; a schedule makes it A* with changing weights. A solution then costs at most the
    largest weight used times the optimal cost, because the open list always holds a node of an optimal path with its
    optimal g, at no more than that weight. (With a changing weight this needs `reopen`.)
    """

    uses_weighting = True
    optimal: ClassVar[Optimal] = "admissible"

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the weight, at least 1. The bound of a schedule is known only after the search."""
        if not admissible or not (self.reopen or consistent) or not isinstance(weighting, Constant | None):
            return None
        return 1.0 if weighting is None else max(1.0, weighting.weight)

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return weighted A* for a constant weight other than 1, else A*. The weight is that of the weighting."""
        if type(self) not in (AStar, WeightedAStar):  # a subclass from a plug-in
            return self, weighting
        if not isinstance(weighting, Constant):
            return AStar(self.ties, self.reopen), weighting
        if weighting.weight == 1:
            return AStar(self.ties, self.reopen), None
        return WeightedAStar(self.ties, self.reopen), weighting

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Start with f = g + w * h."""
        return self._search(stack, 1, CONSTANT_ONE if weighting is None else weighting)


@ALGORITHMS.register("weighted_astar")
@dataclass(frozen=True)
class WeightedAStar(AStar):
    """Weighted A*: the smallest f = g + w * h first (Pohl 1970).

    Complete. A solution costs at most w times the optimal cost (w >= 1) if the heuristic is admissible, and either
    `reopen` is on or the heuristic is consistent.

    Attributes
    ----------
    weight : float
        Weight w. A weighting, if one is chosen, replaces it.
    """

    optimal: ClassVar[Optimal] = "bounded"

    weight: Annotated[float, Meta(ge=0, le=1e6)] = 1.5

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return what runs with the chosen weighting, or without one with the constant `weight`."""
        return super().effective(Constant(self.weight) if weighting is None else weighting)
