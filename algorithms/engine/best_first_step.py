"""The inner loop of best-first search: UCS, greedy, A* and weighted A* are one kernel, with the priority as data."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import find_slot
from algorithms.engine.open_list import CLOSED, DEAD, IN_HAND, pop, push, remove
from algorithms.engine.search import Status
from heuristics.interface import DEAD_END
from heuristics.stack import PARAMS, TERMS, evaluate, unpack_terms
from worlds.kernel import EXPAND, IS_GOAL, NEGATIVE_COST, helper, kernel, list_of


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {PARAMS}, int64[::1], int64[::1],"
    "uint64[::1], int32[::1], int32[::1], int32[::1], int16[::1], int32[::1], int32[::1], int32[::1],"
    "int32[::1], int32[::1], int32[::1], float64[::1], int32[::1], int32[::1], int32[::1],"
    "uint64[::1], int32[::1], int16[::1], int32[::1], int32[::1], int32[::1], int64[::1], float64[::1], int64)"
)
def best_first_step(
    expand_list, is_goal_list, term_list, params, world, action_lengths,
    states, g, h, parent, action, next, previous, table,
    heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node,
    out, out_cost, out_action, out_h, scratch, pending, control, weights, budget,
):  # fmt: skip
    """Run at most `budget` expansions; returns a `Status`, or what a kernel returned on an error."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    successors, count, maximum = control[c.MAX_SUCCESSORS], control[c.TERM_COUNT], control[c.MAXIMUM] != 0
    words = out.size // successors
    reopen = control[c.REOPEN] != 0
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = np.int64(pending[control[c.PUSHED]])
            if not push(
                control, weights, node, g, h, next, previous, heads, row_low, row_count,
                heap_f, heap_tie, heap_stamp, heap_node,
            ):  # fmt: skip
                status = Status.OUT_OF_ROOM.value
                break
            control[c.PUSHED] += 1
        if status == Status.OUT_OF_ROOM.value or expanded >= budget:
            break
        if control[c.NODES] + successors > g.size:
            status = Status.OUT_OF_ROOM.value
            break
        node = pop(control, next, previous, heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node)
        if node < 0:
            status = Status.EXHAUSTED.value
            break
        at = node * words
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
        for k in range(n):
            if out_cost[k] < 0:
                status = NEGATIVE_COST
                break
            simulated += action_lengths[out_action[k]]
            cost = g[node] + out_cost[k]
            slot = find_slot(table, states, out, k * words, words)
            known = np.int64(table[slot])
            if known < 0:
                known = first + new
                table[slot] = known
                for i in range(words):
                    states[known * words + i] = out[k * words + i]
                    out[new * words + i] = out[k * words + i]
                out_action[new] = out_action[k]
                g[known] = cost
                parent[known] = node
                action[known] = out_action[k]
                new += 1
            else:
                if cost >= g[known] or previous[known] == DEAD:
                    continue
                if previous[known] == CLOSED:
                    if not reopen:
                        continue
                    control[c.REOPENED] += 1
                elif previous[known] == IN_HAND:  # reached twice by this very expansion: to be pushed last
                    waiting = take_out(pending, waiting, known)
                else:
                    remove(control, known, g, h, next, previous, heads, row_count)
                g[known] = cost
                parent[known] = node
                action[known] = out_action[k]
            previous[known] = IN_HAND
            pending[waiting] = known
            waiting += 1

        if status < 0:
            break
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            terms, count, maximum, params,
            states, at, h[node], out, 0, out_action, out_h, scratch, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[c.NODES] += new
        for k in range(new):
            h[first + k] = out_h[k]
        alive = 0
        for k in range(waiting):
            known = np.int64(pending[k])
            if known >= first and h[known] >= DEAD_END:
                previous[known] = DEAD
            else:
                pending[alive] = known
                alive += 1
        control[c.PENDING] = alive
        control[c.PUSHED] = 0
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status


@helper
def take_out(pending, waiting, node):
    """Remove a node from the first `waiting` entries of `pending`, keeping the order; returns how many are left."""
    kept = 0
    for i in range(waiting):
        if pending[i] != node:
            pending[kept] = pending[i]
            kept += 1
    return kept
