"""Depth-first algorithms: graph search, iterative deepening, and iterative deepening A*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from algorithms.engine.depth_first import Deepening, DepthFirstSearch
from algorithms.engine.in_place import InPlaceSearch
from algorithms.engine.search import Search
from algorithms.interface import Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.registry import register


@register("algorithm", "dfs")
@dataclass(frozen=True)
class DepthFirst(SearchAlgorithm):
    """Depth-first graph search: the first successor first, no state visited twice. Ignores heuristics.

    A state is tested when it is visited. Complete on finite spaces without a depth limit; with one, it finds a solution
    of at most so many moves if there is one (a state that is met again nearer to the start is visited again), and else
    says `cutoff`. Not optimal. Remembers the states that it visited.

    Attributes
    ----------
    depth_limit : int or None
        Most moves of a path.
    """

    heuristic = "ignored"

    depth_limit: Annotated[int, Meta(ge=0, le=1 << 30)] | None = None

    @property
    def complete(self) -> bool:
        """Without a limit."""
        return self.depth_limit is None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Begin at the start state."""
        return DepthFirstSearch(stack, Deepening(None, self.depth_limit, "visited"))


@register("algorithm", "ids")
@dataclass(frozen=True)
class IterativeDeepeningSearch(SearchAlgorithm):
    """Iterative deepening: depth-first search with depth limits 0, 1, 2, ... (Korf 1985). Ignores heuristics.

    A state is tested when it is visited; one at the limit is not expanded. Optimal in moves, so in cost where every
    step costs 1. It stores one path with its successors, and on spaces with many paths to the same state takes time
    exponential in the depth, unless it remembers what it visited.

    Attributes
    ----------
    cycle_check : {"path", "parent", "visited"}
        Leave out successors that are on the path already; or only those that undo the last move, with which a search
        without a solution never ends if the space has a cycle; or all states that the iteration has visited at this
        depth or above it, which stores them, and ends when an iteration visits no more states than the one before.
    """

    heuristic = "ignored"
    optimal: ClassVar[Optimal] = "unit_costs"

    cycle_check: Literal["path", "parent", "visited"] = "path"

    @property
    def complete(self) -> bool:
        """A path without cycles is finite, and so is the number of states."""
        return self.cycle_check != "parent"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Begin with depth 0."""
        return DepthFirstSearch(stack, Deepening("depth", cycle_check=self.cycle_check))


@register("algorithm", "idastar")
@dataclass(frozen=True)
class IterativeDeepeningAStar(SearchAlgorithm):
    """IDA*: depth-first search bounded by f = g + h, at first by h of the start, then by the smallest f beyond that.

    A state is tested when it is visited. Complete on finite spaces; optimal under an admissible heuristic, because no
    bound exceeds the optimum (Korf 1985). It stores one path with its successors. With ``cycle_check=parent`` the
    nodes generated are those of Korf's table, but for the root, which he counts too; worlds and heuristics that can
    change a state in place are then searched without storing successors, several times as fast.

    Attributes
    ----------
    cycle_check : {"path", "parent"}
        Leave out successors that are on the path already, or only those that undo the last move. With "parent" a search
        without a solution never ends if the space has a cycle.
    """

    optimal: ClassVar[Optimal] = "admissible"

    cycle_check: Literal["path", "parent"] = "path"

    @property
    def complete(self) -> bool:
        """A path without cycles is finite."""
        return self.cycle_check == "path"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Begin with the f of the start."""
        if self.cycle_check == "parent" and stack.in_place is not None:
            return InPlaceSearch(stack)
        return DepthFirstSearch(stack, Deepening("f", cycle_check=self.cycle_check))
