"""Resumable breadth-first search and its kernel. The registered algorithm is `algorithms.breadth_first`.

The node store is the queue: nodes are expanded in the order in which they were stored.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.hashing import hash_state
from algorithms.engine.kernel_arguments import BUFFERS, WORLD, expansion_buffers
from algorithms.engine.nodes import FIELD_WORDS, STORE, G, Nodes, child_depth, find_or_insert, first_slot, set_path
from algorithms.engine.search import Status, status_of
from heuristics.stack import BoundStack
from worlds.compile.kernel import EXPAND, IS_GOAL, as_index, cost_error, kernel, list_of
from worlds.compile.operations import borrowed


class BreadthFirstSearch(StoredSearch):
    """Breadth-first search in progress.

    Parameters
    ----------
    stack : BoundStack
        Stack for the problem to solve; its heuristics are ignored.
    early_goal_test : bool
        Test a state when it is generated instead of when it is about to be expanded.
    """

    keeps = "first"

    def __init__(self, stack: BoundStack, early_goal_test: bool) -> None:
        super().__init__(stack, breadth_first_step)
        words = self._problem.initial.size
        self._nodes = Nodes(words, max(1024, 2 * self._problem.max_successors))
        self._nodes.put(0, self._problem.initial, 0)
        self._nodes.index(1)
        self._buffers = expansion_buffers(words, self._problem.max_successors)
        self._control[c.NODES] = 1
        self._control[c.INDEX_MASK] = self._nodes.index_mask
        self._control[c.EARLY_GOAL_TEST] = early_goal_test

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        code = breadth_first_step.compiled(
            *self._functions[:2], self._world, self._nodes.arrays, self._buffers, self._control, budget
        )
        return status_of(code)

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 if every step costs 1."""
        return 1.0 if self._problem.unit_costs else None


@kernel(f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {WORLD}, {STORE}, {BUFFERS}, int64[::1], int64)")
def breadth_first_step(expand_list, is_goal_list, world_arrays, store, buffers, control, budget):
    """Run at most `budget` expansions; return a `Status`, or a negative number on an error."""
    expand, is_goal = expand_list[0], is_goal_list[0]
    out, out_cost, out_action, slots, _, _ = borrowed(buffers)
    states, fields, table = borrowed(store)
    world, action_lengths = borrowed(world_arrays)
    control = borrowed(control)
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    stride = words + FIELD_WORDS
    width = 2 * stride
    capacity = states.size // stride
    early = control[c.EARLY_GOAL_TEST] != 0
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value and expanded < budget:
        node = as_index(control[c.NEXT_NODE])
        if node == control[c.NODES]:
            status = Status.EXHAUSTED.value
            break
        if control[c.NODES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        at = node * stride + FIELD_WORDS
        if (not early or node == 0) and is_goal(world, states, at):
            control[c.GOAL] = node
            status = Status.SOLVED.value
            break
        n = expand(world, states, at, out, 0, out_cost, out_action, 0)
        if n < 0:
            status = n
            break
        control[c.NEXT_NODE] += 1
        expanded += 1
        generated += n
        control[c.EXPANDED_NODE] = node
        for k in range(n):  # read all slots first, so that the accesses to memory overlap
            slots[k] = table[first_slot(table, hash_state(out, k * words, words))]
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            simulated += action_lengths[out_action[k]]
            new = as_index(control[c.NODES])
            hashed = hash_state(out, k * words, words)
            if find_or_insert(table, states, words, mask, out, k * words, hashed, new) != new:
                continue
            control[c.NODES] += 1
            set_path(fields, new * width, node, depth, cost, out_action[k])
            if early and status == Status.RUNNING.value and is_goal(world, out, k * words):
                control[c.GOAL] = new
                status = Status.SOLVED.value
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status
