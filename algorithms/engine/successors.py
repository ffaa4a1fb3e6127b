"""Successors of a node: expanding it, hashing, relaxing known nodes, and the nodes to push.

`algorithms.engine.nodes.find_or_insert` looks a successor up and stores it if it is new. The helpers here are shared by
the kernels that do more. New states are moved to the front of `out`, so that one call evaluates them. Nodes to push
into the open list stand in `pending`; the kernel pushes them before its next expansion.

The kernels evaluate the new states themselves: in a helper this made best-first search 4 % and beam search 20 % slower.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.hashing import hash_state
from algorithms.engine.nodes import PREVIOUS, G, H, copy_state, first_slot
from algorithms.engine.open_list import CLOSED, DEAD_END, INCONSISTENT, PENDING, PRUNED, SETTLED, remove
from heuristics.interface import INFINITE_H
from worlds.compile import EXPAND, as_index, call, cost_error, helper, prefetch, successor_count

NEVER, ALWAYS, LATER = 0, 1, 2
"""When closed nodes return to the open list after a cheaper path is found: LATER notes that they are INCONSISTENT."""


@helper
def expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action):
    """Write the successors of a node, whose state is at offset `at`, and count the expansion, as `count_expansion`."""
    n = call(EXPAND, expand, constants, states, at, out, 0, out_cost, out_action, 0)
    return count_expansion(n, control, node, action_lengths, g, out_cost, out_action)


@helper
def count_expansion(n, control, node, action_lengths, g, out_cost, out_action):
    """Count an expansion, whose kernel returned `n`.

    Returns the number of successors, or a negative number on an error: also if they are too many, a cost is negative,
    or a path too long.
    """
    n = successor_count(n, control[c.MAX_SUCCESSORS])
    simulated = np.int64(0)
    for k in range(n):
        wrong = cost_error(out_cost[k], g + out_cost[k])
        if wrong < 0:
            return np.int64(wrong)
        action = np.int64(out_action[k])
        simulated += action_lengths[action] if 0 <= action < action_lengths.size else 1
    if n >= 0:
        control[c.EXPANDED] += 1
        control[c.GENERATED] += n
        control[c.SIMULATED] += simulated
        control[c.EXPANDED_NODE] = node
    return n


@helper
def hash_successors(out, n, words, hashes, table):
    """Write the hashes of `n` successors from index `hashes` of `out` on, and prefetch their slots of the table.

    Prefetching all of them at once overlaps the accesses to memory.
    """
    for k in range(n):
        hashed = hash_state(out, k * words, words)
        out[hashes + k] = hashed
        prefetch(table, first_slot(table, hashed))


@helper
def move_forward(out, out_action, k, new, words):
    """Copy successor k to place `new`, behind the new ones before it."""
    copy_state(out, k * words, out, new * words, words)
    out_action[new] = out_action[k]


@helper
def relax(control, node, cost, reopen, pending, count, fields, width, queue):
    """Prepare a known node for a cheaper path: remove it from the open list or from `pending`, or reopen it.

    Returns the number of pending nodes afterwards (before: `count`). Returns -1 if the node keeps its path, because a
    path of this cost is not cheaper, the node is a dead end, or closed nodes are not reopened. Returns INCONSISTENT if
    the node changes its path, and returns to the open list LATER.
    """
    link = np.int64(fields[node * width + PREVIOUS])
    if cost >= fields[node * width + G] or link == DEAD_END:
        return -1
    if link in (CLOSED, INCONSISTENT):
        if reopen == NEVER:
            return -1
        if reopen == LATER:
            fields[node * width + PREVIOUS] = INCONSISTENT
            return INCONSISTENT
        control[c.REOPENED] += 1
    elif link == SETTLED:
        control[c.REOPENED] += 1
    elif link == PENDING:  # two successors of this expansion are the same state; the cheaper one is pushed last
        return remove_pending(pending, count, node)
    elif link != PRUNED:
        remove(node, fields, width, queue)
    return count


@helper
def add_pending(pending, count, node, fields, width):
    """Append a node to `pending`; return the new number of pending nodes."""
    fields[node * width + PREVIOUS] = PENDING
    pending[count] = node
    return count + 1


@helper
def remove_pending(pending, count, node):
    """Remove a node from `pending`, keeping the order; return the new number of pending nodes."""
    kept = 0
    for i in range(count):
        if pending[i] != node:
            pending[kept] = pending[i]
            kept += 1
    return kept


@helper
def prune_pending(pending, count, fields, width, incumbent_cost, prune_by_f):
    """Remove dead ends and nodes that cannot improve on the incumbent; return the new number of pending nodes."""
    kept = 0
    for i in range(count):
        record = as_index(pending[i]) * width
        h = np.int64(fields[record + H])
        if h == INFINITE_H:
            fields[record + PREVIOUS] = DEAD_END
        elif fields[record + G] + h * prune_by_f >= incumbent_cost:
            fields[record + PREVIOUS] = PRUNED
        else:
            pending[kept] = pending[i]
            kept += 1
    return kept
