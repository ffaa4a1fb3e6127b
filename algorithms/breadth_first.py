"""Registered breadth-first search: its parameters and guarantees.

The search is `algorithms.engine.breadth_first_search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from algorithms.engine.breadth_first_search import BreadthFirstSearch
from algorithms.interface import ALGORITHMS, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting


@ALGORITHMS.register("bfs")
@dataclass(frozen=True)
class BreadthFirst(SearchAlgorithm):
    """Breadth-first search: expands states in order of their number of moves from the start, each once.

    Complete on finite spaces. Optimal in moves, and therefore in cost if every step costs 1. Ignores heuristics.

    Attributes
    ----------
    goal_test : {"expanded", "generated"}
        Test a state when it is about to be expanded, as the other algorithms do, or when it is generated, which saves
        most of the last layer. The solution is the same: the first goal that is generated.
    """

    heuristic = "ignored"
    optimal = "unit_costs"
    complete = True

    goal_test: Literal["expanded", "generated"] = "expanded"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BreadthFirstSearch:
        """Start at the start state."""
        return BreadthFirstSearch(stack, self.goal_test == "generated")
