"""Registered bidirectional search: its guarantees. The search is `algorithms.engine.bidirectional_search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.engine.bidirectional_search import BidirectionalSearch
from algorithms.interface import ALGORITHMS, Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting


@ALGORITHMS.register("bidirectional")
@dataclass(frozen=True)
class Bidirectional(SearchAlgorithm):
    """MM, bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon, Sturtevant and Chen 2017).

    Both directions expand the node with the smallest max(g + h, 2 g + e), where e is 1 if every step costs 1, else 0.
    The backward h estimates the cost from the start; it is 0 for heuristics without such an estimate. Among equals the
    smallest h comes first, then the newest node. The search ends when the best solution costs no more than the smallest
    priority, or when the open list of one direction is empty.

    Complete on finite spaces; optimal under an admissible heuristic. Proof: while the best solution costs more than the
    optimal cost C, each open list holds a node of an optimal path with its true distance from that end. The two
    distances and at least one step between the nodes sum to at most C, so one of the nodes has 2 g + e <= C. For both,
    g + h <= C. Closed nodes are reopened. It needs a world with goals and predecessors.
    """

    needs_inverse = True
    optimal: ClassVar[Optimal] = "admissible"
    complete = True

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack)
