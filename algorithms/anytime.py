"""Registered anytime algorithm: its parameters and guarantees. The search is `algorithms.engine.anytime_search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from algorithms.best_first import BestFirst
from algorithms.engine.anytime_search import AnytimeSearch
from algorithms.engine.best_first_search import Priority
from algorithms.interface import ALGORITHMS, Optimal
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weight, Weighting


@ALGORITHMS.register("anytime_astar")
@dataclass(frozen=True)
class AnytimeAStar(BestFirst):
    """Restarting weighted A* (Richter, Thayer and Ruml 2010): weighted A* with each of several weights in sequence.

    Each search after the first looks for a cheaper solution: it prunes nodes whose g + h is at least the cost of the
    incumbent (whose g is, if the heuristic is not declared admissible). Every improved solution is a line in the plan
    log, with its bound and time. Costs and bounds only decrease. The bound is the smallest weight of a search that
    found a solution. If a search finds nothing cheaper, the incumbent is optimal: pruning by g removes no cheaper
    solution, pruning by g + h removes none under an admissible heuristic. Complete. Optimal with a last weight of 1 and
    an admissible heuristic, if no limit stops it.

    If a limit stops it and it has a solution, its status is `solved`.

    Attributes
    ----------
    weights : tuple of float
        Weights of the searches, in order. A search begins when the one before has found a solution.
    """

    optimal: ClassVar[Optimal] = "admissible"

    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)] = (5.0, 3.0, 2.0, 1.5, 1.0)

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the last weight, at least 1, if the heuristic permits a guarantee."""
        return max(1.0, self.weights[-1]) if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> AnytimeSearch:
        """Start with the first weight."""
        return AnytimeSearch(stack, [Priority(1, Constant(w), self.ties, self.reopen) for w in self.weights])
