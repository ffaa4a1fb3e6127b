"""Greedy best-first search: its open lists, and batches."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from algorithms.best_first.best_first import Batch, BatchedSearch, BestFirst, BestFirstSearch, Priority
from algorithms.best_first.kernel import best_first_kernel
from algorithms.engine import Inlined, OpenList, ValuedNodes
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from algorithms.greedy.alternating_list import (
    QUEUES,
    AlternatingList,
    evaluate_terms,
    pop_alternating,
    push_alternating,
)
from algorithms.greedy.exploring_list import KINDS, TYPES, ExploringList, pop_exploring, push_exploring
from algorithms.greedy.preferring import PreferringSearch
from algorithms.interface import ALGORITHMS, Algorithm, ExpansionOrder, Formula
from heuristics.interface import INFINITE_H, BoundStack, Constant, Weighting
from runner.base import Incompatible
from worlds.compile import Kernel
from worlds.interface import Instance


@ALGORITHMS.register("greedy")
@dataclass(frozen=True)
class Greedy(BestFirst):
    """Greedy best-first search: the smallest h first. Complete on finite spaces; no bound on the cost.

    By default it does not reopen closed nodes, unlike the others: a cheaper path does not change the order, and states
    would be expanded repeatedly only for a cheaper plan.

    Attributes
    ----------
    open : {"standard", "epsilon", "type_based", "alternating"}
        Which node is next: that with the smallest h; with probability `epsilon` any open node, else that with the
        smallest h (Valenzano et al. 2014); that with the smallest h and a random node in turns, where first a pair
        of g and h is drawn and then one of its nodes (Type-GBFS, Xie et al. 2014); or those with the smallest values
        of the single heuristics of the stack in turns (Helmert 2006, Röger and Helmert 2010), among equals by `ties`.
    epsilon : float
        Probability of a random node, with `open: epsilon`.
    lazy : bool
        Insert nodes with the h of their parent, and evaluate them when they are taken from the open list (Richter and
        Helmert 2009). A node that is reopened has been evaluated, and is inserted with its own h.
    batch : int
        Number of nodes that are taken from the open list and expanded before their successors are evaluated, all in one
        call of a heuristic that takes batches, and inserted.
    preferred : {"none", "helpful"}
        Whether there is a second queue beside each one, of the successors alone that a heuristic of the stack prefers
        (Richter and Helmert 2009). The queues take turns. With `open: standard` the stack has one pair of queues, with
        `open: alternating` each heuristic. A state then waits once for each edge to it, and with `lazy` its path is
        that of the edge which is taken first. With `ties: fifo` it is the search of Fast Downward.
    boost : int
        How many turns the preferred queues gain when a heuristic reaches a new minimum (LAMA, Richter and Westphal
        2010).
    """

    heuristic = "needed"

    reopen: bool = False
    open: Literal["standard", "epsilon", "type_based", "alternating"] = "standard"
    epsilon: Annotated[float, Meta(ge=0, le=1)] = 0.2
    lazy: bool = False
    batch: Batch = 1
    preferred: Literal["none", "helpful"] = "none"
    boost: Annotated[int, Meta(ge=0, le=1_000_000)] = 1000

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm without a seed if nothing is random, and with the defaults of what is unused."""
        epsilon = self.epsilon if self.open == "epsilon" else Greedy.epsilon
        used = replace(self, epsilon=epsilon, boost=Greedy.boost if self.preferred == "none" else self.boost)
        return super(Greedy, used).effective(weighting)

    @property
    def _is_random(self) -> bool:
        return self.open in ("epsilon", "type_based") or super()._is_random

    @property
    def needs_preferred(self) -> bool:
        """Whether there are queues of preferred successors."""
        return self.preferred != "none"

    def check(self, instance: Instance) -> None:
        """Refuse batches of nodes that are evaluated when they are expanded, or in several queues; and other pairs."""
        if self.batch > 1 and (self.lazy or self.open == "alternating"):
            other = "lazy=true evaluates nodes one by one" if self.lazy else "open=alternating has queues of its own"
            raise Incompatible(f"algorithm.batch: {other}; leave one of the two out")
        if self.preferred != "none" and (self.batch > 1 or self.open in ("epsilon", "type_based")):
            other = f"algorithm.batch={self.batch}" if self.batch > 1 else f"algorithm.open={self.open}"
            raise Incompatible(
                f"algorithm.preferred: helpful needs queues that take turns; {other} has none; leave one of the two out"
            )
        super().check(instance)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = h, and what the open list does beside it."""
        lazy = ", where h is that of the parent" if self.lazy else ""
        batch = f", {self.batch:,} nodes at a time" if self.batch > 1 else ""
        by_open = {
            "standard": "{f}",
            "epsilon": f"{{f}}, but any open node with probability {self.epsilon:g}",
            "type_based": "{f}, and in turns with it a random node of a random pair of g and h",
            "alternating": "the smallest values of the single heuristics in turns; {f}",
        }
        preferred = ", in turns with preferred successors alone" if self.preferred != "none" else ""
        return ExpansionOrder(f"{by_open[self.open]}{lazy}{batch}{preferred}", formula=Formula(of_g=0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        """Start with f = h."""
        is_plain = self.open == "standard" and not self.lazy and self.batch == 1 and self.preferred == "none"
        if is_plain:
            return self._search(stack, 0, Constant(1))
        priority = Priority(0, Constant(1), self.ties, self.reopen, self.seed, self.batch)
        if self.preferred != "none":
            return PreferringSearch(stack, priority, self.open == "alternating", self.lazy, self.boost)
        if self.open == "alternating":
            return AlternatingSearch(stack, priority, self.lazy)
        if self.batch > 1 and self.open == "standard":
            return BatchedSearch(stack, priority)
        if self.batch > 1:
            return BatchedExploringSearch(stack, priority, self.open, self.epsilon, lazy=False)
        return ExploringSearch(stack, priority, self.open, self.epsilon, self.lazy)


class ExploringSearch(BestFirstSearch):
    """Greedy search in progress, with random nodes or deferred evaluation. For the parameters see `Greedy`."""

    def __init__(self, stack: BoundStack, priority: Priority, kind: str, epsilon: float, lazy: bool) -> None:
        self._epsilon = epsilon
        super().__init__(stack, priority)
        self._control[q.EXPLORATION], self._control[b.IS_LAZY] = KINDS[kind], lazy

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return exploring_step

    def _inlined_in(self, stack: BoundStack) -> None:
        return None

    def _open_list(self) -> OpenList:
        self._weights = np.append(self._weights, self._epsilon)
        return ExploringList(self._control, self._weights, self._nodes, self._priority.ties)


class AlternatingSearch(BestFirstSearch):
    """Greedy search in progress, with a queue for each term of the stack. For the parameters see `Greedy`."""

    def __init__(self, stack: BoundStack, priority: Priority, lazy: bool) -> None:
        self._terms = stack.bound_terms
        super().__init__(stack, priority)
        self._control[b.IS_LAZY] = lazy

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return alternating_step

    def _inlined_in(self, stack: BoundStack) -> None:
        return None

    def _new_nodes(self, words: int, capacity: int) -> ValuedNodes:
        return ValuedNodes(words, capacity, max(1, len(self._terms)))

    def _open_list(self) -> OpenList:
        nodes, stack = self._nodes, self._stack
        assert isinstance(nodes, ValuedNodes)
        for number, term in enumerate(self._terms):
            h = BoundStack(stack.stack, stack.problem, (term,)).evaluate(stack.problem.initial)
            nodes.values[number] = INFINITE_H if h == math.inf else h
        return AlternatingList(self._control, self._weights, nodes, self._priority.ties, max(1, len(self._terms)))


class BatchedExploringSearch(BatchedSearch, ExploringSearch):
    """Greedy search in progress that evaluates the successors of several expansions at once, with random nodes."""

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return batched_exploring_step


exploring_step = best_first_kernel("exploring_step", TYPES, push_exploring, pop_exploring, defers=True)
batched_exploring_step = best_first_kernel("batched_exploring_step", TYPES, push_exploring, pop_exploring, batches=True)
alternating_step = best_first_kernel(
    "alternating_step", QUEUES, push_alternating, pop_alternating, evaluate_nodes=evaluate_terms, defers=True
)
