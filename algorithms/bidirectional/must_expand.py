"""The least number of expansions below the optimal cost: a minimum vertex cover of the must-expand graph.

Under a consistent heuristic, a front-to-end search that proves a cost C has to expand one node of each pair (u, v) of a
forward and a backward node with f(u) < C, f(v) < C and g(u) + g(v) + e < C, where e is 1 if every step costs 1, else 0.
These pairs are the edges of the graph. A minimum vertex cover has all forward nodes below some g, and the backward
nodes that the others need. Source: Shaham, Felner, Chen and Sturtevant, "The minimal set of states that must be
expanded in a front-to-end bidirectional search", SoCS 2017. Searches that use that a heuristic is consistent, as BAE*
does, may expand fewer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.best_first.best_first import BestFirstSearch, Priority
from algorithms.bidirectional.bidirectional import ReverseAStar
from algorithms.bidirectional.search import BidirectionalSearch
from algorithms.engine import G, H, Limiter
from algorithms.engine import control as c
from algorithms.interface import SearchAlgorithm
from heuristics.interface import BoundStack
from runner.base import SOLVED

Integers = NDArray[np.int64]
BACKWARD: SearchAlgorithm = ReverseAStar()
"""Search from the goals. The cover is defined for worlds and heuristics that this algorithm accepts."""


class Cover(NamedTuple):
    """Minimum vertex cover of one instance.

    Attributes
    ----------
    cost : int
        Optimal cost.
    size : int
        Number of nodes of the cover.
    """

    cost: int
    size: int


def vertex_cover(stack: BoundStack, limiter: Limiter) -> Cover | None:
    """Return the minimum vertex cover for a consistent stack; None if A* finds no solution within the limits.

    Parameters
    ----------
    stack : BoundStack
        Stack for a problem with `predecessors` and `goals`.
    limiter : Limiter
        Limits of A* in each direction.
    """
    forward, backward = BestFirstSearch(stack, Priority()), ReverseAStar().start(stack, None)
    if forward.run(limiter) != SOLVED.name or backward.run(limiter) != SOLVED.name:
        return None
    cost = forward.cost
    smallest_step = 1 if stack.problem.world.unit_costs else 0
    return Cover(cost, smallest_cover(_layers(forward, 0, cost), _layers(backward, 1, cost), cost - smallest_step))


def _layers(search: BestFirstSearch | BidirectionalSearch, first: int, cost: int) -> tuple[Integers, Integers]:
    """Return the values of g of the nodes with g + h below a cost, ascending, and the number of nodes with each."""
    nodes, used = search._nodes, int(search._control[c.NODES])
    g, h = (nodes.column(field, first, used).astype(np.int64) for field in (G, H))
    return np.unique(g[g + h < cost], return_counts=True)


def smallest_cover(forward: tuple[Integers, Integers], backward: tuple[Integers, Integers], limit: int) -> int:
    """Return the weight of a minimum vertex cover, if layers are joined whose values of g sum to less than `limit`.

    Parameters
    ----------
    forward, backward : tuple of ndarray of int64, shape (layers,)
        Values of g, ascending, and the number of nodes with each.
    """
    (g, count), (other_g, other_count) = forward, backward
    covered = np.concatenate([[0], np.cumsum(count)])  # by the first 0, 1, ... forward layers
    needed = np.concatenate([[0], np.cumsum(other_count)])
    rest = [*needed[np.searchsorted(other_g, limit - g)], 0]  # backward nodes joined with the next forward layer
    return int(min(covered + rest))
