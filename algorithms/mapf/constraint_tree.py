"""Tree of constraints in arrays: its nodes, the order in which they are taken, and the paths of the agents.

A node has one constraint more than its parent, and the paths that had to change. A pool has these paths; those of the
other agents are found on the way to the root. Three heaps order the open nodes: OPEN by the lower bound of the cost,
FOCAL by conflicts, WAITING by cost. A node enters FOCAL as soon as its cost is within the factor of the smallest lower
bound. With a factor of 1 this is best-first search with ties broken by conflicts.
"""

from __future__ import annotations

import numpy as np

from algorithms.mapf.constraints import BOUND, CONFLICTS, CONSTRAINED, IS_CLOSED, KEY, PARENT, PATHS
from worlds.compile.kernel import helper

OPEN, FOCAL, WAITING = range(3)
# A path in the pool: place of the next changed path of the node or -1, agent, lower bound of its cost, cost, and for
# each time the cell, times 2, plus 1 if all shortest paths are there.
NEXT, PATH_AGENT, PATH_LOWER, PATH_COST, PATH_CELLS = range(5)
# Control array. BUDGET: nodes that may still be expanded.
(
    NODES, POOL, OPEN_SIZE, FOCAL_SIZE, WAITING_SIZE, LEAST_BOUND, SELECTED, EXPANDED, GENERATED, LOW_EXPANDED,
    LOW_GENERATED, CONFLICTS_OF_ROOT, IS_MAKESPAN, PRIORITIZES, BYPASSES, IS_DISJOINT, HEURISTIC, BUDGET, CONTROL_SIZE,
) = range(19)  # fmt: skip


@helper
def comes_before(nodes, heap, one, two):
    """Return whether a node comes before another one in a heap. The newest one is first among equals."""
    if heap == OPEN:
        first, second = nodes[one, BOUND], nodes[two, BOUND]
    elif heap == WAITING:
        first, second = nodes[one, KEY], nodes[two, KEY]
    else:
        first, second = nodes[one, CONFLICTS], nodes[two, CONFLICTS]
        if first == second:
            first, second = nodes[one, KEY], nodes[two, KEY]
    return first < second if first != second else one > two


@helper
def push(nodes, heaps, control, heap, node):
    """Add a node to a heap."""
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
def pop(nodes, heaps, control, heap):
    """Remove the first node of a heap and return it."""
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
def select(nodes, heaps, control, factor):
    """Take a node from FOCAL and return it; -1 if no node is open."""
    while control[OPEN_SIZE] > 0 and nodes[heaps[OPEN, 0], IS_CLOSED] != 0:
        pop(nodes, heaps, control, OPEN)
    if control[OPEN_SIZE] == 0:
        return np.int64(-1)
    control[LEAST_BOUND] = max(control[LEAST_BOUND], np.int64(nodes[heaps[OPEN, 0], BOUND]))
    while control[WAITING_SIZE] > 0 and nodes[heaps[WAITING, 0], KEY] <= factor * control[LEAST_BOUND] + 1e-9:
        push(nodes, heaps, control, FOCAL, pop(nodes, heaps, control, WAITING))
    return pop(nodes, heaps, control, FOCAL)


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
def open_node(nodes, heaps, control, node):
    """Put a node into the heaps."""
    push(nodes, heaps, control, OPEN, node)
    push(nodes, heaps, control, WAITING, node)


@helper
def load_paths(nodes, pool, node, current, single, length, lower):
    """Write the paths of all agents at a node."""
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
def store_path(nodes, pool, control, node, agent, current, single, length, lower):
    """Write the path of an agent into the pool, as one that changes at a node. Return False if there is no room."""
    record = control[POOL]
    after = record + PATH_CELLS + length[agent] + 1
    if after > pool.size:
        return False
    pool[record + NEXT] = nodes[node, PATHS]
    pool[record + PATH_AGENT] = agent
    pool[record + PATH_LOWER] = lower[agent]
    pool[record + PATH_COST] = length[agent]
    for time in range(length[agent] + 1):
        pool[record + PATH_CELLS + time] = current[agent, time] * 2 + single[agent, time]
    nodes[node, PATHS] = record
    control[POOL] = after
    return True
