"""Expansion of nodes of a tree of constraints, and the kernel that expands the tree."""

from __future__ import annotations

import numpy as np

from algorithms.engine.search import StepStatus
from algorithms.mapf.conflicts import FIRST, FIRST_PAIR, SECOND, find_conflicts
from algorithms.mapf.constraint_tree import (
    BUDGET,
    BYPASSES,
    EXPANDED,
    FOCAL,
    GENERATED,
    HEURISTIC,
    IS_DISJOINT,
    NODES,
    POOL,
    PRIORITIZES,
    SELECTED,
    load_paths,
    open_node,
    push,
    select,
)
from algorithms.mapf.constraints import CONFLICTS, COST, IS_CLOSED, IS_GUIDED, KEY
from algorithms.mapf.node_paths import bypass, make_child, make_root
from algorithms.mapf.single_agent import NO_PATH, NO_ROOM
from worlds.compile.kernel import helper, kernel

UNGUIDED = 100
"""Result of `expand_tree`, beside those of `StepStatus`: the selected node needs a heuristic."""


@helper
def expand_node(graph, state, low, tree, found, chosen, node, factor, control):
    """Resolve a conflict of a node whose paths are those of the state. Return 0, or `NO_ROOM`."""
    nodes, pool, heaps = tree
    current, single, length, lower, _ = state
    one, two = chosen[FIRST], chosen[SECOND]
    children = (np.int64(-1), np.int64(-1))
    for number in range(2):
        is_demand = control[IS_DISJOINT] != 0 and number == 0
        agent = one if number == 0 or control[IS_DISJOINT] != 0 else two
        if number > 0:
            load_paths(nodes, pool, node, current, single, length, lower)
        child_before, paths_before = control[NODES], control[POOL]
        child = make_child(graph, state, low, tree, found, node, agent, is_demand, chosen, factor, control)
        if child == NO_ROOM:
            return np.int64(NO_ROOM)
        control[GENERATED] += 1
        if child == NO_PATH:
            control[NODES], control[POOL] = child_before, paths_before
            continue
        is_as_cheap = nodes[child, KEY] == nodes[node, KEY] and nodes[child, COST] == nodes[node, COST]
        if control[BYPASSES] != 0 and is_as_cheap and nodes[child, CONFLICTS] < nodes[node, CONFLICTS]:
            if number > 0 and children[0] >= 0:
                nodes[children[0], IS_CLOSED] = 1  # it is given up, too
            if bypass(graph, state, low, tree, node, child, factor, control) == NO_ROOM:
                return np.int64(NO_ROOM)
            children = (child, np.int64(-1))
            break
        children = (child, np.int64(-1)) if number == 0 else (children[0], child)
    for child in children:
        if child >= 0:
            open_node(nodes, heaps, control, child)
    nodes[node, IS_CLOSED] = 1
    return np.int64(0)


SIGNATURE = (
    "int64(int32[:, ::1], int32[:, ::1], int32[::1], int32[::1], int32[::1], "  # graph
    "int32[:, ::1], uint8[:, ::1], int64[::1], int64[::1], int32[:, ::1], "  # state
    "int32[:, ::1], int64[::1], int32[::1], int32[:, ::1], int32[:, ::1], int64[::1], int64[::1], "  # low level
    "int32[:, ::1], int32[::1], int32[:, ::1], "  # tree
    "int64[::1], int64[::1], float64)"
)


@kernel(SIGNATURE)
def expand_tree(
    neighbours, distances, starts, goals, owner, current, single, length, lower, occupant, layers, first, mark, raw,
    rows, row_first, counts, nodes, pool, heaps, found, control, factor,
):  # fmt: skip
    """Expand nodes until the budget ends. A node without conflicts ends the search.

    Returns a `StepStatus`, or `UNGUIDED` after it has taken a node that needs a heuristic first.
    """
    graph = (neighbours, distances, starts, goals, owner)
    state = (current, single, length, lower, occupant)
    low = (layers, first, mark, raw, rows, row_first, counts)
    tree = (nodes, pool, heaps)
    is_new = control[BUDGET] > 0 and control[NODES] == 0
    if is_new and make_root(graph, state, low, tree, found, factor, control) == NO_ROOM:
        control[NODES], control[POOL] = 0, 0
        return StepStatus.OUT_OF_MEMORY.value
    while control[BUDGET] > 0:
        node = select(nodes, heaps, control, factor)
        if node < 0:
            return StepStatus.EXHAUSTED.value
        control[SELECTED] = node
        load_paths(nodes, pool, node, current, single, length, lower)
        if find_conflicts(occupant, owner, current, length, single, found, control[PRIORITIZES] != 0) == 0:
            return StepStatus.SOLVED.value
        chosen = found[:FIRST_PAIR].copy()
        before = control.copy()
        is_full = control[NODES] + 2 > nodes.shape[0]
        if control[HEURISTIC] != 0 and nodes[node, IS_GUIDED] == 0 and not is_full:
            return UNGUIDED
        if is_full or expand_node(graph, state, low, tree, found, chosen, node, factor, control) == NO_ROOM:
            control[:] = before
            push(nodes, heaps, control, FOCAL, node)
            return StepStatus.OUT_OF_MEMORY.value
        control[EXPANDED] += 1
        control[BUDGET] -= 1
    return StepStatus.RUNNING.value
