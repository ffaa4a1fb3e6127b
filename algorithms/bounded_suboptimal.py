"""Bounded-suboptimal search: solutions that cost at most w times the optimal cost, found by a preferred order.

All algorithms of the family know a lower bound on the optimal cost, the smallest f = g + h of the open list, and expand
a node that another order prefers, as long as the bound permits it. Proof: under an admissible heuristic, and because
closed nodes are reopened, the open list always holds a node of an optimal path with its optimal g, whose f is at most
the optimal cost. So the largest value that the smallest f has had is a lower bound L. A search ends with a solution
that costs at most w * L.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from algorithms.engine import control as c
from algorithms.engine.best_first_kernel import EMPTY, FINISHED, best_first_kernel
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.focal_list import (
    BOUND,
    EXPLICIT,
    LARGEST_POTENTIAL,
    OPTIMISTIC,
    ORDERS,
    SMALLEST_H,
    FocalList,
    pop_chosen,
    push_all_orders,
    reorder,
    smallest_f,
)
from algorithms.engine.nodes import PREVIOUS
from algorithms.engine.open_list import DEAD_END, PENDING
from algorithms.engine.search import Status, proven_ratio, status_of
from algorithms.interface import ALGORITHMS, Optimal, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from worlds.compile.kernel import helper


@dataclass(frozen=True)
class BoundedSuboptimal(SearchAlgorithm):
    """Base of bounded-suboptimal algorithms: the parameter that they share.

    Attributes
    ----------
    weight : float
        Bound w: a solution costs at most w times the optimal cost.
    """

    heuristic = "needed"
    complete = True
    optimal: ClassVar[Optimal] = "bounded"

    weight: Annotated[float, Meta(ge=1, le=1e6)] = 1.5

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the weight if the heuristic is admissible."""
        return self.weight if admissible else None


@ALGORITHMS.register("dps")
@dataclass(frozen=True)
class DynamicPotentialSearch(BoundedSuboptimal):
    """Dynamic potential search: the largest potential (w L - g) / h first (Gilon, Felner and Stern 2016).

    L is the largest value that the smallest f of the open list has had. The potential tells how much a path through the
    node may exceed its estimate until the solution costs more than w L. Among equals the smallest h comes first, then
    the smallest g, then the newest node. All potentials change when L rises.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic: the node with the
    smallest f has a potential of at least 1, so a node that is expanded, or ends the search, has f <= w L.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with the potential as preference."""
        return BoundedSearch(stack, LARGEST_POTENTIAL, self.weight)


@ALGORITHMS.register("ees")
@dataclass(frozen=True)
class ExplicitEstimationSearch(BoundedSuboptimal):
    """Explicit estimation search: the node that seems nearest to a goal and within the bound (Thayer and Ruml 2011).

    It estimates the cost of a solution through a node by e = g + r h. Among the nodes whose e is at most w times the
    smallest e, the nearest one has the smallest h. It is expanded if its e is at most w L, where L is the largest value
    that the smallest f of the open list has had; else the node with the smallest e, if that is at most w L; else the
    node with the smallest f. Among equals the smallest h comes first, then the smallest g, then the newest node.

    The factor r corrects h by the mean error of the steps on the path to the node (Thayer, Dionne and Ruml 2011): the
    path cost g, and h has fallen from h0 at the start to h, so r = g / (h0 - h), limited to 1 to 10. Proof: with the
    mean error E = (g + h - h0) / g, the published estimate h + d E / (1 - E) with the distance d = h is h / (1 - E).
    So the distance is the number of steps if every step costs 1; otherwise, a cost of 1 counts as a step.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic: because e is at least f,
    its f is at most w L.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with the corrected estimate as preference."""
        return BoundedSearch(stack, EXPLICIT, self.weight)


@ALGORITHMS.register("focal")
@dataclass(frozen=True)
class Focal(BoundedSuboptimal):
    """Focal search, A*-epsilon: the smallest h first among nodes with f <= w L (Pearl and Kim 1982).

    L is the largest value that the smallest f of the open list has had. Pearl and Kim prefer by any estimate of the
    effort that remains; here it is h. Among equals the smallest g comes first, then the newest node.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic: its f is at most w L.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with h as preference."""
        return BoundedSearch(stack, SMALLEST_H, self.weight)


@ALGORITHMS.register("optimistic")
@dataclass(frozen=True)
class Optimistic(BoundedSuboptimal):
    """Optimistic search: weighted A* with a larger weight, and then a proof of the bound (Thayer and Ruml 2008).

    The preferred nodes have the smallest g + v h with v = 1 + `optimism` * (w - 1). Once there is a solution of cost c,
    nodes with g + v h >= c are no longer preferred. If no others are left, the smallest f comes first, which raises the
    lower bound L. Among equals the smallest h comes first, then the newest node. The search ends when c <= w L.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic, because L is at most the
    optimal cost. If the open list becomes empty, the solution is optimal.

    Attributes
    ----------
    optimism : float
        How far the weight v of the first solution exceeds 1, compared with w.
    """

    optimism: Annotated[float, Meta(ge=0, le=1e3)] = 2.0

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with the weighted f as preference."""
        return BoundedSearch(stack, OPTIMISTIC, self.weight, 1 + self.optimism * (self.weight - 1))


class BoundedSearch(StoredSearch):
    """Bounded-suboptimal search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    preference : int
        Order in which nodes are preferred, see `algorithms.engine.focal_list`.
    weight : float
        Bound on the suboptimality.
    factor : float
        Factor of h in the preferred order of an optimistic search.
    """

    _open: FocalList

    def __init__(self, stack: BoundStack, preference: int, weight: float, factor: float = 1.0) -> None:
        super().__init__(stack, bounded_step)
        self._weight = weight
        control = self._control
        control[c.PRIORITY] = preference
        control[c.INCUMBENT_COST] = c.NO_INCUMBENT
        control[c.PENDING] = 0 if self._initial_h is None else 1
        self._store_root(self._root_h)
        self._nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        self._buffers[-1][0] = 0
        self._open = FocalList(control, np.array([weight, factor, self._root_h], np.float64), self._nodes)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        code = bounded_step.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.arrays, self._open.more,
            self._buffers, self._control, budget,
        )  # fmt: skip
        return status_of(code)

    @property
    def bound(self) -> float | None:
        """Proven bound: the cost divided by the lower bound, at most the weight."""
        ratio = proven_ratio(self.cost, int(self._control[c.LOWER_BOUND]))
        return min(self._weight, ratio) if self._stack.stack.admissible and ratio is not None else None


@helper
def choose(control, fields, width, queue, orders):
    """Raise the lower bound, and remove the node to expand; return FINISHED if the bound is proven."""
    incumbent_cost = control[c.INCUMBENT_COST]
    lowest = min(smallest_f(control, fields, width, queue), incumbent_cost)
    if lowest == c.NO_INCUMBENT:
        return np.int64(EMPTY)
    if lowest > control[c.LOWER_BOUND]:
        control[c.LOWER_BOUND] = lowest
        if control[c.PRIORITY] in (LARGEST_POTENTIAL, SMALLEST_H):
            reorder(control, queue, orders[0])
    if incumbent_cost <= queue[3][BOUND] * control[c.LOWER_BOUND]:
        return np.int64(FINISHED)
    return pop_chosen(control, fields, width, queue, orders)


bounded_step = best_first_kernel("bounded_step", ORDERS, push_all_orders, choose, improves=True)
