"""Bounded-suboptimal search: solutions that cost at most w times the optimal cost, found by a preferred order.

All algorithms of the family know a lower bound on the optimal cost, the smallest f = g + h of the open list, and expand
a node that another order prefers, as long as the bound permits it. Proof: under an admissible heuristic, and because
closed nodes are reopened, the open list always holds a node of an optimal path with its optimal g, whose f is at most
the optimal cost. So the largest value that the smallest f has had is a lower bound L. A search ends with a solution
that costs at most w * L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from algorithms.best_first.kernel import EMPTY, FINISHED, best_first_kernel
from algorithms.bounded_suboptimal.focal_list import (
    BOUND,
    EXPLICIT,
    LARGEST_POTENTIAL,
    OPTIMISTIC,
    ORDERS,
    SMALLEST_D,
    FocalList,
    distance_evaluator,
    pop_chosen,
    push_all_orders,
    reorder,
    smallest_f,
)
from algorithms.engine import (
    DEAD_END,
    FEWEST_STATES,
    PENDING,
    PREVIOUS,
    Inlined,
    Nodes,
    StepStatus,
    StoredSearch,
    ValuedNodes,
    inlined_in,
    number_table,
    proven_ratio,
    status_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from algorithms.interface import ALGORITHMS, Algorithm, ExpansionOrder, Optimal, SearchAlgorithm
from heuristics.interface import INFINITE_H, MAX_TERMS, BoundStack, Entries, Stack, Weighting, stack_of_entries
from runner.base import UserError
from worlds.compile import Kernel, helper
from worlds.interface import Instance, World


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

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the largest potential first."""
        text = f"the largest ({self.weight:g}·L − g) / h, where L is the largest minimum of f so far; {{f}}"
        return ExpansionOrder(text)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with the potential as preference."""
        return BoundedSearch(stack, LARGEST_POTENTIAL, self.weight)


@dataclass(frozen=True)
class NearestFirst(BoundedSuboptimal):
    """Base of bounded-suboptimal algorithms that also estimate the number of steps to a goal, d.

    Attributes
    ----------
    distance : str or list, optional
        Heuristic for d, or a list of heuristics, as in `heuristic=`. By default, the one for h. Where the world can
        offer that, every step costs 1 to it: on grid maps, in planning tasks and for pancakes.
    """

    distance: str | list[str | dict[str, Any]] | None = None

    def check(self, instance: Instance) -> None:
        """Refuse an unknown heuristic for the distance, or one that does not support the instance."""
        super().check(instance)
        if self.distance is not None:
            for heuristic in self._chosen(instance.world, self.distance).heuristics:
                heuristic.check(instance)

    @staticmethod
    def _chosen(world: World, entries: Entries) -> Stack:
        stack = stack_of_entries(world.domain, entries, where="algorithm.distance")
        if not stack.heuristics:
            raise UserError("algorithm.distance: expected a heuristic, or null for the one of h")
        return stack

    def _distance(self, stack: BoundStack) -> BoundStack | None:
        """Return the stack that estimates d, bound to the states of the problem; None if d is h."""
        problem, kernels = stack.problem, stack.problem.world.kernels
        with_unit_costs = None if kernels is None else kernels.with_unit_costs()
        if with_unit_costs is not None and with_unit_costs is not problem.world:
            own = problem.instance.with_world(with_unit_costs).problem()
            names = ("call_seconds", "cpu_seconds", "memory_bytes", "heuristic_seconds", "program_seconds")
            problem = replace(own, **{name: getattr(problem, name) for name in names})
        elif self.distance is None:
            return None
        if self.distance is not None:
            return self._chosen(problem.world, self.distance).prepare(problem)
        return Stack(stack.stack.heuristics, stack.stack.combine).prepare(problem)


@ALGORITHMS.register("ees")
@dataclass(frozen=True)
class ExplicitEstimationSearch(NearestFirst):
    """Explicit estimation search: the node that seems nearest to a goal and within the bound (Thayer and Ruml 2011).

    It estimates the cost of a solution through a node by e = g + h + d E / P. Among the nodes whose e is at most w
    times the smallest e, the nearest one has the smallest d. It is expanded if its e is at most w L, where L is the
    largest value that the smallest f of the open list has had; else the node with the smallest e, if that is at most
    w L; else the node with the smallest f. Among equals the smallest d comes first by e, and the smallest h in the
    other orders; then the smallest h, d or g, then the newest node.

    The last term corrects h by the mean error of the steps on the path to the node (Thayer, Dionne and Ruml 2011), with
    the error E = g + h - h0 of h, and P = d0 - d, by which d has fallen since the start. Proof: on a path of n steps
    the mean error of h is E / n, and that of d is 1 - P / n, so the corrected distance is d n / P, and the published
    estimate of the cost h + (d n / P) (E / n). It is limited to h to 10 h, and is 10 h if E > 0 and P <= 0.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic: because e is at least f,
    its f is at most w L. The heuristic for d needs no properties.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the nearest node within the bound."""
        text = f"the node that seems nearest to a goal, of those that seem to cost at most {self.weight:g} times the"
        return ExpansionOrder(f"{text} optimum; {{f}}")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with the corrected estimate as preference."""
        return BoundedSearch(stack, EXPLICIT, self.weight, distance=self._distance(stack))


