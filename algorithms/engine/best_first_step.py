"""The inner loop of best-first search: UCS, greedy, A* and weighted A* are one kernel, with the priority as data."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled import BUFFERS
from algorithms.engine.nodes import (
    FIELD_WORDS,
    PREVIOUS,
    G,
    H,
    copy_state,
    enter,
    find_slot,
    first_slot,
    hash_state,
    node_in,
    set_path,
)
from algorithms.engine.open_list import CLOSED, DEAD_END, PENDING, PRUNED, QUEUE, pop, push, remove
from algorithms.engine.search import Status
from heuristics.interface import UNREACHABLE
from heuristics.stack import PARAMS, TERMS, evaluate, unpack_terms
from worlds.kernel import EXPAND, IS_GOAL, borrowed, cost_error, helper, kernel, list_of, prefetch


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {PARAMS}, int64[::1], int64[::1],"
    f"uint64[::1], int32[::1], int32[::1], {QUEUE}, {BUFFERS}, int64[::1], float64[::1], int64)"
)
def best_first_step(
    expand_list, is_goal_list, term_list, params, world, action_lengths,
    states, fields, table, queue, buffers, control, weights, budget,
):  # fmt: skip
    """Run at most `budget` expansions; returns a `Status`, or what a kernel returned on an error."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    out, out_cost, out_action, out_h, scratch, pending = borrowed(buffers)
    queue, params = borrowed(queue), borrowed(params)
    states, fields, table, control, weights, world, action_lengths = borrowed(
        (states, fields, table, control, weights, world, action_lengths)
    )
    words, successors, mask = control[c.WORDS], control[c.MAX_SUCCESSORS], control[c.INDEX_MASK]
    count, maximum = control[c.TERM_COUNT], control[c.MAXIMUM] != 0
    stride = words + FIELD_WORDS
    width = 2 * stride
    hashes = words * successors  # where those of the successors are, behind their states
    capacity = states.size // stride
    reopen = control[c.REOPEN] != 0
    incumbent_cost, incumbent_on_f = control[c.INCUMBENT_COST], control[c.INCUMBENT_ON_F]
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        pushed, waiting = control[c.PUSHED], control[c.PENDING]
        while pushed < waiting and push(control, weights, np.int64(pending[pushed]), fields, width, queue):
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

        # Known states may have become cheaper; new ones move to the front of `out`, to be evaluated in one call.
        first = control[c.NODES]
        new = 0
        waiting = 0
        g = np.int64(fields[record + G])
        for k in range(n):  # look all of them up at once: what has to come from far away comes together
            hashed = hash_state(out, k * words, words)
            out[hashes + k] = hashed
            prefetch(table, first_slot(table, hashed))
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            simulated += action_lengths[out_action[k]]
            hashed = out[hashes + k]
            slot = find_slot(table, states, words, mask, out, k * words, hashed)
            known = node_in(table, slot, mask)
            if known < 0:
                known = first + new
                enter(table, slot, mask, known, hashed)
                copy_state(out, k * words, states, known * stride + FIELD_WORDS, words)
                copy_state(out, k * words, out, new * words, words)
                out_action[new] = out_action[k]
                set_path(fields, known * width, node, record, cost, out_action[new])
                new += 1
            else:
                link = np.int64(fields[known * width + PREVIOUS])
                if cost >= fields[known * width + G] or link == DEAD_END:
                    continue
                if link == CLOSED:
                    if not reopen:
                        continue
                    control[c.REOPENED] += 1
                elif link == PENDING:  # reached twice by this very expansion: to be pushed last
                    waiting = take_out(pending, waiting, known)
                elif link != PRUNED:
                    remove(known, fields, width, queue)
                set_path(fields, known * width, node, record, cost, out_action[k])
            fields[known * width + PREVIOUS] = PENDING
            pending[waiting] = known
            waiting += 1

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
        control[c.NODES] += new
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
        control[c.PENDING] = keep_promising(pending, waiting, fields, width, incumbent_cost, incumbent_on_f)
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status


@helper
def keep_promising(pending, waiting, fields, width, incumbent_cost, incumbent_on_f):
    """Leave out dead ends and what costs too much from the first entries of `pending`; returns how many are left."""
    kept = 0
    for k in range(waiting):
        record = np.int64(pending[k]) * width
        h = np.int64(fields[record + H])
        if h >= UNREACHABLE:
            fields[record + PREVIOUS] = DEAD_END
        elif fields[record + G] + h * incumbent_on_f >= incumbent_cost:
            fields[record + PREVIOUS] = PRUNED
        else:
            pending[kept] = pending[k]
            kept += 1
    return kept


@helper
def take_out(pending, waiting, node):
    """Remove a node from the first `waiting` entries of `pending`, keeping the order; returns how many are left."""
    kept = 0
    for i in range(waiting):
        if pending[i] != node:
            pending[kept] = pending[i]
            kept += 1
    return kept
