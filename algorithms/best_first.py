"""Best-first algorithms: one engine, with the order of the open list passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from algorithms.engine.best_first import BestFirstSearch, Priority
from algorithms.interface import Algorithm
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Constant, Weighting
from runner.registry import register

Ties = Literal["low_h", "high_h", "fifo", "lifo"]


@dataclass(frozen=True)
class BestFirst(Algorithm):
    """Parameters that best-first algorithms share.

    Attributes
    ----------
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Among nodes of equal f: the smaller h first, the larger h first, the oldest first, or the newest first.
        Whatever is equal then: the newest first.
    reopen : bool
        Put a closed node back when a cheaper path to it is found.
    """

    ties: Ties = "low_h"
    reopen: bool = True

    def _is_exact(self, stack: Stack) -> bool:
        """Whether nodes are expanded, in the end, with their true g as far as the bound needs it."""
        return stack.admissible is True and (self.reopen or stack.consistent is True)


@register("algorithm", "ucs")
@dataclass(frozen=True)
class UniformCost(BestFirst):
    """Uniform-cost search (Dijkstra): the smallest g first. Complete and optimal; ignores heuristics."""

    uses_heuristic = False

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = g."""
        return BestFirstSearch(stack, Priority(1, 0, self.ties, self.reopen))

    def bound(self, stack: Stack, weighting: Weighting | None) -> float | None:
        """Optimal."""
        return 1.0


@register("algorithm", "greedy")
@dataclass(frozen=True)
class Greedy(BestFirst):
    """Greedy best-first search: the smallest h first. Complete on finite spaces; no bound on the cost."""

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = h."""
        return BestFirstSearch(stack, Priority(0, 1, self.ties, self.reopen))


@register("algorithm", "astar")
@dataclass(frozen=True)
class AStar(BestFirst):
    """A*: the smallest f = g + h first (Hart, Nilsson and Raphael 1968).

    Complete; optimal if the heuristic is admissible and either `reopen` is on or the heuristic is consistent. A
    weighting makes it weighted A*.
    """

    uses_weighting = True

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Begin with f = g + w * h."""
        weight = 1.0 if weighting is None else weighting.initial
        return BestFirstSearch(stack, Priority(1, weight, self.ties, self.reopen))

    def bound(self, stack: Stack, weighting: Weighting | None) -> float | None:
        """The largest weight, but at least 1."""
        if not self._is_exact(stack):
            return None
        return 1.0 if weighting is None else max(1.0, weighting.largest)


@register("algorithm", "weighted_astar")
@dataclass(frozen=True)
class WeightedAStar(AStar):
    """Weighted A*: the smallest f = g + w * h first (Pohl 1970).

    Complete; a solution costs at most w times the optimum (w >= 1) if the heuristic is admissible and either `reopen`
    is on or the heuristic is consistent.

    Attributes
    ----------
    weight : float
        The weight w, unless a weighting is chosen.
    """

    weight: Annotated[float, Meta(ge=0, le=1e6)] = 1.5

    def effective_weighting(self, weighting: Weighting | None) -> Weighting:
        """The chosen weighting, or else the constant `weight`."""
        return Constant(self.weight) if weighting is None else weighting
