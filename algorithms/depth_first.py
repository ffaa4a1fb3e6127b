"""Registered depth-first algorithms: graph search, iterative deepening and IDA*; their parameters and guarantees.

The searches are `algorithms.engine.depth_first_search` and `algorithms.in_place`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from algorithms.engine.depth_first_search import Deepening, DepthFirstSearch
from algorithms.engine.factors import Factors
from algorithms.engine.search import Search
from algorithms.in_place import InPlaceSearch, in_place_of
from algorithms.interface import ALGORITHMS, Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting


@ALGORITHMS.register("dfs")
@dataclass(frozen=True)
class DepthFirst(SearchAlgorithm):
    """Depth-first graph search: expands the first successor first, and no state twice. Ignores heuristics.

    A state is tested when it is visited. Without a depth limit it is complete on finite spaces. With one, it finds a
    solution of at most that many moves if there is one, and otherwise its status is `cutoff`; a state that is reached
    again with fewer moves is visited again. Not optimal. Stores the visited states.

    Attributes
    ----------
    depth_limit : int or None
        Maximum number of moves of a path.
    """

    heuristic = "ignored"

    depth_limit: Annotated[int, Meta(ge=0, le=1 << 30)] | None = None

    @property
    def complete(self) -> bool:
        """Complete without a depth limit."""
        return self.depth_limit is None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Start at the start state."""
        return DepthFirstSearch(stack, Deepening(None, self.depth_limit, "visited"))


@ALGORITHMS.register("ids")
@dataclass(frozen=True)
class IterativeDeepeningSearch(SearchAlgorithm):
    """Iterative deepening: depth-first search with depth limits 0, 1, 2, ... (Korf 1985). Ignores heuristics.

    A state is tested when it is visited; a state at the limit is not expanded. Optimal in moves, and therefore in cost
    if every step costs 1. It stores one path with its successors. On spaces with many paths to the same state, the time
    is exponential in the depth, unless it stores the visited states.

    Attributes
    ----------
    cycle_check : {"path", "parent", "visited"}
        "path": skip successors that are on the path. "parent": skip only successors that undo the last move; a search
        without a solution then never ends if the space has a cycle. "visited": skip and store all states that the
        iteration has visited at this depth or above; the search ends when an iteration visits no more states than the
        one before.
    """

    heuristic = "ignored"
    optimal: ClassVar[Optimal] = "unit_costs"

    cycle_check: Literal["path", "parent", "visited"] = "path"

    @property
    def complete(self) -> bool:
        """Complete if paths have no cycles, or states are visited once, because both are finite in number."""
        return self.cycle_check != "parent"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Start with depth limit 0."""
        return DepthFirstSearch(stack, Deepening("depth", cycle_check=self.cycle_check))


@ALGORITHMS.register("idastar")
@dataclass(frozen=True)
class IterativeDeepeningAStar(SearchAlgorithm):
    """IDA*: depth-first search bounded by f = g + w * h (Korf 1985).

    The first bound is f of the start; each further bound is the smallest f that exceeded the last one. A state is
    tested when it is visited. Complete on finite spaces. Under an admissible heuristic, no bound exceeds w times the
    optimal cost (w >= 1), so a solution costs at most w times the optimum, and with w = 1 it is optimal. It stores one
    path with its successors. With ``cycle_check=parent`` it generates the nodes
    of Korf's table, except the root, which he counts too. Worlds and heuristics that can change a state in place are
    then searched without storing successors, several times as fast.

    Attributes
    ----------
    cycle_check : {"path", "parent"}
        "path": skip successors that are on the path. "parent": skip only successors that undo the last move; a search
        without a solution then never ends if the space has a cycle.
    weight : float
        Weight w of h, in steps of at least a thousandth.
    threads : int
        Number of threads that search one instance. Cost and plan do not depend on it, nor do the counts of a search
        that no limit has ended. Only searches in place use more than one.
    """

    optimal: ClassVar[Optimal] = "admissible"

    cycle_check: Literal["path", "parent"] = "path"
    weight: Annotated[float, Meta(ge=0.001, le=100)] = 1.0
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1

    @property
    def complete(self) -> bool:
        """Complete if paths have no cycles, because there are finitely many."""
        return self.cycle_check == "path"

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the weight, at least 1, under an admissible heuristic."""
        return Factors.of(self.weight).suboptimality_bound if admissible else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Start with f of the start as the bound."""
        factors = Factors.of(self.weight)
        in_place = in_place_of(stack) if self.cycle_check == "parent" else None
        if in_place is not None:
            return InPlaceSearch(stack, in_place, factors, self.threads)
        return DepthFirstSearch(stack, Deepening("f", cycle_check=self.cycle_check, factors=factors))
