"""Anytime search: best-first search that continues after a solution, for cheaper ones.

`anytime_astar` begins again after each solution. `ara` and `ana` go on with the nodes that they have, and fill the open
list again (`RepairingSearch`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from algorithms.best_first.best_first import CONSTANT_ONE, BestFirst, BestFirstSearch, Ordered, Priority
from algorithms.engine import (
    ALWAYS,
    CLOSED,
    INCONSISTENT,
    LATER,
    POTENTIAL,
    PREVIOUS,
    PRUNED,
    SETTLED,
    WEIGHT_H,
    Counts,
    Expansion,
    G,
    H,
    ResumableSearch,
    StepStatus,
    is_open,
    proven_ratio,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from algorithms.interface import ALGORITHMS, ExpansionOrder, Optimal
from heuristics.interface import BoundStack, Constant, Weight, Weighting
from worlds.compile import kernel

_SUMMED = ("expanded", "generated", "evaluated", "reopened")
_MAXIMA = ("peak_nodes", "memory_bytes")


@ALGORITHMS.register("anytime_astar")
@dataclass(frozen=True)
class AnytimeAStar(BestFirst):
    """Restarting weighted A* (Richter, Thayer and Ruml 2010): weighted A* with each of several weights in sequence.

    Each search after the first looks for a cheaper solution: it prunes nodes whose g + h is at least the cost of the
    incumbent (whose g is, if the heuristic is not declared admissible). Every improved solution is a line in the plan
    log, with its bound and time. Costs and bounds only decrease. The bound is the smallest weight of a search that
    found a solution. If a search finds nothing cheaper, the incumbent is optimal: pruning by g removes no cheaper
    solution, pruning by g + h removes none under an admissible heuristic. With ``reopen=false`` such a search misses
    cheaper solutions and proves its weight only, under a consistent heuristic; the next weight follows. Complete.
    Optimal with a last weight of 1 and an admissible heuristic (consistent, if ``reopen=false``), if no limit stops it.

    If a limit stops it and it has a solution, its status is `solved`.

    Attributes
    ----------
    weights : tuple of float
        Weights of the searches, in order. A search begins when the one before has found a solution.
    """

    optimal: ClassVar[Optimal] = "admissible"

    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)] = (5.0, 3.0, 2.0, 1.5, 1.0)

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the last weight, at least 1, if the heuristic permits a guarantee."""
        return max(1.0, self.weights[-1]) if admissible and (self.reopen or consistent) else None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return g + w * h with the weights in turn."""
        return ExpansionOrder(f"the smallest g + w·h, {_one_by_one(self.weights)}; {{f}} prunes")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> AnytimeSearch:
        """Start with the first weight."""
        return AnytimeSearch(stack, [Priority(1, Constant(w), self.ties, self.reopen, self.seed) for w in self.weights])


@ALGORITHMS.register("ara")
@dataclass(frozen=True)
class AnytimeRepairingAStar(Ordered):
    """ARA* (Likhachev, Gordon and Thrun 2003): weighted A* with falling weights, which keeps what it has found.

    In each iteration, a state is expanded at most once. If a cheaper path to a closed state is found, the state is
    inconsistent, and returns to the open list in the next iteration, whose weight is the next of `weights`. An
    iteration ends when no open state is better than the best goal. Nodes that cannot improve on the incumbent are
    pruned, as by `anytime_astar`. Every improved solution is a line in the plan log.

    The bound is the smallest of the weights of the iterations, if the heuristic is consistent, and of the cost divided
    by the smallest g + h of open and inconsistent nodes, if it is admissible: one of these nodes is on an optimal path,
    with its optimal g. The last weight is used again until this bound is no larger. Complete. Optimal with a last
    weight of 1 and an admissible heuristic, if no limit stops it. If a limit stops it and it has a solution, its status
    is `solved`.

    Attributes
    ----------
    weights : tuple of float
        Weights of the iterations, in order.
    """

    optimal: ClassVar[Optimal] = "admissible"

    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)] = (5.0, 3.0, 2.0, 1.5, 1.0)

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the last weight, at least 1, if the heuristic is admissible."""
        return max(1.0, self.weights[-1]) if admissible else None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return g + w * h with the weights in turn."""
        return ExpansionOrder(f"the smallest g + w·h, {_one_by_one(self.weights)}; {{f}} prunes")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> RepairingSearch:
        """Start with the first weight."""
        return RepairingAStarSearch(stack, self.weights, self.ties, self.seed)


@ALGORITHMS.register("ana")
@dataclass(frozen=True)
class AnytimeNonparametricAStar(Ordered):
    """ANA* (van den Berg et al. 2011): the largest (C - g) / h first, where C is the cost of the incumbent.

    Without an incumbent this is the smallest h. So it needs no weights: it is as greedy as an improvement permits. It
    reopens closed nodes, and prunes nodes that cannot improve on the incumbent, as `anytime_astar` does. Every improved
    solution is a line in the plan log, with its bound: C divided by the smallest g + h of open nodes. One of these is
    on an optimal path, with its optimal g. When no node is open, the incumbent is optimal under an admissible
    heuristic. Complete. If a limit stops it and it has a solution, its status is `solved`.
    """

    optimal: ClassVar[Optimal] = "admissible"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the largest potential first."""
        return ExpansionOrder("the largest (C − g) / h, where C is the cost of the best solution; {f} prunes")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> RepairingSearch:
        """Start without an incumbent."""
        return NonparametricSearch(stack, self.ties, self.seed)


