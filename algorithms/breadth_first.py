"""Breadth-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from algorithms.engine.breadth_first import BreadthFirstSearch
from algorithms.interface import SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.registry import register


@register("algorithm", "bfs")
@dataclass(frozen=True)
class BreadthFirst(SearchAlgorithm):
    """Breadth-first search: states in the order of their distance in moves, each once.

    Complete on finite spaces; optimal in moves, and so in cost where every step costs 1. Ignores heuristics.

    Attributes
    ----------
    goal_test : {"expanded", "generated"}
        Test a state when it is about to be expanded, as the other algorithms do, or already when it is generated,
        which saves most of the last layer. The first goal that is generated is the solution either way.
    """

    heuristic = "ignored"
    optimal = "unit_costs"
    complete = True

    goal_test: Literal["expanded", "generated"] = "expanded"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BreadthFirstSearch:
        """Begin at the start state."""
        return BreadthFirstSearch(stack, self.goal_test == "generated")