@ALGORITHMS.register("focal")
@dataclass(frozen=True)
class Focal(NearestFirst):
    """Focal search, A*-epsilon: the smallest d first among nodes with f <= w L (Pearl and Kim 1982).

    L is the largest value that the smallest f of the open list has had; d is any estimate of the effort that remains,
    here the number of steps. Among equals the smallest h comes first, then the smallest g, then the newest node.

    Complete. A solution costs at most w times the optimal cost under an admissible heuristic: its f is at most w L.

    Attributes
    ----------
    dynamic : bool
        Order the nodes by a value that changes when L rises, the largest potential (w L - g) / h first. This is dynamic
        potential search (Gilon, Felner and Stern 2016), and it runs as `dps`.
    """

    dynamic: bool = False

    def __post_init__(self) -> None:
        if self.dynamic and self.distance is not None:
            raise UserError("algorithm.distance: not used with algorithm.dynamic=true, which orders by potential")

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return dynamic potential search for the dynamic variant."""
        return (DynamicPotentialSearch(self.weight) if self.dynamic else self), weighting

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the smallest d within the bound."""
        text = (
            f"the smallest number of steps d, of nodes with an f of at most {self.weight:g} times the smallest; {{f}}"
        )
        return ExpansionOrder(text)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BoundedSearch:
        """Start with d as preference."""
        return BoundedSearch(stack, SMALLEST_D, self.weight, distance=self._distance(stack))


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

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the preferred order, then f."""
        factor = 1 + self.optimism * (self.weight - 1)
        return ExpansionOrder(f"the smallest g + {factor:g}·h until there is a solution, then the smallest f; {{f}}")

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
        Order in which nodes are preferred, see `algorithms.bounded_suboptimal.focal_list`.
    weight : float
        Bound on the suboptimality.
    factor : float
        Factor of h in the preferred order of an optimistic search.
    distance : BoundStack, optional
        Stack that estimates the number of steps to a goal, d. By default d is h.
    """

    _open: FocalList

    def __init__(
        self,
        stack: BoundStack,
        preference: int,
        weight: float,
        factor: float = 1.0,
        distance: BoundStack | None = None,
    ) -> None:
        self._has_distance = distance is not None
        self._inlined = self._inlined_in(stack, distance)
        terms_of_d = None if distance is None or self._inlined is None else distance.kernels
        self._kernel = bounded_step_with(self._inlined, terms_of_d)
        super().__init__(stack, self._kernel)
        self._weight = weight
        root_d, terms = self._root_h, 0
        if distance is not None:
            root_d, terms = self._join(stack, distance), len(distance.kernels)
        control = self._control
        control[q.PRIORITY] = preference
        control[q.INCUMBENT_COST] = c.NO_INCUMBENT
        control[b.TO_PUSH] = 0 if self._initial_h is None else 1
        self._store_root(self._root_h, 1024 if self._inlined is None else 2 * number_table.FIRST_CAPACITY)
        if isinstance(self._nodes, ValuedNodes):
            self._nodes.values[0] = root_d
        self._nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        self._buffers[-1][0] = 0
        weights = np.array([weight, factor, self._root_h, root_d], np.float64)
        maximum = distance is not None and distance.maximum
        distance_terms = np.array([terms, maximum], np.int64)
        self._open = FocalList(control, weights, self._nodes, distance_terms, has_buckets=self._has_buckets)

    def _join(self, stack: BoundStack, distance: BoundStack) -> int:
        """Append the terms of d to those of h; return the d of the start."""
        terms = (*stack.bound_terms, *distance.bound_terms)
        if len(terms) > MAX_TERMS:
            raise UserError(f"algorithm.distance: together with heuristic, at most {MAX_TERMS} terms, got {len(terms)}")
        joined = BoundStack(stack.stack, stack.problem, terms)
        self._functions = (*self._functions[:-1], joined.terms)
        self._heuristic = (joined.params, *self._heuristic[1:])
        self._distance = distance  # its problem must live as long as the search
        root_d = distance.evaluate(self._problem.initial)
        return INFINITE_H if root_d == math.inf else int(root_d)

    @property
    def _has_buckets(self) -> bool:
        return self._problem.world.engine_scale == 1  # else most values of g, h and d differ

    @staticmethod
    def _inlined_in(stack: BoundStack, distance: BoundStack | None) -> Inlined | None:
        """Return the kernels to compile into that of the search."""
        if distance is not None and (len(distance.kernels) > 1 or distance.calls_python):
            return None
        return inlined_in(stack, fewest_states=FEWEST_STATES)

    def _new_nodes(self, words: int, capacity: int) -> Nodes:
        if self._has_distance:
            return ValuedNodes(words, capacity, 1, self._new_number_table())
        return super()._new_nodes(words, capacity)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.arrays, self._open.more,
            self._buffers, self._control, budget,
        )  # fmt: skip
        return status_of(code)

    @property
    def bound(self) -> float | None:
        """Proven bound: the cost divided by the lower bound, at most the weight."""
        ratio = proven_ratio(self.cost, int(self._control[b.LOWER_BOUND]))
        return min(self._weight, ratio) if self._stack.stack.admissible and ratio is not None else None


