"""Breadth-first search: the node store is the queue, in the order in which nodes were found."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled import BUFFERS, StoredSearch, expansion_buffers
from algorithms.engine.nodes import (
    FIELD_WORDS,
    G,
    Nodes,
    copy_state,
    enter,
    find_slot,
    first_slot,
    hash_state,
    node_in,
    set_path,
)
from algorithms.engine.search import Status
from heuristics.stack import BoundStack
from worlds.kernel import EXPAND, IS_GOAL, borrowed, cost_error, kernel, list_of


class BreadthFirstSearch(StoredSearch):
    """A resumable breadth-first search.

    Parameters
    ----------
    stack : BoundStack
        Only its problem matters.
    early_goal_test : bool
        Test a state when it is generated instead of when it is about to be expanded.
    """

    def __init__(self, stack: BoundStack, early_goal_test: bool) -> None:
        super().__init__(stack)
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
        nodes, problem = self._nodes, self._problem
        return breadth_first_step.compiled(  # type: ignore[no-any-return]
            *self._kernels[:2], problem.world, problem.action_lengths,
            nodes.states, nodes.fields, nodes.table, self._buffers, self._control, budget,
        )  # fmt: skip

    @property
    def bound(self) -> float | None:
        """Fewest moves are the smallest cost if every move costs 1."""
        return 1.0 if self._problem.unit_costs else None


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, int64[::1], int64[::1], uint64[::1], int32[::1], int32[::1],"
    f"{BUFFERS}, int64[::1], int64)"
)
def breadth_first_step(
    expand_list, is_goal_list, world, action_lengths, states, fields, table, buffers, control, budget
):
    """Run at most `budget` expansions; returns a `Status`, or what a kernel returned on an error."""
    expand, is_goal = expand_list[0], is_goal_list[0]
    out, out_cost, out_action, slots, _, _ = borrowed(buffers)
    states, fields, table, control, world, action_lengths = borrowed(
        (states, fields, table, control, world, action_lengths)
    )
    words, successors, mask = control[c.WORDS], control[c.MAX_SUCCESSORS], control[c.INDEX_MASK]
    stride = words + FIELD_WORDS
    width = 2 * stride
    capacity = states.size // stride
    early = control[c.EARLY_GOAL_TEST] != 0
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value and expanded < budget:
        node = control[c.HEAD]
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
        control[c.HEAD] += 1
        expanded += 1
        generated += n
        g = np.int64(fields[node * width + G])
        for k in range(n):  # look all of them up at once: what has to come from far away comes together
            slots[k] = table[first_slot(table, hash_state(out, k * words, words))]
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            simulated += action_lengths[out_action[k]]
            hashed = hash_state(out, k * words, words)
            slot = find_slot(table, states, words, mask, out, k * words, hashed)
            if node_in(table, slot, mask) >= 0:
                continue
            new = control[c.NODES]
            control[c.NODES] += 1
            enter(table, slot, mask, new, hashed)
            copy_state(out, k * words, states, new * stride + FIELD_WORDS, words)
            set_path(fields, new * width, node, node * width, cost, out_action[k])
            if early and status == Status.RUNNING.value and is_goal(world, out, k * words):
                control[c.GOAL] = new
                status = Status.SOLVED.value
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status
