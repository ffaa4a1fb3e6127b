"""Nodes of a tree of constraints as rows of an array, and the constraints of an agent on the way to the root."""

from __future__ import annotations

import numpy as np

from algorithms.mapf.single_agent import CELL, DEMANDED, FORBIDDEN, NO_ROOM, TIME, TO
from worlds.compile.kernel import helper

# Fields of a node. CONSTRAINED: the agent, or -1; CONSTRAINT_TO: where the forbidden or demanded move leads, or -1 for
# a cell; IS_DEMAND: whether the agent must be there, and the others not. KEY: cost or lower bound, whichever is larger.
# IS_GUIDED: whether its bound has the heuristic of the node.
(
    PARENT, CONSTRAINED, CONSTRAINT_TIME, CONSTRAINT_CELL, CONSTRAINT_TO, IS_DEMAND, COST, BOUND, KEY, CONFLICTS, PATHS,
    IS_CLOSED, IS_GUIDED, NODE_FIELDS,
) = range(14)  # fmt: skip


@helper
def add_row(raw, number, time, cell, to):
    """Write a constraint behind others, if there is room, and return their number."""
    if number < raw.shape[0]:
        raw[number, TIME] = time
        raw[number, CELL] = cell
        raw[number, TO] = to
    return number + 1


@helper
def collect_rows(nodes, node, agent, raw, rows, row_first):
    """Write the constraints of an agent at a node, by time. Return the last time, -1 without any, or `NO_ROOM`."""
    number = np.int64(0)
    latest = np.int64(-1)
    while node >= 0:
        constrained = nodes[node, CONSTRAINED]
        time, cell, to = nodes[node, CONSTRAINT_TIME], nodes[node, CONSTRAINT_CELL], nodes[node, CONSTRAINT_TO]
        is_demand = nodes[node, IS_DEMAND] != 0
        before = number
        if constrained == agent and not is_demand:
            number = add_row(raw, number, time, cell, to)
        elif constrained == agent:
            number = add_row(raw, number, time, cell if to < 0 else to, DEMANDED)
            if to >= 0:
                number = add_row(raw, number, time - 1, cell, DEMANDED)
        elif constrained >= 0 and is_demand:
            number = add_row(raw, number, time, cell if to < 0 else to, FORBIDDEN)
            if to >= 0:
                number = add_row(raw, number, time - 1, cell, FORBIDDEN)
                number = add_row(raw, number, time, to, cell)
        if number > before:
            latest = max(latest, np.int64(time))
        node = np.int64(nodes[node, PARENT])
    if number > raw.shape[0] or latest + 3 > row_first.size:
        return np.int64(NO_ROOM)
    row_first[: latest + 3] = 0
    for row in range(number):
        row_first[raw[row, TIME] + 2] += 1
    for time in range(2, latest + 3):
        row_first[time] += row_first[time - 1]
    for row in range(number):
        place = row_first[raw[row, TIME] + 1]
        row_first[raw[row, TIME] + 1] += 1
        rows[place] = raw[row]
    return latest


@helper
def find_versions(nodes, node, versions):
    """Write for each agent the node that has added its last constraint, 0 without any: it names its constraints."""
    versions[:] = 0
    missing = versions.size
    while node > 0 and missing > 0:
        constrained = nodes[node, CONSTRAINED]
        for agent in range(versions.size):
            is_constrained = constrained == agent or (constrained >= 0 and nodes[node, IS_DEMAND] != 0)
            if is_constrained and versions[agent] == 0:
                versions[agent] = node
                missing -= 1
        node = np.int64(nodes[node, PARENT])