@helper
def choose(control, fields, width, queue, more):
    """Raise the lower bound, and remove the node to expand; return FINISHED if the bound is proven."""
    incumbent_cost = control[q.INCUMBENT_COST]
    lowest = min(smallest_f(control, fields, width, queue, more), incumbent_cost)
    if lowest == c.NO_INCUMBENT:
        return np.int64(EMPTY)
    if lowest > control[b.LOWER_BOUND]:
        control[b.LOWER_BOUND] = lowest
        if control[q.PRIORITY] == LARGEST_POTENTIAL:
            reorder(control, more[0][1], fields, width, queue)
    if incumbent_cost <= queue[3][BOUND] * control[b.LOWER_BOUND]:
        return np.int64(FINISHED)
    return pop_chosen(control, fields, width, queue, more)


@cache
def bounded_step_with(inlined: Inlined | None, distance: tuple[Kernel, ...] | None) -> Kernel:
    """Return the kernel of bounded-suboptimal search. For the parameters see `distance_evaluator`."""
    evaluate_nodes = distance_evaluator(inlined, distance)
    return best_first_kernel(
        "bounded_step", ORDERS, push_all_orders, choose, inlined=inlined, evaluate_nodes=evaluate_nodes, improves=True
    )


bounded_step = bounded_step_with(None, None)
