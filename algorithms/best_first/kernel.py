"""The kernel of searches that expand open nodes: each family has its own open list.

`best_first_kernel` compiles it together with the functions of an open list, and in worlds that number their states with
those of the world and the heuristic (`algorithms.engine.inlined`). So families share how a node is expanded, and the
compiler still sees straight code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.best_first.batches import MOVED, finish_batch
from algorithms.engine import (
    ALWAYS,
    BUFFERS,
    DEAD_END,
    FIELD_WORDS,
    HEURISTIC,
    INCONSISTENT,
    MOVE,
    NEXT,
    PARENT,
    PENDING,
    PREVIOUS,
    PRUNED,
    QUEUE,
    STORE,
    WORLD,
    G,
    H,
    Inlined,
    StepStatus,
    add_pending,
    child_depth,
    evaluator,
    expander,
    first_f,
    goal_test,
    lookup,
    move_forward,
    prune_pending,
    relax,
    set_path,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from heuristics.interface import INFINITE_H, TERMS
from worlds.compile import ADDRESS, Kernel, as_index, helper, named

EMPTY, FINISHED = -1, -2
"""Values of `pop` without a node: the open list is empty; the incumbent is the solution."""


def stack_evaluator(inlined: Inlined | None = None) -> Callable[..., Any]:
    """Return the helper that writes h of `n` children of the node `parent`: the nodes from `first` on.

    Its other arguments are those of `heuristics.interface.stack.evaluate`.
    """
    evaluate = evaluator(inlined)

    def evaluate_nodes(
        terms, terms_count, maximum, params, states, parent, parent_at, parent_h,
        out, out_at, action, h, scratch, slot, first, n, more,
    ):  # fmt: skip
        return evaluate(
            terms, terms_count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n
        )

    return helper(named(evaluate_nodes, "evaluate_nodes", evaluate))


def best_first_kernel(
    name: str,
    more: str,
    push: Callable[..., Any],
    pop: Callable[..., Any],
    *,
    inlined: Inlined | None = None,
    evaluate_nodes: Callable[..., Any] | None = None,
    improves: bool = False,
    defers: bool = False,
    batches: bool = False,
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
    inlined : Inlined, optional
        Kernels of a world that numbers its states, and of a heuristic, to compile into this one.
    evaluate_nodes : helper, optional
        Like that of `stack_evaluator`, which is the default. It may store further values of the nodes.
    improves : bool
        Whether the search goes on with a goal as incumbent, until `pop` returns FINISHED. It reopens closed
        nodes, and prunes nothing.
    defers : bool
        Whether `control.IS_LAZY` has an effect: successors are pushed with the h of their parent, and evaluated when
        they are popped. Until then, `H` is -1 - h of the parent.
    batches : bool
        Whether several nodes are expanded before their successors are evaluated (`algorithms.best_first.batches`).
    """
    words_known = 0 if inlined is None else inlined.words
    prepare, find_or_insert, *_ = lookup(inlined)
    expand_of, test_goal = expander(inlined), goal_test(inlined)
    evaluates_at_once = inlined is not None  # each successor where it is found; others wait for one call for all
    evaluate_new = stack_evaluator(inlined) if evaluate_nodes is None else evaluate_nodes

    def step(expand, is_goal, terms, heuristic, world_arrays, store, queue, more, buffers, control, budget):
        params, terms_count, maximum = heuristic
        states, fields, table = store
        constants, action_lengths = world_arrays
        out, out_cost, out_action, out_h, scratch, pending = buffers
        words = words_known if words_known else as_index(control[c.WORDS])
        successors = as_index(control[c.MAX_SUCCESSORS])
        mask = as_index(control[c.INDEX_MASK])
        keys = words * as_index(pending.size)  # behind the states in `out`
        stride = words + FIELD_WORDS
        width, capacity = 2 * stride, states.size // stride
        reopen, incumbent_cost = control[b.REOPEN], control[q.INCUMBENT_COST]
        prune_by_f = control[b.PRUNE_BY_F]
        if improves:  # what the compiler knows makes it 10 % faster
            reopen, incumbent_cost, prune_by_f = ALWAYS, c.NO_INCUMBENT, 0
        held_at = successors if batches else 0  # place in `out` of the new states
        f_limit = np.inf if incumbent_cost == c.NO_INCUMBENT else np.float64(incumbent_cost)  # of batches
        last = control[c.EXPANDED] + budget
        status = StepStatus.RUNNING.value
        while status == StepStatus.RUNNING.value:
            if batches and control[b.BATCH_EXPANDED] == control[b.BATCH]:
                status = finish_batch(terms, heuristic, fields, width, buffers, words, held_at, control)
                if status < 0:
                    break
            pushed, to_push = control[b.PUSHED], control[b.TO_PUSH]
            while pushed < to_push and push(control, as_index(pending[pushed]), fields, width, queue, more):
                pushed += 1
            control[b.PUSHED] = pushed
            if pushed < to_push:
                status = StepStatus.OUT_OF_MEMORY.value
            if status == StepStatus.OUT_OF_MEMORY.value or control[c.EXPANDED] >= last:
                break
            if batches and first_f(control, fields, width, queue) >= f_limit:
                if control[b.BATCH_EXPANDED] == 0:
                    status = StepStatus.EXHAUSTED.value
                    break
                control[b.BATCH_EXPANDED] = control[b.BATCH]  # no node is open that could complete it
                continue
            if control[c.NODES] + successors > capacity:
                status = StepStatus.OUT_OF_MEMORY.value
                break
            if batches and held_at + control[b.HELD] + successors > pending.size:
                status = StepStatus.OUT_OF_MEMORY.value
                break
            node = pop(control, fields, width, queue, more)
            if node < 0:
                status = StepStatus.EXHAUSTED.value if node == EMPTY else StepStatus.SOLVED.value
                break
            node = as_index(node)
            record, at = node * width, node * stride + FIELD_WORDS
            if test_goal(is_goal, constants, states, at):
                if improves:
                    g = np.int64(fields[record + G])
                    if g < control[q.INCUMBENT_COST]:
                        control[c.GOAL], control[q.INCUMBENT_COST] = node, g
                    continue
                control[c.GOAL] = node
                status = StepStatus.SOLVED.value
                break
            if defers and fields[record + H] < 0:
                parent = as_index(fields[record + PARENT])
                out_action[0] = np.int16(fields[record + MOVE] & 0xFFFF)
                failure = evaluate_new(
                    terms, terms_count, maximum, params, states, parent, parent * stride + FIELD_WORDS,
                    np.int64(fields[parent * width + H]), states, at, out_action, out_h, scratch, 0, node, 1, more,
                )  # fmt: skip
                if failure < 0:
                    status = failure
                    break
                control[c.EVALUATED] += terms_count > 0
                fields[record + H] = out_h[0]
                if out_h[0] == INFINITE_H:
                    fields[record + PREVIOUS] = DEAD_END
                    continue
            g, parent_h = np.int64(fields[record + G]), np.int64(fields[record + H])
            n = expand_of(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
            if n < 0:
                status = n
                break
            prepare(constants, out, n, words, keys, table)
            depth = child_depth(fields, record)
            new = as_index(control[b.BATCH_NEW]) if batches else 0
            waiting = control[b.HELD] if batches else 0
            first = as_index(control[c.NODES] - new)
            for k in range(n):
                cost = g + out_cost[k]
                child = find_or_insert(table, states, words, mask, out, k * words, out[keys + k], first + new)
                if child == first + new:
                    if evaluates_at_once:
                        failure = evaluate_new(
                            terms, terms_count, maximum, params, states, node, at, parent_h,
                            out, k * words, out_action, out_h, scratch, k, child, 1, more,
                        )  # fmt: skip
                        if failure < 0:
                            status = failure
                            break
                        fields[child * width + H] = out_h[k]
                    else:
                        move_forward(out, out_action, k, held_at + new, words)
                    if batches:  # a lower bound until it is evaluated
                        fields[child * width + H] = max(0, parent_h - out_cost[k])
                    new += 1
                elif batches and fields[child * width + PREVIOUS] == PENDING:
                    if cost >= fields[child * width + G]:
                        continue
                    pending[as_index(fields[child * width + NEXT])] = MOVED
                else:
                    after = relax(control, child, cost, reopen, pending, waiting, fields, width, queue)
                    if after == INCONSISTENT:
                        set_path(fields, child * width, node, depth, cost, out_action[k])
                    if after < 0:
                        continue
                    waiting = after
                set_path(fields, child * width, node, depth, cost, out_action[k])
                if evaluates_at_once:
                    h = np.int64(fields[child * width + H])
                    if h == INFINITE_H:
                        fields[child * width + PREVIOUS] = DEAD_END
                        continue
                    if cost + h * prune_by_f >= incumbent_cost:
                        fields[child * width + PREVIOUS] = PRUNED
                        continue
                    if waiting == 0 and push(control, child, fields, width, queue, more):
                        continue
                if batches:
                    fields[child * width + NEXT] = waiting
                waiting = add_pending(pending, waiting, child, fields, width)
            if evaluates_at_once:
                if terms_count > 0:
                    control[c.EVALUATED] += new
                control[c.NODES] += new
                control[b.TO_PUSH] = waiting
                control[b.PUSHED] = 0
                continue
            if batches:
                control[c.NODES] = first + new
                control[b.BATCH_NEW], control[b.HELD] = new, waiting
                control[b.BATCH_EXPANDED] += 1
                continue
            if defers and control[b.IS_LAZY] != 0:
                for k in range(waiting):
                    child = as_index(pending[k])
                    if child >= first or fields[child * width + H] < 0:
                        fields[child * width + H] = -1 - fields[record + H]
            else:
                if terms_count > 0:
                    control[c.EVALUATED] += new
                failure = evaluate_new(
                    terms, terms_count, maximum, params, states, node, at, parent_h,
                    out, 0, out_action, out_h, scratch, 0, first, new, more,
                )  # fmt: skip
                if failure < 0:
                    status = failure
                    break
                for k in range(new):
                    fields[(first + k) * width + H] = out_h[k]
            control[c.NODES] += new
            control[b.TO_PUSH] = prune_pending(pending, waiting, fields, width, incumbent_cost, prune_by_f)
            control[b.PUSHED] = 0
        return status

    signature = (
        f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {more},"
        f"{BUFFERS}, int64[::1], int64)"
    )
    parts = push, pop, evaluate_new, expand_of, test_goal, prepare, words_known, improves, defers, batches
    return Kernel(named(step, name, *parts), signature)