def _one_by_one(weights: tuple[float, ...]) -> str:
    return f"with w = {', '.join(f'{weight:g}' for weight in weights)} one after the other"


class AnytimeSearch(ResumableSearch):
    """Anytime search in progress: one best-first search for each priority, pruned by the incumbent.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priorities : list of Priority
        Priority of each search, in order.
    """

    def __init__(self, stack: BoundStack, priorities: list[Priority]) -> None:
        self._stack = stack
        self._priorities, self._remaining = priorities, priorities[1:]
        self._is_finished = False
        self._search = BestFirstSearch(stack, priorities[0])
        self._started = 1
        self._finished: list[Counts] = []
        self._incumbent: tuple[int, list[int]] | None = None
        self._bound: float | None = None
        self._before_last_layer: int | None = None

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. Return IMPROVED for every better solution, SOLVED after the last."""
        if self._is_finished:
            return StepStatus.SOLVED
        status = self._search.step(budget)
        if status == StepStatus.EXHAUSTED:
            return self._conclude()
        if status != StepStatus.SOLVED:
            return status
        self._incumbent = self._search.cost, self._search.path()
        self._before_last_layer = self._search.expanded_before_last_layer
        if self._before_last_layer is not None:
            self._before_last_layer += sum(counts.expanded for counts in self._finished)
        self._prove(self._search.bound)
        self._restart()
        return StepStatus.IMPROVED

    def _conclude(self) -> StepStatus:
        """Return the status after a search that has found nothing cheaper. Without reopening, the next one may."""
        if self._incumbent is None:
            return StepStatus.EXHAUSTED
        if self._priorities[0].reopen:
            self._prove(1.0 if self._stack.stack.admissible else None)
            self._is_finished = True
        else:
            self._prove(self._search.bound)  # a cheaper solution than this bound allows would have been found
            self._restart()
        return StepStatus.SOLVED if self._is_finished else StepStatus.RUNNING

    def _prove(self, bound: float | None) -> None:
        """Note a proven bound of the incumbent."""
        if bound is not None:
            self._bound = bound if self._bound is None else min(self._bound, bound)

    def _restart(self) -> None:
        """Start the search with the next priority, unless there is none or the incumbent is proven optimal."""
        if not self._remaining or self._bound == 1.0:
            self._is_finished = True
            return
        assert self._incumbent is not None
        self._finished.append(self._search.counts)
        self._search = BestFirstSearch(self._stack, self._remaining.pop(0), incumbent_cost=self._incumbent[0])
        self._started += 1

    def expansion(self) -> Expansion:
        """Return that of the current search."""
        return self._search.expansion()

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the current search."""
        return self._search.grow(memory_limit)

    @property
    def counts(self) -> Counts:
        """Sums over all searches; for nodes and bytes the maximum."""
        parts = [*self._finished, self._search.counts]
        sums = {name: sum(getattr(part, name) for part in parts) for name in _SUMMED}
        largest = {name: max(getattr(part, name) for part in parts) for name in _MAXIMA}
        simulated = 1 + sum(part.simulated_actions - 1 for part in parts)
        return Counts(**sums, **largest, simulated_actions=simulated, iterations=self._started)

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._search.initial_h

    @property
    def has_solution(self) -> bool:
        """Whether there is an incumbent."""
        return self._incumbent is not None

    @property
    def may_have_pruned(self) -> bool:
        """Whether a node of the current search has an infinite heuristic value."""
        return self._search.may_have_pruned

    def path(self) -> list[int]:
        """Return the action codes of the incumbent."""
        return [] if self._incumbent is None else self._incumbent[1]

    @property
    def cost(self) -> int:
        """Cost of the incumbent."""
        return 0 if self._incumbent is None else self._incumbent[0]

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the last layer of the search that found the incumbent, and of all searches before it."""
        return self._before_last_layer

    @property
    def bound(self) -> float | None:
        """Proven bound: the smallest weight of a search that found a solution; 1 if there is no cheaper solution."""
        return self._bound


class RepairingSearch(BestFirstSearch):
    """Base of anytime searches that go on with their nodes: the incumbent, its proven bound, and a new open list.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priority : Priority
        Order of the open list at first.
    """

    def __init__(self, stack: BoundStack, priority: Priority) -> None:
        super().__init__(stack, priority)
        self._incumbent: list[int] = []
        self._bound: float | None = None
        self._is_finished = False

    def _improve(self) -> bool:
        """Make the goal that was popped the incumbent, if it is cheaper; return whether it is."""
        control = self._control
        goal = int(control[c.GOAL])
        cost = self._path_cost(goal)
        if cost >= control[q.INCUMBENT_COST]:
            return False
        self._incumbent = self._nodes.path(goal)
        control[q.INCUMBENT_COST] = cost
        self._nodes.fields[goal * 2 * self._nodes.stride + G] = cost  # it may have been more: see `_path_cost`
        return True

    def _open_nodes(self) -> np.ndarray:
        """Prune by the incumbent, settle all closed nodes, prove a bound, and return the nodes to open again."""
        control = self._control
        nodes = np.empty(control[c.NODES], np.int32)
        count = collect_open.compiled(control, self._nodes.fields, 2 * self._nodes.stride, nodes)
        least = int(control[b.LEAST_OPEN])
        self._prove(proven_ratio(self.cost, min(least, self.cost)))
        return nodes[:count]

    def _prove(self, bound: float | None) -> None:
        """Note a bound of the incumbent that an admissible heuristic proves."""
        if bound is not None and self._stack.stack.admissible:
            self._bound = bound if self._bound is None else min(self._bound, bound)

    @property
    def has_solution(self) -> bool:
        """Whether there is an incumbent."""
        return bool(self._control[q.INCUMBENT_COST] < c.NO_INCUMBENT)

    def path(self) -> list[int]:
        """Return the action codes of the incumbent."""
        return self._incumbent

    @property
    def cost(self) -> int:
        """Cost of the incumbent."""
        return int(self._control[q.INCUMBENT_COST]) if self.has_solution else 0

    @property
    def expanded_before_last_layer(self) -> None:
        """None: the priorities of nodes change."""

    @property
    def bound(self) -> float | None:
        """Proven bound of the incumbent, under an admissible heuristic."""
        return self._bound


class RepairingAStarSearch(RepairingSearch):
    """ARA* in progress. For the parameters see `AnytimeRepairingAStar`."""

    def __init__(self, stack: BoundStack, weights: tuple[float, ...], ties: str, seed: int) -> None:
        super().__init__(stack, Priority(1, Constant(weights[0]), ties, seed=seed))
        self._control[b.REOPEN] = LATER
        self._used, self._remaining = [weights[0]], list(weights[1:])

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. Return IMPROVED for every better solution, SOLVED after the last."""
        control = self._control
        last = int(control[c.EXPANDED]) + budget
        while not self._is_finished:
            status = super().step(last - int(control[c.EXPANDED]))
            if status != StepStatus.SOLVED:
                return status
            is_better = self._improve()
            self._begin_iteration()
            if is_better:
                return StepStatus.IMPROVED
        return StepStatus.SOLVED

    def _begin_iteration(self) -> None:
        """Begin with the next weight, or with the last one again; finish if it proves nothing more."""
        if self._stack.stack.consistent:
            self._prove(max(1.0, self._used[-1]))
        nodes = self._open_nodes()
        wanted = max(1.0, self._used[-1]) if self._stack.stack.admissible else math.inf
        if self._bound == 1.0 or (not self._remaining and (self._bound or math.inf) <= wanted):
            self._is_finished = True
            return
        self._used.append(self._remaining.pop(0) if self._remaining else self._used[-1])
        self._weights[WEIGHT_H] = self._used[-1]
        self._open.refill(np.append(nodes, self._control[c.GOAL]).astype(np.int32))

    @property
    def _iterations(self) -> int:
        return len(self._used)


