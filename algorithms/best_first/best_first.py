"""Best-first search: UCS, A* and weighted A*, which differ in the order of the open list.

`algorithms.greedy` has greedy search, and `algorithms.bounded_suboptimal` those with several orders.

The kernel is `best_first_step`, or for worlds that number their states one with their functions (`inlined`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from algorithms.best_first.batches import larger_buffers, least_open, size_of
from algorithms.best_first.inconsistent import Inconsistency, corrected
from algorithms.best_first.kernel import best_first_kernel
from algorithms.engine import (
    DEAD_END,
    FUNCTION,
    INVALID,
    NOTHING,
    PENDING,
    PREVIOUS,
    WEIGHT_H,
    WEIGHTED,
    Inlined,
    OpenList,
    Search,
    StepStatus,
    StoredSearch,
    inlined_in,
    number_table,
    pop,
    proven_ratio,
    push,
    status_of,
    with_function,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from algorithms.interface import ALGORITHMS, Algorithm, ExpansionOrder, Formula, Optimal, SearchAlgorithm
from heuristics.interface import BoundStack, Constant, PriorityFunction, Weighting
from runner.base import Incompatible
from worlds.compile import Kernel, helper, raise_on_error
from worlds.interface import Instance, Seed

Ties = Literal["low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"]
Batch = Annotated[int, Meta(ge=1, le=100_000)]
Stop = Literal["proven", "first"]
CONSTANT_ONE = Constant(1.0)


@dataclass(frozen=True)
class Ordered(SearchAlgorithm):
    """Base of algorithms that expand nodes in the order of a number f.

    Attributes
    ----------
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"}
        Order of nodes with the same f: smallest h first (and of these, with `low_h_fifo`, the oldest), largest h first,
        oldest first, newest first, or by a number drawn for each node that is inserted. Among nodes that are still
        equal, the newest comes first.
    seed : int
        Seed of the random numbers. Without a random choice it has no effect.
    """

    complete = True

    ties: Ties = "low_h"
    seed: Seed = field(default=0, kw_only=True)

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm without a seed if nothing is random."""
        return replace(self, seed=self.seed if self._is_random else 0), weighting

    @property
    def _is_random(self) -> bool:
        return self.ties == "random"


@dataclass(frozen=True)
class BestFirst(Ordered):
    """Base of best-first algorithms: the parameters that they share.

    Attributes
    ----------
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    """

    reopen: bool = True

    def _search(self, stack: BoundStack, weight_g: float, weighting: Weighting) -> BestFirstSearch:
        return BestFirstSearch(stack, Priority(weight_g, weighting, self.ties, self.reopen, self.seed))


@ALGORITHMS.register("ucs")
@dataclass(frozen=True)
class UniformCost(BestFirst):
    """Uniform-cost search (Dijkstra): the smallest g first. Complete and optimal; ignores heuristics."""

    heuristic = "ignored"
    optimal = "always"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g."""
        return ExpansionOrder(formula=Formula.of(0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Start with f = g."""
        return self._search(stack, 1, Constant(0))


_ORDER_BY_RULE = {
    "none": "{f}",
    "pathmax": "{f}, where h is at least that of the parent less the step",
    "bpmx": "{f}, where h is at least that of each neighbour less the step",
    "b": "{f}, but among nodes below the largest f so far the smallest g",
}


