"""The kernel of searches that expand one open node after the other: each family has its own open list.

`best_first_kernel` compiles it together with the functions of an open list. So families share how a node is expanded,
and the compiler still sees straight code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.nodes import (
    FIELD_WORDS,
    MOVE,
    PARENT,
    PREVIOUS,
    STORE,
    G,
    H,
    child_depth,
    find_or_insert,
    set_path,
)
from algorithms.engine.open_list import DEAD_END, INCONSISTENT, QUEUE
from algorithms.engine.search import StepStatus
from algorithms.engine.successors import (
    ALWAYS,
    add_pending,
    expand_node,
    hash_successors,
    move_forward,
    prune_pending,
    relax,
)
from heuristics.interface import INFINITE_H
from heuristics.stack import TERMS, evaluate
from worlds.compile.kernel import ADDRESS, IS_GOAL, Kernel, as_index, helper, named
from worlds.compile.operations import call

EMPTY, FINISHED = -1, -2
"""Values of `pop` without a node: the open list is empty; the incumbent is the solution."""


@helper
def evaluate_stack(
    terms, count, maximum, params, states, parent, parent_at, parent_h, out, out_at, action, h, scratch, first, n, more
):
    """Write h of `n` children of the node `parent`: the nodes from `first` on. See `evaluate`."""
    return evaluate(terms, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, 0, n)


def best_first_kernel(
    name: str,
    more: str,
    push: Callable[..., Any],
    pop: Callable[..., Any],
    *,
    evaluate_nodes: Callable[..., Any] = evaluate_stack,
    improves: bool = False,
    defers: bool = False,
) -> Kernel:
    """Return a kernel that runs at most `budget` expansions and returns a `StepStatus`, or a negative number: an error.

    Parameters
    ----------
    name : str
        Name of the kernel.
    more : str
        Numba type of the arrays of the open list in addition to `QUEUE`.
    push : helper
        ``push(control, node, fields, width, queue, more)`` inserts a node into the open list. If an array is full, it
        returns False and changes nothing.
    pop : helper
        ``pop(control, fields, width, queue, more)`` removes the node to expand, closes it and returns it; or EMPTY or
        FINISHED.
    evaluate_nodes : helper
        Like `evaluate_stack`. It may store further values of the nodes.
    improves : bool
        Whether the search goes on with a goal as incumbent, until `pop` returns FINISHED. It reopens closed
        nodes, and prunes nothing.
    defers : bool
        Whether `control.IS_LAZY` has an effect: successors are pushed with the h of their parent, and evaluated when
        they are popped. Until then, `H` is -1 - h of the parent.
    """

    def step(expand, is_goal, terms, heuristic, world_arrays, store, queue, more, buffers, control, budget):
        params, count, maximum = heuristic
        states, fields, table = store
        constants, action_lengths = world_arrays
        out, out_cost, out_action, out_h, scratch, pending = buffers
        words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
        mask, hashes = as_index(control[c.INDEX_MASK]), words * successors  # the hashes are behind the states in `out`
        stride = words + FIELD_WORDS
        width, capacity = 2 * stride, states.size // stride
        reopen, incumbent_cost = control[c.REOPEN], control[c.INCUMBENT_COST]
        prune_by_f = control[c.PRUNE_BY_F]
        if improves:  # what the compiler knows makes it 10 % faster
            reopen, incumbent_cost, prune_by_f = ALWAYS, c.NO_INCUMBENT, 0
        last = control[c.EXPANDED] + budget
        status = StepStatus.RUNNING.value
        while status == StepStatus.RUNNING.value:
            pushed, waiting = control[c.PUSHED], control[c.PENDING]
            while pushed < waiting and push(control, as_index(pending[pushed]), fields, width, queue, more):
                pushed += 1
            control[c.PUSHED] = pushed
            if pushed < waiting:
                status = StepStatus.OUT_OF_MEMORY.value
            if status == StepStatus.OUT_OF_MEMORY.value or control[c.EXPANDED] >= last:
                break
            if control[c.NODES] + successors > capacity:
                status = StepStatus.OUT_OF_MEMORY.value
                break
            node = pop(control, fields, width, queue, more)
            if node < 0:
                status = StepStatus.EXHAUSTED.value if node == EMPTY else StepStatus.SOLVED.value
                break
            node = as_index(node)
            record, at = node * width, node * stride + FIELD_WORDS
            if call(IS_GOAL, is_goal, constants, states, at):
                if improves:
                    g = np.int64(fields[record + G])
                    if g < control[c.INCUMBENT_COST]:
                        control[c.GOAL], control[c.INCUMBENT_COST] = node, g
                    continue
                control[c.GOAL] = node
                status = StepStatus.SOLVED.value
                break
            if defers and fields[record + H] < 0:
                parent = as_index(fields[record + PARENT])
                out_action[0] = np.int16(fields[record + MOVE] & 0xFFFF)
                failure = evaluate_nodes(
                    terms, count, maximum, params, states, parent, parent * stride + FIELD_WORDS,
                    np.int64(fields[parent * width + H]), states, at, out_action, out_h, scratch, node, 1, more,
                )  # fmt: skip
                if failure < 0:
                    status = failure
                    break
                control[c.EVALUATED] += count > 0
                fields[record + H] = out_h[0]
                if out_h[0] == INFINITE_H:
                    fields[record + PREVIOUS] = DEAD_END
                    continue
            g = np.int64(fields[record + G])
            n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
            if n < 0:
                status = n
                break
            hash_successors(out, n, words, hashes, table)
            first, depth = as_index(control[c.NODES]), child_depth(fields, record)
            new = 0
            waiting = 0
            for k in range(n):
                cost = g + out_cost[k]
                child = find_or_insert(table, states, words, mask, out, k * words, out[hashes + k], first + new)
                if child == first + new:
                    move_forward(out, out_action, k, new, words)
                    new += 1
                else:
                    after = relax(control, child, cost, reopen, pending, waiting, fields, width, queue)
                    if after == INCONSISTENT:
                        set_path(fields, child * width, node, depth, cost, out_action[k])
                    if after < 0:
                        continue
                    waiting = after
                set_path(fields, child * width, node, depth, cost, out_action[k])
                waiting = add_pending(pending, waiting, child, fields, width)
            if defers and control[c.IS_LAZY] != 0:
                for k in range(waiting):
                    child = as_index(pending[k])
                    if child >= first or fields[child * width + H] < 0:
                        fields[child * width + H] = -1 - fields[record + H]
            else:
                if count > 0:
                    control[c.EVALUATED] += new
                failure = evaluate_nodes(
                    terms, count, maximum, params, states, node, at, np.int64(fields[record + H]),
                    out, 0, out_action, out_h, scratch, first, new, more,
                )  # fmt: skip
                if failure < 0:
                    status = failure
                    break
                for k in range(new):
                    fields[(first + k) * width + H] = out_h[k]
            control[c.NODES] += new
            control[c.PENDING] = prune_pending(pending, waiting, fields, width, incumbent_cost, prune_by_f)
            control[c.PUSHED] = 0
        return status

    signature = (
        f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {more},"
        f"{BUFFERS}, int64[::1], int64)"
    )
    return Kernel(named(step, name, push, pop, evaluate_nodes, improves, defers), signature)
