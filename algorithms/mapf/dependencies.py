"""Dependencies of two agents: by how much the conflicts between them raise the sum of their costs.

They weigh the edges of the graphs from which conflict-based search computes its heuristics of a node
(`algorithms.mapf.cover`). The weights depend on the constraints of both agents alone, so that nodes share them
(`weight_slot`).

- cg: 1 if all cheapest paths of one agent and of the other are in one cell, or exchange the same cells, at one time.
- dg: 1 if each cheapest path of one agent has a conflict with each cheapest path of the other.
- wdg: how much more the cheapest pair of paths without conflict costs than the cheapest paths.

The joint diagram of two decision diagrams has the pairs of nodes of each time. A pair of paths without conflict leads
from its first layer to its last one; the weight of wdg is found as in increasing-cost tree search.

Sources: Felner et al., Adding Heuristics to Conflict-Based Search for Multi-Agent Path Finding, ICAPS 2018 (cg). Li,
Felner, Boyarski, Ma, Koenig, Improved Heuristics for Multi-Agent Path Finding with Conflict-Based Search, IJCAI 2019.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.mapf.diagrams import COMPLETE, COST, FIRST, NODE_WORDS, TOO_LARGE, WAIT, mdd, only_cell
from worlds.compile.kernel import helper

NONE, CG, DG, WDG = range(4)

INDEPENDENT, DEPENDENT, UNKNOWN = 0, 1, -1

# Columns of the table of weights: the agents and the versions of their constraints, which are the key, and the weight.
FIRST_AGENT, SECOND_AGENT, FIRST_VERSION, SECOND_VERSION, WEIGHT = range(5)


def joint_scratch(pairs: int, cost: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return `visited` and `stack` for joint diagrams of at most so many pairs of nodes, and of a cost.

    Larger ones are `UNKNOWN`. The stack has the successors of one pair of each time.
    """
    return np.empty(pairs, np.uint8), np.empty((25 * (cost + 1), 4), np.int32)


def weight_table(slots: int) -> NDArray[np.int64]:
    """Return an empty table of weights. The number of slots must be a power of 2."""
    return np.full((slots, 5), -1, np.int64)


@helper
def weight_slot(table, first, second, first_version, second_version):
    """Return the slot of a pair of agents in the table of weights.

    The weight is in column `WEIGHT`; it is -1 if the table does not have it. The caller then writes it there. A pair
    replaces another one that has the same slot.

    Parameters
    ----------
    table : ndarray of int64
        From `weight_table`.
    first, second : int
        The agents, the smaller one first.
    first_version, second_version : int
        Numbers that name the constraints of each: the node of the tree that has added the last one, 0 without any.
    """
    mixed = (first * 73856093) ^ (second * 19349663) ^ (first_version * 83492791) ^ (second_version * 49979687)
    slot = (mixed ^ (mixed >> 15)) & (table.shape[0] - 1)
    is_same_pair = table[slot, FIRST_AGENT] == first and table[slot, SECOND_AGENT] == second
    are_same_versions = table[slot, FIRST_VERSION] == first_version and table[slot, SECOND_VERSION] == second_version
    if not (is_same_pair and are_same_versions):
        table[slot, FIRST_AGENT] = first
        table[slot, SECOND_AGENT] = second
        table[slot, FIRST_VERSION] = first_version
        table[slot, SECOND_VERSION] = second_version
        table[slot, WEIGHT] = -1
    return slot


@helper
def pair_weight(
    kind, neighbours, distances, a, b, starts, goals, rows_a, count_a, rows_b, count_b, cost_a, cost_b, limit,
    latest, diagram_a, diagram_b, visited, stack, budget,
):  # fmt: skip
    """Return the weight of the edge between two agents for the heuristic `CG`, `DG` or `WDG`.

    For `DG` and `WDG`, each excess over `cost_a + cost_b` is divided among both agents in all ways, and the joint
    diagram of these costs is searched for a pair of paths without conflict.

    Parameters
    ----------
    kind : int
        `CG`, `DG` or `WDG`.
    neighbours, distances, starts, goals : ndarray of int32
        Map and agents (`algorithms.mapf.team_search`).
    a, b : int
        The agents.
    rows_a, count_a, rows_b, count_b : ndarray of int32, shape (capacity, 3), and int
        Their constraints (`algorithms.mapf.diagrams`).
    cost_a, cost_b : int
        Costs of their cheapest paths under these constraints.
    limit : int
        Largest weight; only `WDG` has weights above 1.
    latest : ndarray of int32, shape (cells,)
        Scratch.
    diagram_a, diagram_b : ndarray of int32
        Scratch, whose length limits the diagrams (`algorithms.mapf.diagrams.diagram_words`).
    visited, stack : ndarray of uint8 and of int32
        Scratch (`joint_scratch`), whose lengths limit the joint diagram.
    budget : ndarray of int64, shape (1,)
        Number of pairs of nodes that may be generated. It is reduced by those that are.

    Returns
    -------
    int
        The weight, or a smaller number if it needs more memory or pairs than the limits allow.
    """
    most = limit if kind == WDG else 1
    for excess in range(most):
        for extra_a in range(excess + 1):
            result_a = mdd(
                neighbours, distances, a, starts[a], goals[a], rows_a, count_a, cost_a + extra_a, latest, diagram_a
            )
            extra_b = excess - extra_a
            result_b = mdd(
                neighbours, distances, b, starts[b], goals[b], rows_b, count_b, cost_b + extra_b, latest, diagram_b
            )
            if result_a == TOO_LARGE or result_b == TOO_LARGE:
                return excess
            are_complete = result_a == COMPLETE and result_b == COMPLETE
            if kind == CG:
                return np.int64(are_complete and have_cardinal_conflict(diagram_a, diagram_b))
            if not are_complete:
                continue
            if are_dependent(diagram_a, diagram_b, visited, stack, budget) != DEPENDENT:
                return excess  # it is the excess, or a lower bound if it is unknown
    return most