@ALGORITHMS.register("astar")
@dataclass(frozen=True)
class AStar(BestFirst):
    """A*: the smallest f = g + h first (Hart, Nilsson and Raphael 1968).

    Complete. Optimal if the heuristic is admissible, and either `reopen` is on or the heuristic is consistent. A
    weighting makes it weighted A*; a schedule makes it A* with changing weights. A solution then costs at most the
    largest weight used times the optimal cost, because the open list always holds a node of an optimal path with its
    optimal g, at no more than that weight. (With a changing weight this needs `reopen`.) A priority, such as `xdp`,
    replaces g + w * h; its bound is the one that it declares.

    In batches it takes nodes out of this order. These guarantees then need `reopen` and ``stop="proven"``; what the
    search has proven at another end is in its bound (`BatchedSearch`).

    Attributes
    ----------
    inconsistency : {"none", "pathmax", "bpmx", "b"}
        What is done about an inconsistent heuristic (`algorithms.best_first.inconsistent`, in plain Python): nothing;
        children get at least the parent's value less the cost of the step; parents first get at least the children's;
        or algorithm B, which takes the smallest g of nodes whose f is below the largest one so far. Without weights.
    batch : int
        Number of nodes that are taken from the open list and expanded before their successors are evaluated, all in one
        call of a heuristic that takes batches, and inserted (Agostinelli et al. 2019). With 1 it is A*.
    stop : {"proven", "first"}
        When a search in batches ends: when no open node has an f below the cost of the best solution; or at the first
        goal that is taken from the open list.
    """

    uses_weighting = True
    optimal: ClassVar[Optimal] = "admissible"

    inconsistency: Inconsistency = "none"
    batch: Batch = 1
    stop: Stop = "proven"

    def check(self, instance: Instance) -> None:
        """Refuse `bpmx` in a world without steps back."""
        super().check(instance)
        if self.inconsistency == "bpmx" and (lacks := instance.world.lacks_backward):
            raise Incompatible(f"algorithm.inconsistency: bpmx steps back; {instance.world.domain} has no {lacks}")

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the bound of the weighting. That of a schedule, or of a first goal, is known only after the search."""
        if self.batch > 1 and (self.stop == "first" or not self.reopen):
            return None
        used = CONSTANT_ONE if weighting is None else weighting
        return used.promised_bound if admissible and (self.reopen or (consistent and used.without_reopening)) else None

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return weighted A* for a constant weight other than 1, else A*. The weight is that of the weighting."""
        is_weighted = not isinstance(weighting, Constant | None) or (weighting is not None and weighting.weight != 1)
        is_other = type(self).start is not AStar.start  # such as jump point search
        if self.inconsistency != "none" and (is_weighted or is_other or self.ties == "random"):
            raise Incompatible(
                f"algorithm.inconsistency: {self.inconsistency} is for A* without weights and without random ties"
            )
        one_by_one = [f"algorithm={self.registered_name}"] if is_other else []
        one_by_one += [f"algorithm.inconsistency={self.inconsistency}"] if self.inconsistency != "none" else []
        one_by_one += [f"weighting={weighting}"] if isinstance(weighting, PriorityFunction) else []
        if self.batch > 1 and one_by_one:
            raise Incompatible(f"algorithm.batch: {one_by_one[0]} takes nodes one by one; leave one of the two out")
        chosen, _ = super().effective(weighting)
        if type(self) not in (AStar, WeightedAStar):  # a subclass, such as one from a plug-in
            return chosen, weighting
        shared = {each.name: getattr(chosen, each.name) for each in fields(AStar)}
        if self.batch == 1:
            shared["stop"] = AStar.stop
        if not isinstance(weighting, Constant):
            return AStar(**shared), weighting
        return (AStar(**shared), None) if weighting.weight == 1 else (WeightedAStar(**shared), weighting)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + w * h, or the f of a priority."""
        if isinstance(weighting, PriorityFunction):
            return ExpansionOrder(f"the smallest {weighting} of g and h first", "newest", None)
        order = _ORDER_BY_RULE[self.inconsistency] + (f", {self.batch:,} nodes at a time" if self.batch > 1 else "")
        return ExpansionOrder(order, formula=Formula.of(weighting))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Start with f = g + w * h."""
        if self.inconsistency != "none":
            return corrected(stack, self.inconsistency, self.ties, reopen=self.reopen)
        used = CONSTANT_ONE if weighting is None else weighting
        if self.batch == 1:
            return self._search(stack, 1, used)
        return BatchedSearch(stack, Priority(1, used, self.ties, self.reopen, self.seed, self.batch, self.stop))


