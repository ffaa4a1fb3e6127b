"""Best-first algorithms: one engine, with the order of the open list passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from algorithms.engine.best_first import BestFirstSearch, Priority
from algorithms.interface import Algorithm, Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weighting
from runner.registry import register

Ties = Literal["low_h", "high_h", "fifo", "lifo"]


@dataclass(frozen=True)
class BestFirst(SearchAlgorithm):
    """Parameters that best-first algorithms share.

    Attributes
    ----------
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Among nodes of equal f: the smaller h first, the larger h first, the oldest first, or the newest first.
        Whatever is equal then: the newest first.
    reopen : bool
        Put a closed node back when a cheaper path to it is found.
    """

    complete = True

    ties: Ties = "low_h"
    reopen: bool = True

    def _search(self, stack: BoundStack, weight_g: float, weighting: Weighting) -> BestFirstSearch:
        return BestFirstSearch(stack, Priority(weight_g, weighting, self.ties, self.reopen))


@register("algorithm", "ucs")
@dataclass(frozen=True)
class UniformCost(BestFirst):
    """Uniform-cost search (Dijkstra): the smallest g first. Complete and optimal; ignores heuristics."""

    heuristic = "ignored"
    optimal = "always"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = g."""
        return self._search(stack, 1, Constant(0))


@register("algorithm", "greedy")
@dataclass(frozen=True)
class Greedy(BestFirst):
    """Greedy best-first search: the smallest h first. Complete on finite spaces; no bound on the cost.

    Without reopening, unlike the others: a cheaper path does not change the order, and states would be expanded anew
    again and again for nothing but a cheaper plan.
    """

    heuristic = "needed"

    reopen: bool = False

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = h."""
        return self._search(stack, 0, Constant(1))


@register("algorithm", "astar")
@dataclass(frozen=True)
class AStar(BestFirst):
    """A*: the smallest f = g + h first (Hart, Nilsson and Raphael 1968).

    Complete; optimal if the heuristic is admissible and either `reopen` is on or the heuristic is consistent. A
    weighting makes it weighted A*, and a schedule A* with changing weights: a solution then costs at most the largest
    weight used times the optimum, because some node of an optimal path always waits in the open list with its true g
    and at most that weight (with a changing weight this needs `reopen`).
    """

    uses_weighting = True
    optimal: ClassVar[Optimal] = "admissible"

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """The weight, or 1 for a smaller one. What a schedule promises is known only after its search."""
        if not admissible or not (self.reopen or consistent) or not isinstance(weighting, Constant | None):
            return None
        return 1.0 if weighting is None else max(1.0, weighting.weight)

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return weighted A* for a constant weight other than 1, else A*; the weighting owns the weight."""
        if type(self) not in (AStar, WeightedAStar):  # a subclass of a plug-in
            return self, weighting
        if not isinstance(weighting, Constant):
            return AStar(self.ties, self.reopen), weighting
        if weighting.weight == 1:
            return AStar(self.ties, self.reopen), None
        return WeightedAStar(self.ties, self.reopen), weighting

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = g + w * h."""
        return self._search(stack, 1, Constant(1) if weighting is None else weighting)


@register("algorithm", "weighted_astar")
@dataclass(frozen=True)
class WeightedAStar(AStar):
    """Weighted A*: the smallest f = g + w * h first (Pohl 1970).

    Complete; a solution costs at most w times the optimum (w >= 1) if the heuristic is admissible and either `reopen`
    is on or the heuristic is consistent.

    Attributes
    ----------
    weight : float
        The weight w, unless a weighting is chosen, which then owns it.
    """

    optimal: ClassVar[Optimal] = "bounded"

    weight: Annotated[float, Meta(ge=0, le=1e6)] = 1.5

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return what runs under the chosen weighting, or else under the constant `weight`."""
        return super().effective(Constant(self.weight) if weighting is None else weighting)
