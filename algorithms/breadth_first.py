"""Breadth-first search. The node store is the queue: nodes are expanded in the order in which they were stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from algorithms.engine import (
    BUFFERS,
    FIELD_WORDS,
    MAX_DEPTH,
    MOVE,
    STORE,
    WORLD,
    G,
    StepStatus,
    StoredSearch,
    child_depth,
    expand_node,
    find_or_insert,
    hash_successors,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS, ExpansionOrder, SearchAlgorithm
from heuristics.interface import BoundStack, Weighting
from runner.base import Metric
from worlds.compile import ADDRESS, IS_GOAL, as_index, call, kernel

STATES = Metric("states", better="neither", meaning="number of states at the last depth that was explored")
NEXT_NODE, EARLY_GOAL_TEST, DEPTH_LIMIT, LIMIT_REACHED = range(c.OWN, c.OWN + 4)
"""Entries of the control array: next node to expand; whether a node is tested when it is generated; the largest depth,
and whether a node there was not expanded."""


@ALGORITHMS.register("bfs")
@dataclass(frozen=True)
class BreadthFirst(SearchAlgorithm):
    """Breadth-first search: expands states in order of their number of moves from the start, each once.

    Complete on finite spaces, unless the depth is limited. Optimal in moves, and therefore in cost if every step costs
    1. Ignores heuristics.

    Attributes
    ----------
    depth_limit : int or None
        Maximum number of moves of a path. A search that ends at it without a solution has the status `cutoff`, and
        `states` is the number of states at that depth.
    goal_test : {"expanded", "generated"}
        Test a state when it is about to be expanded, as the other algorithms do, or when it is generated, which saves
        most of the last layer. The solution is the same: the first goal that is generated.
    """

    heuristic = "ignored"
    optimal = "unit_costs"
    metrics = (STATES,)

    goal_test: Literal["expanded", "generated"] = "expanded"
    depth_limit: Annotated[int, Meta(ge=0, lt=MAX_DEPTH)] | None = None

    @property
    def complete(self) -> bool:
        """Complete without a depth limit."""
        return self.depth_limit is None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return first in, first out."""
        return ExpansionOrder("layer by layer: first in, first out", "oldest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BreadthFirstSearch:
        """Start at the start state."""
        return BreadthFirstSearch(stack, self.goal_test == "generated", self.depth_limit)


class BreadthFirstSearch(StoredSearch):
    """Breadth-first search in progress.

    Parameters
    ----------
    stack : BoundStack
        Stack for the problem to solve; its heuristics are ignored.
    early_goal_test : bool
        Test a state when it is generated instead of when it is about to be expanded.
    depth_limit : int or None
        Do not expand states at this depth.
    """

    keeps = "first"

    def __init__(self, stack: BoundStack, early_goal_test: bool, depth_limit: int | None = None) -> None:
        super().__init__(stack, breadth_first_step)
        self._store_root(0)
        self._control[EARLY_GOAL_TEST] = early_goal_test
        self._control[DEPTH_LIMIT] = c.NO_LIMIT if depth_limit is None else depth_limit

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        code = breadth_first_step.compiled(
            *self._functions[:2], self._world, self._nodes.arrays, self._buffers, self._control, budget
        )
        status = status_of(code)
        return StepStatus.CUTOFF if status == StepStatus.EXHAUSTED and self._control[LIMIT_REACHED] else status

    @property
    def measured(self) -> dict[str, float | None]:
        """Number of states at the depth limit, if it was reached."""
        control, nodes = self._control, int(self._control[c.NODES])
        if not control[LIMIT_REACHED] or control[NEXT_NODE] < nodes:
            return {"states": None}
        depths = self._nodes.column(MOVE, 0, nodes) >> 16
        return {"states": nodes - int(np.searchsorted(depths, control[DEPTH_LIMIT]))}

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 if every step costs 1."""
        return 1.0 if self._problem.world.unit_costs else None


@kernel(f"int64({ADDRESS}, {ADDRESS}, {WORLD}, {STORE}, {BUFFERS}, int64[::1], int64)")
def breadth_first_step(expand, is_goal, world_arrays, store, buffers, control, budget):
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
    out, out_cost, out_action, _, _, _ = buffers
    states, fields, table = store
    constants, action_lengths = world_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, hashes = as_index(control[c.INDEX_MASK]), words * successors  # the hashes are behind the states in `out`
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    early = control[EARLY_GOAL_TEST] != 0
    last = control[c.EXPANDED] + budget
    status = StepStatus.RUNNING.value
    while status == StepStatus.RUNNING.value and control[c.EXPANDED] < last:
        node = as_index(control[NEXT_NODE])
        if node == control[c.NODES]:
            status = StepStatus.EXHAUSTED.value
            break
        if control[c.NODES] + successors > capacity:
            status = StepStatus.OUT_OF_MEMORY.value
            break
        at = node * stride + FIELD_WORDS
        if (not early or node == 0) and call(IS_GOAL, is_goal, constants, states, at):
            control[c.GOAL] = node
            status = StepStatus.SOLVED.value
            break
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        if depth > control[DEPTH_LIMIT]:
            control[LIMIT_REACHED] = 1
            control[NEXT_NODE] += 1
            continue
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            status = n
            break
        control[NEXT_NODE] += 1
        hash_successors(out, n, words, hashes, table)
        for k in range(n):
            new = as_index(control[c.NODES])
            if find_or_insert(table, states, words, mask, out, k * words, out[hashes + k], new) != new:
                continue
            control[c.NODES] += 1
            set_path(fields, new * width, node, depth, g + out_cost[k], out_action[k])
            if early and status == StepStatus.RUNNING.value and call(IS_GOAL, is_goal, constants, out, k * words):
                control[c.GOAL] = new
                status = StepStatus.SOLVED.value
    return status
