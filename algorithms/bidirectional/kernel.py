"""The kernel of searches from both ends, with one node store and one to four open lists.

A state is stored once per direction (`algorithms.bidirectional.twins`). A `Rule` is compiled into the kernel.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from algorithms.bidirectional import control_entries as e
from algorithms.bidirectional.clusters import CLUSTERS, add_to_cluster, is_cluster_full
from algorithms.bidirectional.selection import FINISHED, MOVED, READY, UNREACHABLE_BOUND, WAITING, Rule, half_of_sum
from algorithms.bidirectional.twins import add_twin, direction_of, meet, node_of_direction, note_of, set_note, twin_of
from algorithms.engine import (
    ALWAYS,
    BUFFERS,
    CLOSED,
    DEAD_END,
    FIELD_WORDS,
    HEURISTIC,
    NEVER,
    NEXT,
    PREVIOUS,
    QUEUE,
    STORE,
    WORLD,
    G,
    H,
    Inlined,
    StepStatus,
    add_pending,
    child_depth,
    copy_state,
    evaluator,
    expander,
    is_open,
    lookup,
    move_forward,
    pop,
    prune_pending,
    push,
    relax,
    set_path,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from heuristics.interface import INFINITE_H, TERMS
from worlds.compile import ADDRESSES, Kernel, as_index, helper, named


@cache
def bidirectional_step(rule: Rule, forward: Inlined | None, backward: Inlined | None) -> Kernel:
    """Return the kernel that runs up to `budget` expansions and returns a `StepStatus`, or a negative number: an error.

    Parameters
    ----------
    rule : Rule
        Rule that orders the open nodes and selects the next one.
    forward, backward : Inlined or None
        Kernels of a world that numbers its states, and of a heuristic, to compile into this one.
    """
    words_known = 0 if forward is None else forward.words
    prepare, _, slot_of, node_in, insert = lookup(forward)
    expand_forward, expand_backward = expander(forward), expander(backward)
    evaluate_forward, evaluate_backward = evaluator(forward), evaluator(backward)
    push_to, pop_from = _ACCESS[len(rule.weights)]
    list_of_node, select = rule.list_of, rule.select
    differs, waits, counts_ready, starts_forward = rule.differs, rule.waits, rule.clusters, rule.starts_forward
    at_once = forward is not None and not differs
    lists, reopen, sides = len(rule.weights), NEVER if rule.differs else ALWAYS, 2 if rule.differs else 1

    def open_node(control, controls, node, fields, width, queues, clusters):
        """Insert a node into its open list. If an array is full, note which one, return False and change nothing."""
        record = node * width
        number, direction = list_of_node(fields, record, width), direction_of(fields, record, width)
        if counts_ready and number & 1 and is_cluster_full(control, clusters, direction):
            control[e.FULL_QUEUE] = lists
            return False
        if not push_to(number, controls, node, fields, width, queues):
            control[e.FULL_QUEUE] = number
            return False
        if counts_ready and number & 1:
            add_to_cluster(control, clusters, direction, np.int64(fields[record + G]), 1)
        control[e.OPEN_FORWARD + direction] += 1
        return True

    open_node = helper(named(open_node, "open_node", list_of_node, push_to, counts_ready))

    def step(
        expands, forward_terms, backward_terms, heuristics, world_arrays, store, queues, controls, clusters, buffers,
        control, budget,
    ):  # fmt: skip
        (forward_params, forward_count, maximum), (backward_params, backward_count, _) = heuristics
        states, fields, table = store
        constants, action_lengths = world_arrays
        out, out_cost, out_action, out_h, scratch, pending = buffers
        words = words_known if words_known else as_index(control[c.WORDS])
        successors = as_index(control[c.MAX_SUCCESSORS])
        mask = as_index(control[c.INDEX_MASK])
        keys = words * successors  # behind the states in `out`
        stride = words + FIELD_WORDS + 1
        width, capacity = 2 * stride, states.size // stride
        smallest_step = control[q.MIN_STEP_COST]
        last_expansion = control[c.EXPANDED] + budget
        status = StepStatus.RUNNING.value
        while status == StepStatus.RUNNING.value:
            while control[b.PUSHED] < control[b.TO_PUSH]:
                node = as_index(pending[control[b.PUSHED]])
                if not open_node(control, controls, node, fields, width, queues, clusters):
                    status = StepStatus.OUT_OF_MEMORY.value
                    break
                control[b.PUSHED] += 1
            if status == StepStatus.OUT_OF_MEMORY.value or control[c.EXPANDED] >= last_expansion:
                break
            if control[c.NODES] + successors > capacity:
                status = StepStatus.OUT_OF_MEMORY.value
                break
            if control[e.OPEN_FORWARD] == 0 or control[e.OPEN_BACKWARD] == 0:
                is_solved = starts_forward and control[e.BEST_COST] != c.NO_INCUMBENT
                status = StepStatus.SOLVED.value if is_solved else StepStatus.EXHAUSTED.value
                break
            number = select(control, controls, queues, clusters, pending, fields, width)
            if number == MOVED:
                continue
            if number == FINISHED:
                status = StepStatus.SOLVED.value
                break
            node = as_index(pop_from(number, controls, fields, width, queues))  # there is one
            record, at = node * width, node * stride + FIELD_WORDS
            g, direction = np.int64(fields[record + G]), direction_of(fields, record, width)
            control[e.OPEN_FORWARD + direction] -= 1
            if counts_ready:
                add_to_cluster(control, clusters, direction, g, -1)
            if differs:
                fields[record + NEXT] = min(half_of_sum(controls, queues, fields, width), UNREACHABLE_BOUND)
            if control[e.DROPS_CLOSED] != 0:
                twin = twin_of(fields, record, width)
                if twin >= 0 and fields[as_index(twin) * width + PREVIOUS] == CLOSED:
                    if differs:
                        fields[record + NEXT] = UNREACHABLE_BOUND
                    control[e.HAS_PARTNER] = 0
                    continue
            control[e.NEXT_SIDE] = 1 - direction
            if direction == 0:
                n = expand_forward(
                    expands[0], control, node, constants, action_lengths, states, at, g, out, out_cost, out_action
                )
            else:
                n = expand_backward(
                    expands[1], control, node, constants, action_lengths, states, at, g, out, out_cost, out_action
                )
            if n < 0:
                status = n
                break
            prepare(constants, out, n, words, keys, table)
            first, depth = as_index(control[c.NODES]), child_depth(fields, record)
            parent_h = note_of(fields, record, width) if differs else np.int64(fields[record + H])
            new = 0
            waiting = 0
            for k in range(n):
                cost = g + out_cost[k]
                key = out[keys + k]
                slot = slot_of(table, states, words, stride, mask, out, k * words, key)
                other = node_in(table, slot, mask)
                child = other if other < 0 else node_of_direction(fields, as_index(other), direction, width)
                if child < 0:
                    child = first + new
                    if other < 0:
                        insert(table, slot, mask, child, key)
                    add_twin(fields, child, other, direction, width)
                    copy_state(out, k * words, states, child * stride + FIELD_WORDS, words)
                    if at_once:
                        if direction == 0:
                            failure = evaluate_forward(
                                forward_terms, forward_count, maximum, forward_params,
                                states, at, parent_h, out, k * words, out_action, out_h, scratch, k, 1,
                            )  # fmt: skip
                        else:
                            failure = evaluate_backward(
                                backward_terms, backward_count, maximum, backward_params,
                                states, at, parent_h, out, k * words, out_action, out_h, scratch, k, 1,
                            )  # fmt: skip
                        if failure < 0:
                            status = failure
                            break
                        fields[child * width + H] = out_h[k]
                    else:
                        move_forward(out, out_action, k, new, words)
                    new += 1
                else:
                    child = as_index(child)
                    old_g = np.int64(fields[child * width + G])
                    if cost >= old_g:  # most often: `relax` would find out, but needs the list
                        continue
                    was_open = is_open(np.int64(fields[child * width + PREVIOUS]))
                    queue = queues[list_of_node(fields, child * width, width)]
                    after = relax(control, child, cost, reopen, pending, waiting, fields, width, queue)
                    if after < 0:
                        continue
                    waiting = after
                    if was_open:
                        control[e.OPEN_FORWARD + direction] -= 1
                        if counts_ready and note_of(fields, child * width, width) == READY:
                            add_to_cluster(control, clusters, direction, old_g, -1)
                    if waits:
                        set_note(fields, child * width, width, direction, WAITING)
                set_path(fields, child * width, node, depth, cost, out_action[k])
                other = twin_of(fields, child * width, width)
                if other >= 0:
                    meet(control, fields, child, as_index(other), cost, direction, width)
                if at_once:
                    if fields[child * width + H] == INFINITE_H:
                        fields[child * width + PREVIOUS] = DEAD_END
                        continue
                    if waiting == 0 and open_node(control, controls, child, fields, width, queues, clusters):
                        continue
                waiting = add_pending(pending, waiting, child, fields, width)
            if at_once:
                if (forward_count if direction == 0 else backward_count) > 0:
                    control[c.EVALUATED] += new
                control[c.NODES] += new
                control[b.TO_PUSH] = waiting
                control[b.PUSHED] = 0
                continue
            for side in range(sides):  # h in the own direction, then in the other
                backward = direction != side
                if (backward_count if backward else forward_count) > 0:
                    control[c.EVALUATED] += new
                if backward:  # two calls, because a choice between tuples would copy them
                    failure = evaluate_backward(
                        backward_terms, backward_count, maximum, backward_params,
                        states, at, parent_h, out, 0, out_action, out_h, scratch, 0, new,
                    )  # fmt: skip
                else:
                    failure = evaluate_forward(
                        forward_terms, forward_count, maximum, forward_params,
                        states, at, parent_h, out, 0, out_action, out_h, scratch, 0, new,
                    )  # fmt: skip
                if failure < 0:
                    status = failure
                    break
                for k in range(new):
                    record = (first + k) * width
                    if side == 0:
                        fields[record + H] = out_h[k]
                    elif out_h[k] == INFINITE_H or fields[record + H] == INFINITE_H:
                        fields[record + H] = INFINITE_H
                    else:
                        h = np.int64(fields[record + H])
                        set_note(fields, record, width, direction, h)
                        if h < smallest_step:
                            twin = twin_of(fields, record, width)
                            if twin < 0 or fields[as_index(twin) * width + G] > 0:  # not the target
                                h = smallest_step
                        fields[record + H] = h - out_h[k]
                parent_h = np.int64(-1)  # actions of the other direction may have other codes
            if status < 0:
                break
            control[c.NODES] += new
            control[b.TO_PUSH] = prune_pending(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
            control[b.PUSHED] = 0
        return status

    signature = (
        f"int64({ADDRESSES}, {TERMS}, {TERMS}, UniTuple({HEURISTIC}, 2), {WORLD}, {STORE},"
        f"UniTuple({QUEUE}, {lists}), int64[:, ::1], {CLUSTERS}, {BUFFERS}, int64[::1], int64)"
    )
    parts = expand_forward, expand_backward, evaluate_forward, evaluate_backward, prepare, words_known
    function = named(step, rule.name, *parts)
    return Kernel(function, signature)


@helper
def push_to_1(number, controls, node, fields, width, queues):
    """Insert a node into the only open list. If it has no room, return False and change nothing."""
    return push(controls[0], node, fields, width, queues[0])


@helper
def push_to_2(number, controls, node, fields, width, queues):
    """Insert a node into one of two open lists."""
    if number == 0:
        return push(controls[0], node, fields, width, queues[0])
    return push(controls[1], node, fields, width, queues[1])


@helper
def push_to_4(number, controls, node, fields, width, queues):
    """Insert a node into one of four open lists."""
    if number == 0:
        return push(controls[0], node, fields, width, queues[0])
    if number == 1:
        return push(controls[1], node, fields, width, queues[1])
    if number == 2:
        return push(controls[2], node, fields, width, queues[2])
    return push(controls[3], node, fields, width, queues[3])


@helper
def pop_from_1(number, controls, fields, width, queues):
    """Remove the first node of the only open list, close it and return it; return -1 if there is none."""
    return pop(controls[0], fields, width, queues[0])


@helper
def pop_from_2(number, controls, fields, width, queues):
    """Remove the first node of one of two open lists."""
    if number == 0:
        return pop(controls[0], fields, width, queues[0])
    return pop(controls[1], fields, width, queues[1])


@helper
def pop_ready(number, controls, fields, width, queues):
    """Remove the first node of one of the two lists of ready nodes, among four."""
    if number == 1:
        return pop(controls[1], fields, width, queues[1])
    return pop(controls[3], fields, width, queues[3])


_ACCESS = {1: (push_to_1, pop_from_1), 2: (push_to_2, pop_from_2), 4: (push_to_4, pop_ready)}
"""By the number of open lists: helpers that push and pop. A list chosen by an index would be copied."""
