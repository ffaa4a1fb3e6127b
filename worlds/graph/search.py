"""Graphs as arrays for the search engine.

A state is one word, the number of a node. The action code of a step is the number of the node to which it leads.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import EXPAND, IS_GOAL, helper, kernel

# Layout of `constants`: the offsets of four tables; behind them the tables. Those of goals and of heuristic values
# (-1: infinite) have a number for each node. A table of arcs has for each node, and then for the end, the offset of its
# first arc; then for each arc the node at its other end and the cost.
GOALS, H, OUT, IN, HEADER = range(5)


@helper
def write_neighbours(constants, arcs, states, at, out, out_at, cost, action, slot, backward):
    """Write the nodes at the other ends of a node's arcs."""
    node = np.int64(states[at])
    first = constants[arcs + node]
    n = (constants[arcs + node + 1] - first) >> 1
    for k in range(n):
        other = constants[first + 2 * k]
        out[out_at + k] = other
        cost[slot + k] = constants[first + 2 * k + 1]
        action[slot + k] = node if backward else other
    return n


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors of a node in the order of the arcs."""
    return write_neighbours(constants, constants[OUT], states, at, out, out_at, cost, action, slot, False)


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the predecessors of a node in the order of the arcs."""
    return write_neighbours(constants, constants[IN], states, at, out, out_at, cost, action, slot, True)


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether a node is a goal."""
    return constants[constants[GOALS] + np.int64(states[at])] != 0
