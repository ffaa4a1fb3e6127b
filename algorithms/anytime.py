"""Anytime algorithms: a solution soon, better ones as time allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from algorithms.best_first import BestFirst
from algorithms.engine.anytime import AnytimeSearch
from algorithms.engine.best_first import Priority
from algorithms.interface import Optimal
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weight, Weighting
from runner.registry import register


@register("algorithm", "anytime_astar")
@dataclass(frozen=True)
class AnytimeAStar(BestFirst):
    """Restarting weighted A* (Richter, Thayer and Ruml 2010): weighted A* with one weight after the other.

    Every search after the first looks for cheaper solutions only: a node whose g + h (g, if the heuristic is not
    declared admissible) is not below the best cost so far is not put into the open list. Every improved solution is a
    line in the plan log, with its bound and time; costs and bounds only fall. The bound is the smallest weight under
    which a solution was found. When a search finds nothing cheaper, the solution is optimal: by g alone nothing is
    pruned that could be cheaper, by g + h nothing under an admissible heuristic. Complete; optimal if it may run to its
    end with a last weight of 1 and an admissible heuristic.

    Stopped by a limit, its status is `solved` if it has a solution.

    Attributes
    ----------
    weights : tuple of float
        Of the searches, one after the other; each begins when the one before has found a solution.
    """

    optimal: ClassVar[Optimal] = "admissible"

    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)] = (5.0, 3.0, 2.0, 1.5, 1.0)

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """The last weight, or 1 for a smaller one."""
        return max(1.0, self.weights[-1]) if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> AnytimeSearch:
        """Begin with the first weight."""
        return AnytimeSearch(stack, [Priority(1, Constant(w), self.ties, self.reopen) for w in self.weights])
