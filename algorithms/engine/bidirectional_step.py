"""Kernel of bidirectional search: best-first search from both ends with one node store and one open list.

A state is stored once per direction: the word after those of the state is 0 forward and 1 backward.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.hashing import hash_state
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.nodes import (
    FIELD_WORDS,
    PREVIOUS,
    STORE,
    G,
    H,
    child_depth,
    copy_state,
    find_node,
    find_or_insert,
    set_path,
)
from algorithms.engine.open_list import QUEUE, is_open, pop, priority, push
from algorithms.engine.search import Status
from algorithms.engine.successors import add_pending, move_forward, prune_pending, relax
from heuristics.stack import TERMS, evaluate, unpack_terms
from worlds.compile.kernel import EXPAND, as_index, cost_error, helper, kernel, list_of
from worlds.compile.operations import borrowed


@kernel(
    f"int64({list_of(EXPAND)}, {TERMS}, {TERMS}, UniTuple({HEURISTIC}, 2), {WORLD}, {STORE}, {QUEUE}, {BUFFERS},"
    "int64[::1], int64)"
)
def bidirectional_step(
    expand_list, forward_list, backward_list, heuristics, world_arrays, store, queue, buffers, control, budget
):
    """Run at most `budget` expansions; return a `Status`, or a negative number on an error.

    `out` has room for one state more than there are successors: there a successor gets the word of its direction.
    """
    expands = (expand_list[0], expand_list[1])
    forward_terms, backward_terms = unpack_terms(forward_list), unpack_terms(backward_list)
    (forward_params, forward_count, maximum), (backward_params, backward_count, _) = heuristics
    forward_params, backward_params = borrowed(forward_params), borrowed(backward_params)
    states, fields, table = borrowed(store)
    world, action_lengths = borrowed(world_arrays)
    queue, buffers, control = borrowed(queue), borrowed(buffers), borrowed(control)
    out, out_cost, out_action, out_h, scratch, pending = buffers
    weights = queue[3]
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    child_at = words * successors
    stride = words + 1 + FIELD_WORDS
    width = 2 * stride
    capacity = states.size // stride
    expanded = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = as_index(pending[control[c.PUSHED]])
            if not push(control, node, fields, width, queue):
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
            status = Status.EXHAUSTED.value if control[c.BEST_COST] == c.NO_INCUMBENT else Status.SOLVED.value
            break
        node = as_index(pop(control, fields, width, queue))  # there is one
        record, at = node * width, node * stride + FIELD_WORDS
        if priority(control, weights, fields, record) >= control[c.BEST_COST]:
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
        control[c.EXPANDED_NODE] = node

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
            action = np.int64(out_action[k])
            control[c.SIMULATED] += action_lengths[action] if 0 <= action < action_lengths.size else 1
            copy_state(out, k * words, out, child_at, words)
            out[child_at + words] = np.uint64(direction)
            hashed = hash_state(out, child_at, words + 1)
            child = find_or_insert(table, states, words + 1, mask, out, child_at, hashed, first + new)
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            else:
                was_open = is_open(np.int64(fields[child * width + PREVIOUS]))
                after = relax(control, child, cost, True, pending, waiting, fields, width, queue)
                if after < 0:
                    continue
                waiting = after
                if was_open:
                    control[c.OPEN_FORWARD + direction] -= 1
            set_path(fields, child * width, node, depth, cost, action)
            waiting = add_pending(pending, waiting, child, fields, width)
            meet(control, states, fields, table, out, child_at, child, cost, direction, words, width)
        if status < 0:
            break
        failure = evaluate_new(
            control, backward_terms if direction else forward_terms, backward_count if direction else forward_count,
            maximum, backward_params if direction else forward_params,
            states, at, np.int64(fields[record + H]), out, out_action, out_h, scratch, fields, width, first, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[c.NODES] += new
        control[c.PENDING] = prune_pending(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    return status


@helper
def evaluate_new(
    control, terms, count, maximum, params, states, parent_at, parent_h, out, out_action, out_h, scratch,
    fields, width, first, new,
):  # fmt: skip
    """Evaluate the `new` states at the front of `out`, and store their h in the nodes from `first` on.

    Returns 0, or a negative number on an error.
    """
    if count > 0:
        control[c.EVALUATED] += new
    status = evaluate(
        terms, count, maximum, params, states, parent_at, parent_h, out, 0, out_action, out_h, scratch, 0, new
    )
    if status < 0:
        return status
    for k in range(new):
        fields[(first + k) * width + H] = out_h[k]
    return 0


@helper
def direction_of(states, node, stride, words):
    """Return 0 for a node of the forward search, 1 for one of the backward search."""
    return np.int64(states[node * stride + FIELD_WORDS + words])


@helper
def meet(control, states, fields, table, out, child_at, node, cost, direction, words, width):
    """If the other direction has reached the state at `child_at` too, and this is the best solution, record it."""
    out[child_at + words] = np.uint64(1 - direction)
    hashed = hash_state(out, child_at, words + 1)
    other = find_node(table, states, words + 1, control[c.INDEX_MASK], out, child_at, hashed)
    if other >= 0 and cost + fields[other * width + G] < control[c.BEST_COST]:
        control[c.BEST_COST] = cost + fields[other * width + G]
        control[c.MEETING_FORWARD] = other if direction else node
        control[c.MEETING_BACKWARD] = node if direction else other