@helper
def have_cardinal_conflict(diagram_a, diagram_b):
    """Return whether all paths of both diagrams are in one cell, or exchange the same two cells, at one time."""
    from_a, from_b = -1, -1
    for time in range(max(diagram_a[COST], diagram_b[COST]) + 1):
        to_a = only_cell(diagram_a, time)
        to_b = only_cell(diagram_b, time)
        if to_a >= 0 and (to_a == to_b or (to_a == from_b and to_b == from_a and to_b >= 0)):
            return True
        from_a = to_a
        from_b = to_b
    return False


@helper
def layer_width(diagram, time):
    """Return the number of nodes of a layer; after the last arrival it is the one of the goal."""
    layer = min(time, diagram[COST])
    return (diagram[FIRST + layer + 1] - diagram[FIRST + layer]) // NODE_WORDS


@helper
def node_number(diagram, node, time):
    """Return the number of a node in its layer."""
    return (node - diagram[FIRST + min(time, diagram[COST])]) // NODE_WORDS


@helper
def successor_of(diagram, node, time, move):
    """Return the node to which a move leads, or -1. After the last arrival the agent waits."""
    if time >= diagram[COST]:
        return node if move == WAIT else -1
    return diagram[node + 1 + move]


@helper
def are_dependent(diagram_a, diagram_b, visited, stack, budget):
    """Return whether each path of one diagram has a conflict with each path of the other.

    Depth-first search in the joint diagram: independent agents have many pairs of paths without conflict.

    Returns
    -------
    int
        `DEPENDENT`, `INDEPENDENT`, or `UNKNOWN` if the joint diagram exceeds the scratch or the budget (`pair_weight`).
    """
    horizon = max(diagram_a[COST], diagram_b[COST])
    pairs = 0
    for time in range(horizon + 1):
        pairs += layer_width(diagram_a, time) * layer_width(diagram_b, time)
    if pairs > visited.size:
        return UNKNOWN
    visited[:pairs] = 0
    node_a = diagram_a[FIRST]
    node_b = diagram_b[FIRST]
    if diagram_a[node_a] == diagram_b[node_b]:
        return DEPENDENT
    stack[0, 0] = node_a
    stack[0, 1] = node_b
    stack[0, 2] = 0
    stack[0, 3] = 0
    top = 1
    while top > 0:
        top -= 1
        node_a = stack[top, 0]
        node_b = stack[top, 1]
        time = stack[top, 2]
        if time == horizon:
            return INDEPENDENT
        layer = stack[top, 3]  # index of the pairs of this time in `visited`
        next_layer = layer + layer_width(diagram_a, time) * layer_width(diagram_b, time)
        next_width_b = layer_width(diagram_b, time + 1)
        for move_a in range(5):
            next_a = successor_of(diagram_a, node_a, time, move_a)
            if next_a < 0:
                continue
            first_pair = next_layer + node_number(diagram_a, next_a, time + 1) * next_width_b
            is_exchange_from = diagram_a[next_a] == diagram_b[node_b]
            for move_b in range(5):
                next_b = successor_of(diagram_b, node_b, time, move_b)
                if next_b < 0 or diagram_a[next_a] == diagram_b[next_b]:
                    continue
                if is_exchange_from and diagram_b[next_b] == diagram_a[node_a]:
                    continue
                pair = first_pair + node_number(diagram_b, next_b, time + 1)
                if visited[pair] != 0:
                    continue
                visited[pair] = 1
                budget[0] -= 1
                if budget[0] < 0 or top == stack.shape[0]:
                    return UNKNOWN
                stack[top, 0] = next_a
                stack[top, 1] = next_b
                stack[top, 2] = time + 1
                stack[top, 3] = next_layer
                top += 1
    return DEPENDENT