class NonparametricSearch(RepairingSearch):
    """ANA* in progress. For the parameters see `AnytimeNonparametricAStar`."""

    def __init__(self, stack: BoundStack, ties: str, seed: int) -> None:
        super().__init__(stack, Priority(1, CONSTANT_ONE, ties, seed=seed))
        self._control[b.REOPEN], self._control[q.PRIORITY] = ALWAYS, POTENTIAL

    @property
    def _has_buckets(self) -> bool:
        return False  # most keys differ

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. Return IMPROVED for every better solution, SOLVED after the last."""
        status = super().step(budget)
        if status == StepStatus.SOLVED:
            self._improve()
            self._open.refill(self._open_nodes())
            return StepStatus.IMPROVED
        if status == StepStatus.EXHAUSTED and self.has_solution:
            self._prove(1.0)
            return StepStatus.SOLVED
        return status


@kernel("int64(int64[::1], int32[::1], int64, int32[::1])")
def collect_open(control, fields, width, nodes):
    """Write the open and inconsistent nodes that may improve on the incumbent, in the order in which they were stored.

    Closed nodes become SETTLED. Returns the number of nodes.
    """
    count, least = 0, np.int64(c.NO_INCUMBENT)
    for node in range(control[c.NODES]):
        record = node * width
        link = np.int64(fields[record + PREVIOUS])
        if link == CLOSED:
            fields[record + PREVIOUS] = SETTLED
        elif is_open(link) or link == INCONSISTENT:
            g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
            if g + h * control[b.PRUNE_BY_F] >= control[q.INCUMBENT_COST]:
                fields[record + PREVIOUS] = PRUNED
                continue
            control[c.REOPENED] += link == INCONSISTENT
            least = min(least, g + h)
            nodes[count] = node
            count += 1
    control[b.LEAST_OPEN] = least
    return count
