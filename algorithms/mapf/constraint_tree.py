"""Tree of constraints in arrays: its nodes, the order in which they are taken, and the paths of the agents.

A node has one constraint more than its parent, and the paths that had to change. A pool has these paths; those of the
other agents are found on the way to the root. Three heaps order the open nodes: OPEN by the lower bound of the cost,
FOCAL by conflicts, WAITING by cost. A node enters FOCAL as soon as its cost is within the factor of the smallest lower
bound. With a factor of 1 this is best-first search with ties broken by conflicts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.mapf.single_agent import BEFORE, CELL, DEMANDED, FORBIDDEN, NO_ROOM, TO
from worlds.compile import helper

# Fields of a node. CONSTRAINED: the agent, or -1; CONSTRAINT_TO: where the forbidden or demanded move leads, or -1 for
# a cell; IS_DEMAND: whether the agent must be there, and the others not. KEY: cost or lower bound, whichever is larger.
# IS_GUIDED: whether its bound has the heuristic of the node.
(
    PARENT, CONSTRAINED, CONSTRAINT_TIME, CONSTRAINT_CELL, CONSTRAINT_TO, IS_DEMAND, COST, BOUND, KEY, CONFLICTS, PATHS,
    IS_CLOSED, IS_GUIDED, NODE_FIELDS,
) = range(14)  # fmt: skip
OPEN, FOCAL, WAITING = range(3)
ORDER = BOUND, CONFLICTS, KEY
"""Field of a node by which each heap is ordered first."""
# A path in the pool: place of the next changed path of the node or -1, agent, lower bound of its cost, cost, and for
# each time the cell, times 2, plus 1 if all shortest paths are there.
NEXT, PATH_AGENT, PATH_LOWER, PATH_COST, PATH_CELLS = range(5)
# Control array. BUDGET: nodes that may still be expanded.
(
    NODES, POOL, OPEN_SIZE, FOCAL_SIZE, WAITING_SIZE, LEAST_BOUND, SELECTED, EXPANDED, GENERATED, LOW_EXPANDED,
    LOW_GENERATED, CONFLICTS_OF_ROOT, IS_MAKESPAN, PRIORITIZES, BYPASSES, IS_DISJOINT, HEURISTIC, BUDGET, CONTROL_SIZE,
) = range(19)  # fmt: skip


class ConstraintTree(NamedTuple):
    """Nodes, the pool of their paths, and the three heaps."""

    nodes: NDArray[np.int32]
    pool: NDArray[np.int32]
    heaps: NDArray[np.int32]


TREE = "Tuple((int32[:, ::1], int32[::1], int32[:, ::1]))"


@helper
def comes_before(nodes, heap, one, two):
    """Return whether a node comes before another one in a heap. The newest one is first among equals."""
    first, second = nodes[one, ORDER[heap]], nodes[two, ORDER[heap]]
    if first == second and heap == FOCAL:
        first, second = nodes[one, KEY], nodes[two, KEY]
    return first < second if first != second else one > two


@helper
def push(tree, control, heap, node):
    """Add a node to a heap."""
    nodes, heaps = tree.nodes, tree.heaps
    place = control[OPEN_SIZE + heap]
    control[OPEN_SIZE + heap] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not comes_before(nodes, heap, node, heaps[heap, above]):
            break
        heaps[heap, place] = heaps[heap, above]
        place = above
    heaps[heap, place] = node


@helper
def pop(tree, control, heap):
    """Remove the first node of a heap and return it."""
    nodes, heaps = tree.nodes, tree.heaps
    first = np.int64(heaps[heap, 0])
    control[OPEN_SIZE + heap] -= 1
    size = control[OPEN_SIZE + heap]
    moved = heaps[heap, size]
    place = np.int64(0)
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and comes_before(nodes, heap, heaps[heap, below + 1], heaps[heap, below]):
            below += 1
        if not comes_before(nodes, heap, heaps[heap, below], moved):
            break
        heaps[heap, place] = heaps[heap, below]
        place = below
    heaps[heap, place] = moved
    return first


@helper
def select(tree, control, factor):
    """Take a node from FOCAL and return it; -1 if no node is open."""
    nodes, heaps = tree.nodes, tree.heaps
    while control[OPEN_SIZE] > 0 and nodes[heaps[OPEN, 0], IS_CLOSED] != 0:
        pop(tree, control, OPEN)
    if control[OPEN_SIZE] == 0:
        return np.int64(-1)
    control[LEAST_BOUND] = max(control[LEAST_BOUND], np.int64(nodes[heaps[OPEN, 0], BOUND]))
    while control[WAITING_SIZE] > 0 and nodes[heaps[WAITING, 0], KEY] <= factor * control[LEAST_BOUND] + 1e-9:
        push(tree, control, FOCAL, pop(tree, control, WAITING))
    return pop(tree, control, FOCAL)


@helper
def add_node(nodes, control, parent):
    """Add a node without a constraint below a parent, and return its number."""
    node = control[NODES]
    control[NODES] += 1
    nodes[node] = 0
    nodes[node, PARENT] = parent
    nodes[node, CONSTRAINED] = -1
    nodes[node, PATHS] = -1
    return node


@helper
def open_node(tree, control, node):
    """Put a node into the heaps."""
    push(tree, control, OPEN, node)
    push(tree, control, WAITING, node)


@helper
def load_paths(tree, node, state):
    """Write the paths of all agents at a node."""
    nodes, pool = tree.nodes, tree.pool
    current, single, length, lower, _ = state
    length[:] = -1
    missing = length.size
    while missing > 0:
        record = np.int64(nodes[node, PATHS])
        while record >= 0:
            agent = pool[record + PATH_AGENT]
            if length[agent] < 0:
                lower[agent] = pool[record + PATH_LOWER]
                length[agent] = pool[record + PATH_COST]
                for time in range(length[agent] + 1):
                    word = pool[record + PATH_CELLS + time]
                    current[agent, time] = word >> 1
                    single[agent, time] = word & 1
                missing -= 1
            record = np.int64(pool[record + NEXT])
        node = np.int64(nodes[node, PARENT])


@helper
def store_path(tree, control, node, agent, state):
    """Write the path of an agent into the pool, as one that changes at a node. Return False if there is no room."""
    pool, record = tree.pool, control[POOL]
    after = record + PATH_CELLS + state.length[agent] + 1
    if after > pool.size:
        return False
    pool[record + NEXT] = tree.nodes[node, PATHS]
    pool[record + PATH_AGENT] = agent
    pool[record + PATH_LOWER] = state.lower[agent]
    pool[record + PATH_COST] = state.length[agent]
    write_cells(pool, record, state)
    tree.nodes[node, PATHS] = record
    control[POOL] = after
    return True


@helper
def write_cells(pool, record, state):
    """Write the cells of a path, and which of them are single, into the pool."""
    agent = pool[record + PATH_AGENT]
    for time in range(state.length[agent] + 1):
        pool[record + PATH_CELLS + time] = state.current[agent, time] * 2 + state.single[agent, time]


@helper
def add_row(low, number, time, cell, to):
    """Write a constraint behind others, if there is room, and return their number."""
    if number < low.rows.shape[0]:
        low.rows[number, CELL], low.rows[number, TO], low.rows[number, BEFORE] = cell, to, low.heads[time]
        low.heads[time] = number
    return number + 1


@helper
def collect_rows(nodes, node, agent, low):
    """Write the constraints of an agent at a node. Return their number, or `NO_ROOM`."""
    low.heads[:] = -1
    number = np.int64(0)
    while node >= 0:
        constrained = nodes[node, CONSTRAINED]
        time, cell, to = nodes[node, CONSTRAINT_TIME], nodes[node, CONSTRAINT_CELL], nodes[node, CONSTRAINT_TO]
        if nodes[node, IS_DEMAND] == 0:
            if constrained == agent:
                number = add_row(low, number, time, cell, to)
        elif constrained >= 0:
            kind = DEMANDED if constrained == agent else FORBIDDEN
            number = add_row(low, number, time, cell if to < 0 else to, kind)
            if to >= 0:
                number = add_row(low, number, time - 1, cell, kind)
                number = add_row(low, number, time, to, cell)  # the exchange
        node = np.int64(nodes[node, PARENT])
    return number if number <= low.rows.shape[0] else np.int64(NO_ROOM)


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
