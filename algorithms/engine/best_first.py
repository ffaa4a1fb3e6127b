"""Best-first search over flat arrays: a resumable step, and the growth of what it fills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.best_first_step import best_first_step
from algorithms.engine.compiled import StoredSearch, expansion_buffers
from algorithms.engine.nodes import PREVIOUS, Nodes
from algorithms.engine.open_list import DEAD_END, PENDING, WEIGHTED
from algorithms.engine.open_list_arrays import OpenListArrays
from algorithms.engine.search import Status
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weighting

_ONE = Constant(1.0)


@dataclass(frozen=True)
class Priority:
    """Order of the open list: the smallest ``weight_g * g + w * h`` first, ties as `ties` says.

    Attributes
    ----------
    weight_g : float
    weighting : Weighting
        Says what w is. (1, 0) is uniform-cost search, (0, 1) greedy search, (1, 1) A*, (1, w) weighted A*.
    ties : {"low_h", "high_h", "fifo", "lifo"}
    reopen : bool
        Put a closed node back when a cheaper path to it is found.
    """

    weight_g: float = 1.0
    weighting: Weighting = _ONE
    ties: str = "low_h"
    reopen: bool = True


class BestFirstSearch(StoredSearch):
    """A resumable best-first search over flat arrays.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priority : Priority
    incumbent_cost : int, optional
        Only solutions that cost less are of interest: nodes that cannot be on one (by g + h if the stack is
        admissible, else by g) are not put into the open list.
    """

    _open: OpenListArrays

    def __init__(self, stack: BoundStack, priority: Priority, incumbent_cost: int | None = None) -> None:
        super().__init__(stack)
        self._priority = priority
        words = self._problem.initial.size
        self._nodes = Nodes(words, max(1024, 2 * self._problem.max_successors))
        self._nodes.put(0, self._problem.initial, self._root_h)
        self._nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        self._nodes.index(1)
        self._buffers = expansion_buffers(words, self._problem.max_successors)
        self._buffers[-1][0] = 0
        self._changes = priority.weighting.changes()
        weight = next(self._changes)[1]
        self._next_change = next(self._changes, None)
        self._weights = np.array([priority.weight_g, weight, *priority.weighting.by_depth], np.float64)
        self._weight = self._largest_weight = weight + priority.weighting.by_depth[0]
        control = self._control
        control[c.NODES] = 1
        control[c.INDEX_MASK] = self._nodes.index_mask
        least = self._root_h if stack.stack.admissible else 0
        control[c.PENDING] = (
            0 if self._initial_h is None or (incumbent_cost is not None and least >= incumbent_cost) else 1
        )
        control[c.REOPEN] = priority.reopen
        control[c.INCUMBENT_COST] = c.NO_INCUMBENT if incumbent_cost is None else incumbent_cost
        control[c.INCUMBENT_ON_F] = stack.stack.admissible is True
        control[c.PRIORITY] = WEIGHTED
        self._open = OpenListArrays(control, self._weights, self._nodes, priority.ties)

    @property
    def _is_constant(self) -> bool:
        """Whether the weight is the same for all nodes."""
        return isinstance(self._priority.weighting, Constant)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, with the weight that the schedule says for each."""
        control = self._control
        while True:
            before, following = int(control[c.EXPANDED]), self._next_change
            allowed = budget if following is None else min(budget, following[0] - before)
            status = self._run_kernel(allowed)
            done = int(control[c.EXPANDED]) - before
            budget -= done
            if done > 0:
                self._largest_weight = max(self._largest_weight, self._weight)
            if status != Status.RUNNING:
                self._is_solved = status == Status.SOLVED
                return status
            if following is not None and before + done == following[0]:
                self._change_weight(following[1])
            if budget == 0:
                return Status.RUNNING

    def _run_kernel(self, budget: int) -> Status:
        nodes, problem = self._nodes, self._problem
        return best_first_step.compiled(  # type: ignore[no-any-return]
            *self._kernels, problem.world, problem.action_lengths, nodes.states, nodes.fields, nodes.table,
            self._open.arrays, self._buffers, self._control, self._weights, budget,
        )  # fmt: skip

    def _change_weight(self, weight: float) -> None:
        self._weights[1] = weight
        self._weight = weight + self._priority.weighting.by_depth[0]
        self._next_change = next(self._changes, None)
        if self._priority.weighting.reorder_open:
            self._open.reorder_open()
            self._largest_weight = max(self._largest_weight, self._weight)

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of nodes whose f is below that of the goal, which is popped last."""
        return self._open.popped_below_last() if self._is_solved else None

    @property
    def bound(self) -> float | None:
        """The largest weight that was used, but at least 1, if that is proven.

        Without reopening, a consistent heuristic is enough if all nodes have the same weight: then a node is expanded
        with a g of at most w times its distance from the start (Likhachev, Gordon and Thrun 2003).
        """
        stack, weight = self._stack.stack, self._largest_weight
        is_exact = self._priority.reopen or weight == 0 or (stack.consistent and self._is_constant)
        if not stack.admissible or not is_exact or (weight > 0 and self._priority.weight_g == 0):
            return None
        return max(1.0, weight / (self._priority.weight_g or 1.0))