@ALGORITHMS.register("weighted_astar")
@dataclass(frozen=True)
class WeightedAStar(AStar):
    """Weighted A*: the smallest f = g + w * h first (Pohl 1970).

    Complete. A solution costs at most w times the optimal cost (w >= 1) if the heuristic is admissible, and either
    `reopen` is on or the heuristic is consistent.

    Attributes
    ----------
    weight : float
        Weight w. A weighting, if one is chosen, replaces it.
    """

    optimal: ClassVar[Optimal] = "bounded"

    weight: Annotated[float, Meta(ge=0, le=1e6)] = 1.5

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return what runs with the chosen weighting, or without one with the constant `weight`."""
        return super().effective(Constant(self.weight) if weighting is None else weighting)


@dataclass(frozen=True)
class Priority:
    """Order of the open list: the smallest f = weight_g * g + w * h first.

    Attributes
    ----------
    weight_g : float
        Weight of g. With a constant w, (weight_g, w) = (1, 0) is uniform-cost search, (0, 1) greedy search, (1, 1) A*
        and (1, w) weighted A*.
    weighting : Weighting
        Rule that gives w.
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"}
        Order of nodes with the same f.
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    seed : int
        Seed of the random numbers.
    batch : int
        Number of nodes that are taken at once.
    stop : {"proven", "first"}
        When a search in batches ends (`AStar`).
    """

    weight_g: float = 1.0
    weighting: Weighting = CONSTANT_ONE
    ties: str = "low_h"
    reopen: bool = True
    seed: int = 0
    batch: int = 1
    stop: Stop = "first"


class BestFirstSearch(StoredSearch):
    """Best-first search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priority : Priority
        Order of the open list.
    incumbent_cost : int, optional
        Cost of the incumbent. Nodes that cannot improve on it (by g + h if the stack is admissible, else by g) are not
        put into the open list.
    """

    _open: OpenList

    def __init__(self, stack: BoundStack, priority: Priority, incumbent_cost: int | None = None) -> None:
        self._priority = priority
        self._function = priority.weighting.bind() if isinstance(priority.weighting, PriorityFunction) else None
        self._inlined = self._inlined_in(stack)
        self._kernel = self._kernel_with(self._inlined)
        super().__init__(stack, *([] if self._function is None else [self._function.kernel]), self._kernel)
        self._changes = priority.weighting.changes()
        weight = next(self._changes)[1]
        self._next_change = next(self._changes, None)
        weights = np.array([priority.weight_g, weight, *priority.weighting.by_depth], np.float64)
        self._weights = weights if self._function is None else with_function(weights, self._function)
        self._weight = self._max_weight = weight + priority.weighting.by_depth[0]
        lower_bound = self._root_h if stack.stack.admissible else 0
        is_pruned = incumbent_cost is not None and lower_bound >= incumbent_cost
        control = self._control
        control[b.TO_PUSH] = 0 if self._initial_h is None or is_pruned else 1
        control[b.REOPEN], control[q.RANDOM] = priority.reopen, priority.seed
        control[b.BATCH] = priority.batch
        control[q.INCUMBENT_COST] = c.NO_INCUMBENT if incumbent_cost is None else incumbent_cost
        control[b.PRUNE_BY_F] = stack.stack.admissible is True
        control[q.PRIORITY] = WEIGHTED if self._function is None else FUNCTION
        self._store_root(self._root_h, 1024 if self._inlined is None else number_table.FIRST_CAPACITY)
        self._nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        self._buffers[-1][0] = 0
        self._open = self._open_list()

    def _inlined_in(self, stack: BoundStack) -> Inlined | None:
        """Return the kernels to compile into that of the search: with real costs, where most searches take long."""
        return None if stack.problem.world.engine_scale == 1 else inlined_in(stack)

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return best_first_step_with(inlined)

    def _open_list(self) -> OpenList:
        ties = self._priority.ties
        return OpenList(self._control, self._weights, self._nodes, ties, has_buckets=self._has_buckets)

    @property
    def _has_buckets(self) -> bool:
        return self._problem.world.engine_scale == 1 and self._priority.ties != "random"  # else most keys differ

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. The weight changes exactly at the expansions that the schedule names."""
        control = self._control
        while True:
            before, following = int(control[c.EXPANDED]), self._next_change
            allowed = budget if following is None else min(budget, following[0] - before)
            status = self._run_kernel(allowed)
            done = int(control[c.EXPANDED]) - before
            budget -= done
            if done > 0:
                self._max_weight = max(self._max_weight, self._weight)
            if status != StepStatus.RUNNING:
                self._is_solved = status == StepStatus.SOLVED
                return status
            if following is not None and before + done == following[0]:
                self._change_weight(following[1])
            if budget == 0:
                return StepStatus.RUNNING

    def _run_kernel(self, budget: int) -> StepStatus:
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.arrays, self._open.more,
            self._buffers, self._control, budget,
        )  # fmt: skip
        if self._function is not None and self._control[q.PRIORITY] == INVALID:
            raise_on_error(self._function.error)
        return status_of(code)

    def _change_weight(self, weight: float) -> None:
        self._weights[WEIGHT_H] = weight
        self._weight = weight + self._priority.weighting.by_depth[0]
        self._next_change = next(self._changes, None)
        if self._priority.weighting.reorder_open:
            self._open.reorder_open()
            self._max_weight = max(self._max_weight, self._weight)

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Number of expansions before f first reached that of the goal, which is popped last."""
        return self._open.popped_below_last() if self._is_solved and self._priority.weight_g > 0 else None

    @property
    def bound(self) -> float | None:
        """Proven bound: the largest weight that was used, at least 1, or that of a priority; None without a proof.

        Without reopening, the bound needs a consistent heuristic, and a weighting for which it holds: with the same
        weight for all nodes, a node is expanded with a g of at most w times its distance from the start (Likhachev,
        Gordon and Thrun 2003).
        """
        stack = self._stack.stack
        weighting = self._priority.weighting
        weight = self._max_weight
        is_exact = self._priority.reopen or weight == 0 or (stack.consistent and weighting.without_reopening)
        if not stack.admissible or not is_exact or (weight > 0 and self._priority.weight_g == 0):
            return None
        if self._function is not None:
            return weighting.promised_bound
        return max(1.0, weight / (self._priority.weight_g or 1.0))


class BatchedSearch(BestFirstSearch):
    """Best-first search in progress that takes several nodes at once (`algorithms.best_first.batches`).

    With ``stop="proven"`` it is an anytime search. It ends when no open node has an f = g + w * h below the cost C of
    the incumbent. Proof that C is then at most w times the optimal cost, for w >= 1, an admissible h, and closed nodes
    that are reopened: if C is not optimal, a node of an optimal path is open with its optimal g, so
    C <= f <= w * (g + h), which is at most w times the optimal cost. In the same way, the smallest g + h of open nodes,
    and of those that a batch holds, is a lower bound of the optimal cost whenever the search ends.
    """

    def _inlined_in(self, stack: BoundStack) -> None:
        return None

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return batched_step

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions, not beyond the end of a batch: limits are checked after each."""
        control = self._control
        status = super().step(min(budget, int(control[b.BATCH] - control[b.BATCH_EXPANDED])))
        if status == StepStatus.SOLVED and self._priority.stop == "proven":
            control[q.INCUMBENT_COST] = self.cost
            return StepStatus.IMPROVED
        return StepStatus.SOLVED if status == StepStatus.EXHAUSTED and self.has_solution else status

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the buffers if the successors of another expansion may not fit, else what was full."""
        if int(self._control[b.HELD]) + 2 * self._problem.max_successors <= self._buffers[-1].size:
            return super().grow(memory_limit)
        if memory_limit is not None and self._memory_bytes + size_of(self._buffers) > memory_limit:
            return False
        self._buffers = larger_buffers(self._buffers)
        return True

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + size_of(self._buffers)

    @property
    def has_solution(self) -> bool:
        """Whether there is an incumbent."""
        return bool(self._control[q.INCUMBENT_COST] < c.NO_INCUMBENT)

    @property
    def expanded_before_last_layer(self) -> None:
        """None: nodes of several layers are expanded at once."""

    @property
    def bound(self) -> float | None:
        """Proven bound: the cost of the solution divided by the smallest g + h of open nodes; None without a proof."""
        if not self._stack.stack.admissible or not self._priority.reopen or self._priority.weight_g == 0:
            return None
        least = least_open.compiled(self._control, self._nodes.fields, 2 * self._nodes.stride)
        return proven_ratio(self.cost, min(int(least), self.cost))


@helper
def push_plain(control, node, fields, width, queue, more):
    """Insert a node into the open list. If the arrays are full, return False and change nothing."""
    return push(control, node, fields, width, queue)


@helper
def pop_plain(control, fields, width, queue, more):
    """Remove the best node from the open list, close it and return it; return EMPTY if there is none."""
    return pop(control, fields, width, queue)


@cache
def best_first_step_with(inlined: Inlined | None) -> Kernel:
    """Return the kernel of best-first search, with kernels compiled into it."""
    return best_first_kernel("best_first_step", NOTHING, push_plain, pop_plain, inlined=inlined)


best_first_step = best_first_step_with(None)
batched_step = best_first_kernel("batched_step", NOTHING, push_plain, pop_plain, batches=True)
