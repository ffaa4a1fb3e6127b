"""Bidirectional search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.engine.bidirectional import BidirectionalSearch
from algorithms.interface import Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.registry import register


@register("algorithm", "bidirectional")
@dataclass(frozen=True)
class Bidirectional(SearchAlgorithm):
    """MM, bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon, Sturtevant and Chen 2017).

    Both directions expand the node of the smallest max(g + h, 2 g + e), where e is 1 if every step costs 1, else 0; the
    backward h estimates the cost from the start, and is 0 for heuristics that have no such estimate. Among equals the
    smaller h, then the newest. The search ends when the best meeting of the two costs no more than that priority, or
    one direction has nothing left.

    Complete on finite spaces; optimal under an admissible heuristic: while the best meeting costs more than the optimum
    C, an optimal path has a node in either open list with its true distance from that end; the two distances and at
    least one step between them sum to at most C, so one of the two nodes has 2 g + e <= C, and g + h <= C anyway.
    Closed nodes are reopened. For worlds that know their goals and predecessors.
    """

    needs_inverse = True
    optimal: ClassVar[Optimal] = "admissible"
    complete = True

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Begin at the start state and at every goal."""
        return BidirectionalSearch(stack)
