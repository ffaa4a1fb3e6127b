"""Kernels of best-first search in worlds that number their states (`worlds.numbering`), with a heap of nodes.

There is one kernel for each world and heuristic, compiled together with their functions. It expands the same nodes in
the same order as `algorithms.best_first`, three to seven times as fast; tests compare the two. Three things
make it fast: the compiler removes calls, loops over words and checks; each successor is stored, evaluated and pushed at
once; and the records of all successors are prefetched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.nodes import FIELD_WORDS, PREVIOUS, STORE, G, H, child_depth, copy_state, set_path
from algorithms.engine.numbered_nodes import CLOSED, DEAD_END, OPEN, PRUNED
from algorithms.engine.open_list import FIFO, PARTS, QUEUE, WEIGHT_G, WEIGHT_H, pop_entry, push_entry, tie_of
from algorithms.engine.search import Status
from heuristics.interface import INFINITE_H
from heuristics.stack import stored_h
from worlds.compile.errors import NEGATIVE_H
from worlds.compile.kernel import Kernel, as_index, cost_error, helper
from worlds.compile.operations import bits_of, borrowed, prefetch

SIGNATURE = f"int64({HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {BUFFERS}, int64[::1], int64)"


@cache
def numbered_step(expand: Kernel, is_goal: Kernel, number: Kernel, term: Kernel | None, words: int) -> Kernel:
    """Return the kernel that runs at most `budget` expansions. It returns a `Status`, or a negative number on an error.

    Parameters
    ----------
    expand, is_goal, number : Kernel
        Kernels of the world.
    term : Kernel or None
        The only term of the stack; None for h = 0.
    words : int
        Number of words of a state.
    """
    kernels = (expand, is_goal, number, *(() if term is None else (term,)))
    identity = repr([words, *(kernel.identity for kernel in kernels)])
    name = f"{'no_term' if term is None else term.__name__}.{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
    expand_state, is_goal_state, number_of = expand.inlined, is_goal.inlined, number.inlined
    value_of = _value(term, words, name)
    stride = words + FIELD_WORDS
    width = 2 * stride

    def step(heuristic, world_arrays, store, queue, buffers, control, budget):
        params, count, _ = heuristic
        params = borrowed(params)
        states, fields, _ = borrowed(store)
        world, action_lengths = borrowed(world_arrays)
        queue, buffers, control = borrowed(queue), borrowed(buffers), borrowed(control)
        _, _, entries, weights = queue
        out, out_cost, out_action, out_h, numbers, _ = buffers
        stamp = control[c.STAMP]
        is_open, closed, dead_end, pruned = stamp - OPEN, stamp - CLOSED, stamp - DEAD_END, stamp - PRUNED
        weight_g, weight_h, is_fifo = weights[WEIGHT_G], weights[WEIGHT_H], control[c.TIES] == FIFO
        successors, capacity = control[c.MAX_SUCCESSORS], control[c.CAPACITY]
        reopen = control[c.REOPEN] != 0
        incumbent_cost, prune_by_f = control[c.INCUMBENT_COST], control[c.PRUNE_BY_F]
        expanded = generated = simulated = new = 0
        nodes = control[c.NODES]
        if control[c.PENDING] != 0 and control[c.HEAP_SIZE] == 0:  # the root
            root, h = as_index(number_of(world, out, 0)), out_h[0]
            record = root * width
            copy_state(out, 0, states, root * stride + FIELD_WORDS, words)
            fields[record + H] = h
            set_path(fields, record, root, 0, 0, 0)
            f_bits = np.int64(bits_of(weight_h * h))
            push_entry(control, root, f_bits, tie_of(control, h), is_fifo, record, fields, entries, is_open)
        status = Status.RUNNING.value
        while expanded < budget:
            control[c.PENDING] = (control[c.HEAP_SIZE] + successors) * PARTS > entries.size  # what `grow` must enlarge
            if control[c.PENDING] != 0 or nodes + new + successors > capacity:
                status = Status.OUT_OF_MEMORY.value
                break
            node = pop_entry(control, fields, width, entries, is_open, closed)
            if node < 0:
                status = Status.EXHAUSTED.value
                break
            node = as_index(node)
            record, at = node * width, node * stride + FIELD_WORDS
            if is_goal_state(world, states, at):
                control[c.GOAL] = node
                status = Status.SOLVED.value
                break
            n = expand_state(world, states, at, out, 0, out_cost, out_action, 0)
            if n < 0:
                status = n
                break
            expanded += 1
            generated += n
            control[c.EXPANDED_NODE] = node
            for k in range(n):
                numbers[k] = number_of(world, out, k * words)
                prefetch(states, numbers[k] * stride)
            g, parent_h = np.int64(fields[record + G]), np.int64(fields[record + H])
            depth = child_depth(fields, record)
            for k in range(n):
                cost = g + out_cost[k]
                wrong = cost_error(out_cost[k], cost)
                if wrong < 0:
                    status = wrong
                    break
                simulated += action_lengths[out_action[k]]
                child = as_index(numbers[k])
                child_record = child * width
                link = np.int64(fields[child_record + PREVIOUS])
                if link >= stamp:
                    copy_state(out, k * words, states, child * stride + FIELD_WORDS, words)
                    h = value_of(params[0], states, at, parent_h, out, out_action, out_h, k)
                    if h < 0:
                        status = h
                        break
                    new += 1
                    fields[child_record + H] = h
                elif cost >= fields[child_record + G] or link == dead_end or (link == closed and not reopen):
                    continue
                else:
                    h = np.int64(fields[child_record + H])
                    control[c.REOPENED] += link == closed
                set_path(fields, child_record, node, depth, cost, out_action[k])
                if h == INFINITE_H:
                    fields[child_record + PREVIOUS] = dead_end
                elif cost + h * prune_by_f >= incumbent_cost:
                    fields[child_record + PREVIOUS] = pruned
                else:
                    f_bits, tie = np.int64(bits_of(weight_g * cost + weight_h * h)), tie_of(control, h)
                    push_entry(control, child, f_bits, tie, is_fifo, child_record, fields, entries, is_open)
            if status < 0:
                break
        control[c.NODES] = nodes + new
        if count > 0:
            control[c.EVALUATED] += new
        control[c.EXPANDED] += expanded
        control[c.GENERATED] += generated
        control[c.SIMULATED] += simulated
        return status

    step.__qualname__ = f"numbered_step.{name}"  # see `Kernel`
    return Kernel(step, SIGNATURE)


def _value(term: Kernel | None, words: int, name: str) -> Callable[..., Any]:
    """Return the helper that evaluates one successor. It returns h, or the code of an error."""
    if term is None:

        def value(params, states, at, parent_h, out, action, out_h, k):
            return 0

    else:
        estimate = term.inlined

        def value(params, states, at, parent_h, out, action, out_h, k):
            out_h[k] = 0
            status = estimate(params, states, at, parent_h, out, k * words, action, out_h, k, 1)
            if status < 0:
                return status
            return stored_h(out_h[k]) if out_h[k] >= 0 else NEGATIVE_H

    value.__qualname__ = f"value.{name}"
    return helper(value)
