"""Kernel of best-first search: UCS, greedy search, A* and weighted A*, which differ in the weights of the priority."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.nodes import FIELD_WORDS, STORE, G, H, child_depth, find_or_insert, set_path
from algorithms.engine.open_list import QUEUE, pop, push
from algorithms.engine.search import Status
from algorithms.engine.successors import (
    add_pending,
    hash_successors,
    move_forward,
    prune_pending,
    relax,
)
from heuristics.stack import TERMS, evaluate, unpack_terms
from worlds.compile.kernel import EXPAND, IS_GOAL, as_index, cost_error, kernel, list_of
from worlds.compile.operations import borrowed


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {BUFFERS},"
    "int64[::1], int64)"
)
def best_first_step(
    expand_list, is_goal_list, term_list, heuristic, world_arrays, store, queue, buffers, control, budget
):
    """Run at most `budget` expansions; return a `Status`, or a negative number on an error."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    params, count, maximum = heuristic
    params = borrowed(params)
    states, fields, table = borrowed(store)
    world, action_lengths = borrowed(world_arrays)
    queue, buffers, control = borrowed(queue), borrowed(buffers), borrowed(control)
    out, out_cost, out_action, out_h, scratch, pending = buffers
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    stride = words + FIELD_WORDS
    width = 2 * stride
    hashes = words * successors  # offset of the hashes in `out`
    capacity = states.size // stride
    reopen = control[c.REOPEN] != 0
    incumbent_cost, prune_by_f = control[c.INCUMBENT_COST], control[c.PRUNE_BY_F]
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        pushed, waiting = control[c.PUSHED], control[c.PENDING]
        while pushed < waiting and push(control, as_index(pending[pushed]), fields, width, queue):
            pushed += 1
        control[c.PUSHED] = pushed
        if pushed < waiting:
            status = Status.OUT_OF_MEMORY.value
        if status == Status.OUT_OF_MEMORY.value or expanded >= budget:
            break
        if control[c.NODES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        node = pop(control, fields, width, queue)
        if node < 0:
            status = Status.EXHAUSTED.value
            break
        node = as_index(node)
        record, at = node * width, node * stride + FIELD_WORDS
        if is_goal(world, states, at):
            control[c.GOAL] = node
            status = Status.SOLVED.value
            break
        n = expand(world, states, at, out, 0, out_cost, out_action, 0)
        if n < 0:
            status = n
            break
        expanded += 1
        generated += n
        control[c.EXPANDED_NODE] = node

        hash_successors(out, n, words, hashes, table)
        first = as_index(control[c.NODES])
        new = 0
        waiting = 0
        g, depth = np.int64(fields[record + G]), child_depth(fields, record)
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            action = out_action[k]
            simulated += action_lengths[action]
            child = find_or_insert(table, states, words, mask, out, k * words, out[hashes + k], first + new)
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            else:
                after = relax(control, child, cost, reopen, pending, waiting, fields, width, queue)
                if after < 0:
                    continue
                waiting = after
            set_path(fields, child * width, node, depth, cost, action)
            waiting = add_pending(pending, waiting, child, fields, width)
        if status < 0:
            break
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            terms, count, maximum, params,
            states, at, np.int64(fields[record + H]), out, 0, out_action, out_h, scratch, 0, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
        control[c.NODES] += new
        control[c.PENDING] = prune_pending(pending, waiting, fields, width, incumbent_cost, prune_by_f)
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status
