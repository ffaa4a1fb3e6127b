"""Resumable best-first search: runs `best_first_step` or `numbered_step`.

The registered algorithms are in `algorithms.best_first`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.best_first_step import best_first_step
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.kernel_arguments import expansion_buffers
from algorithms.engine.nodes import PREVIOUS, Nodes
from algorithms.engine.numbered import NumberedNodes, numbered_step
from algorithms.engine.open_list import DEAD_END, PENDING, WEIGHT_H, WEIGHTED
from algorithms.engine.open_list_arrays import OpenListArrays
from algorithms.engine.search import Status, status_of
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weighting
from worlds.compile.kernel import Kernel

CONSTANT_ONE = Constant(1.0)


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
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Order of nodes with the same f.
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    """

    weight_g: float = 1.0
    weighting: Weighting = CONSTANT_ONE
    ties: str = "low_h"
    reopen: bool = True


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

    _open: OpenListArrays

    def __init__(self, stack: BoundStack, priority: Priority, incumbent_cost: int | None = None) -> None:
        self._priority = priority
        self._kernel = self._numbered_kernel(stack) if self._can_be_numbered(stack) else best_first_step
        super().__init__(stack, self._kernel)
        self._changes = priority.weighting.changes()
        weight = next(self._changes)[1]
        self._next_change = next(self._changes, None)
        self._weights = np.array([priority.weight_g, weight, *priority.weighting.by_depth], np.float64)
        self._weight = self._max_weight = weight + priority.weighting.by_depth[0]
        lower_bound = self._root_h if stack.stack.admissible else 0
        is_pruned = incumbent_cost is not None and lower_bound >= incumbent_cost
        control = self._control
        control[c.NODES] = 1
        control[c.PENDING] = 0 if self._initial_h is None or is_pruned else 1
        control[c.REOPEN] = priority.reopen
        control[c.INCUMBENT_COST] = c.NO_INCUMBENT if incumbent_cost is None else incumbent_cost
        control[c.PRUNE_BY_F] = stack.stack.admissible is True
        control[c.PRIORITY] = WEIGHTED
        problem = self._problem
        self._buffers = expansion_buffers(problem.initial.size, problem.max_successors)
        is_heap = problem.instance.cost_scale != 1  # most keys differ
        self._nodes = self._hashed_nodes() if self._kernel is best_first_step else self._numbered_nodes()
        control[c.INDEX_MASK] = self._nodes.index_mask
        self._open = OpenListArrays(control, self._weights, self._nodes, priority.ties, is_heap=is_heap)

    def _can_be_numbered(self, stack: BoundStack) -> bool:
        """Return whether `numbered_step` supports the world, the stack and the weighting."""
        weighting = self._priority.weighting
        return (
            stack.problem.numbering is not None
            and stack.problem.instance.cost_scale != 1
            and len(stack.bound_terms) <= 1
            and not stack.calls_python
            and not weighting.reorder_open
            and weighting.by_depth[0] == 0
        )

    def _hashed_nodes(self) -> Nodes:
        """Return a store with the root, which `best_first_step` pushes."""
        initial = self._problem.initial
        nodes = Nodes(initial.size, max(1024, 2 * self._problem.max_successors))
        nodes.put(0, initial, self._root_h)
        nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        nodes.index(1)
        self._buffers[-1][0] = 0
        return nodes

    def _numbered_kernel(self, stack: BoundStack) -> Kernel:
        problem, term = stack.problem, stack.kernels[0] if stack.kernels else None
        assert problem.numbering is not None
        words = problem.initial.size
        return numbered_step(problem.expand, problem.is_goal, problem.numbering.number, term, words)

    def _numbered_nodes(self) -> Nodes:
        """Return a store for `numbered_step`, which takes the root from the buffers and stores it."""
        problem, words, numbering = self._problem, self._problem.initial.size, self._problem.numbering
        assert numbering is not None
        nodes = NumberedNodes(words, numbering)
        self._control[c.STAMP] = nodes.stamp
        out, *_, out_h, _, _ = self._buffers
        out[:words], out_h[0] = problem.initial, self._root_h
        self._functions = ()
        return nodes

    @property
    def _is_constant(self) -> bool:
        """Whether all nodes have the same weight."""
        return isinstance(self._priority.weighting, Constant)

    def step(self, budget: int) -> Status:
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
            if status != Status.RUNNING:
                self._is_solved = status == Status.SOLVED
                return status
            if following is not None and before + done == following[0]:
                self._change_weight(following[1])
            if budget == 0:
                return Status.RUNNING

    def _run_kernel(self, budget: int) -> Status:
        self._control[c.CAPACITY] = self._nodes.capacity
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.arrays, self._buffers,
            self._control, budget,
        )  # fmt: skip
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
        """Number of expanded nodes whose f is smaller than that of the goal, which is popped last."""
        return self._open.popped_below_last() if self._is_solved and self._priority.weight_g > 0 else None

    @property
    def bound(self) -> float | None:
        """Proven bound: the largest weight that was used, at least 1; None without a proof.

        Without reopening, the bound needs a consistent heuristic and the same weight for all nodes. Then a node is
        expanded with a g of at most w times its distance from the start (Likhachev, Gordon and Thrun 2003).
        """
        stack, weight = self._stack.stack, self._max_weight
        is_exact = self._priority.reopen or weight == 0 or (stack.consistent and self._is_constant)
        if not stack.admissible or not is_exact or (weight > 0 and self._priority.weight_g == 0):
            return None
        return max(1.0, weight / (self._priority.weight_g or 1.0))
