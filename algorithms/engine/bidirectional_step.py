"""The inner loop of bidirectional search: best-first search from both ends with one open list.

A state is stored once per direction: the word after those of the state is 0 forward and 1 backward.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.best_first_step import keep_promising, take_out
from algorithms.engine.compiled import BUFFERS
from algorithms.engine.nodes import (
    FIELD_WORDS,
    PREVIOUS,
    G,
    H,
    copy_state,
    enter,
    find_slot,
    hash_state,
    node_in,
    set_path,
)
from algorithms.engine.open_list import CLOSED, DEAD_END, PENDING, QUEUE, is_open, pop, priority, push, remove
from algorithms.engine.search import Status
from heuristics.stack import PARAMS, TERMS, evaluate, unpack_terms
from worlds.kernel import EXPAND, borrowed, cost_error, helper, kernel, list_of


@kernel(
    f"int64({list_of(EXPAND)}, {TERMS}, {PARAMS}, {TERMS}, {PARAMS}, int64[::1], int64[::1], uint64[::1], int32[::1],"
    f"int32[::1], {QUEUE}, {BUFFERS}, uint64[::1], int64[::1], float64[::1], int64)"
)
def bidirectional_step(
    expand_list, forward_list, forward_params, backward_list, backward_params, world, action_lengths,
    states, fields, table, queue, buffers, child, control, weights, budget,
):  # fmt: skip
    """Run at most `budget` expansions; returns a `Status`, or what a kernel returned on an error."""
    expands = (expand_list[0], expand_list[1])
    forward_terms, backward_terms = unpack_terms(forward_list), unpack_terms(backward_list)
    forward_params, backward_params = borrowed(forward_params), borrowed(backward_params)
    out, out_cost, out_action, out_h, scratch, pending = borrowed(buffers)
    queue = borrowed(queue)
    states, fields, table, child, control, weights, world, action_lengths = borrowed(
        (states, fields, table, child, control, weights, world, action_lengths)
    )
    words, successors, mask = control[c.WORDS], control[c.MAX_SUCCESSORS], control[c.INDEX_MASK]
    maximum = control[c.MAXIMUM] != 0
    stride = words + 1 + FIELD_WORDS
    width = 2 * stride
    capacity = states.size // stride
    expanded = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = np.int64(pending[control[c.PUSHED]])
            if not push(control, weights, node, fields, width, queue):
                status = Status.OUT_OF_MEMORY.value
                break
            control[c.OPEN_FORWARD + direction_of(states, node, stride, words)] += 1
            control[c.PUSHED] += 1
        if status == Status.OUT_OF_MEMORY.value or expanded >= budget:
            break
        if control[c.NODES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        if control[c.OPEN_FORWARD] == 0 or control[c.OPEN_BACKWARD] == 0:
            status = Status.EXHAUSTED.value if control[c.BEST] == c.NO_INCUMBENT else Status.SOLVED.value
            break
        node = pop(control, fields, width, queue)
        record, at = node * width, node * stride + FIELD_WORDS
        if priority(control, weights, fields, record) >= control[c.BEST]:
            status = Status.SOLVED.value
            break
        direction = direction_of(states, node, stride, words)
        control[c.OPEN_FORWARD + direction] -= 1
        n = expands[direction](world, states, at, out, 0, out_cost, out_action, 0)
        if n < 0:
            status = n
            break
        expanded += 1
        control[c.GENERATED] += n

        first = control[c.NODES]
        new = 0
        waiting = 0
        g = np.int64(fields[record + G])
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            code = np.int64(out_action[k])
            control[c.SIMULATED] += action_lengths[code] if 0 <= code < action_lengths.size else 1
            copy_state(out, k * words, child, 0, words)
            child[words] = np.uint64(direction)
            hashed = hash_state(child, 0, words + 1)
            slot = find_slot(table, states, words + 1, mask, child, 0, hashed)
            known = node_in(table, slot, mask)
            if known < 0:
                known = first + new
                enter(table, slot, mask, known, hashed)
                copy_state(child, 0, states, known * stride + FIELD_WORDS, words + 1)
                copy_state(child, 0, out, new * words, words)
                out_action[new] = out_action[k]
                new += 1
            else:
                link = np.int64(fields[known * width + PREVIOUS])
                if cost >= fields[known * width + G] or link == DEAD_END:
                    continue
                if link == CLOSED:
                    control[c.REOPENED] += 1
                elif link == PENDING:  # reached twice by this very expansion: to be pushed last
                    waiting = take_out(pending, waiting, known)
                elif is_open(link):
                    remove(known, fields, width, queue)
                    control[c.OPEN_FORWARD + direction] -= 1
            set_path(fields, known * width, node, record, cost, np.int16(code))
            fields[known * width + PREVIOUS] = PENDING
            pending[waiting] = known
            waiting += 1
            meet(control, states, fields, table, child, known, cost, direction, words, width)
        if status < 0:
            break
        count = control[c.BACKWARD_TERM_COUNT] if direction else control[c.TERM_COUNT]
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            backward_terms if direction else forward_terms, count, maximum,
            backward_params if direction else forward_params,
            states, at, np.int64(fields[record + H]), out, 0, out_action, out_h, scratch, 0, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[c.NODES] += new
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
        control[c.PENDING] = keep_promising(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    return status


@helper
def direction_of(states, node, stride, words):
    """0 for a node of the forward search, 1 backward."""
    return np.int64(states[node * stride + FIELD_WORDS + words])


@helper
def meet(control, states, fields, table, child, node, cost, direction, words, width):
    """Note the solution through a state that the other direction has reached too, if it is the best so far."""
    child[words] = np.uint64(1 - direction)
    mask = control[c.INDEX_MASK]
    slot = find_slot(table, states, words + 1, mask, child, 0, hash_state(child, 0, words + 1))
    other = node_in(table, slot, mask)
    if other >= 0 and cost + fields[other * width + G] < control[c.BEST]:
        control[c.BEST] = cost + fields[other * width + G]
        control[c.MEETING_FORWARD] = other if direction else node
        control[c.MEETING_BACKWARD] = node if direction else other
