"""Kernels of road networks, and their constants, which all queries of a network share.

A state takes one word: the node in the lower half, the goal in the upper half. The action code of a step is the number
of the arc among those of its tail, from 0. Successors and predecessors come in the order of the arcs.

Layout of `constants`: the offset `IN`; from `OUT` on, for each node and then for the end, the offset of its first arc;
then, for each arc, the head, and the first cost above 32 bits. From the offset `IN` on, for each node and then for the
end, the offset of the first arc to it; then, for each of these, the tail, and the offset of the arc above 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, helper, kernel
from worlds.interface import NUMBER, Words
from worlds.road.network import Network

IN, OUT = 0, 1
_LOW = 0xFFFFFFFF


@helper
def node_of(state):
    """Return the node of a state."""
    return np.int64(state & np.uint64(_LOW))


@helper
def goal_of(state):
    """Return the goal of a state."""
    return np.int64(state >> np.uint64(32))


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the heads of the arcs from a node."""
    state = states[at]
    node = node_of(state)
    goal = state - np.uint64(node)
    first = constants[OUT + node]
    n = constants[OUT + node + 1] - first
    for k in range(n):
        arc = constants[first + k]
        out[out_at + k] = goal | np.uint64(arc & _LOW)
        cost[slot + k] = arc >> 32
        action[slot + k] = k
    return n


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the tails of the arcs to a node."""
    state = states[at]
    node = node_of(state)
    goal = state - np.uint64(node)
    first = constants[constants[IN] + node]
    n = constants[constants[IN] + node + 1] - first
    for k in range(n):
        entry = constants[first + k]
        tail = entry & _LOW
        arc = entry >> 32
        out[out_at + k] = goal | np.uint64(tail)
        cost[slot + k] = constants[arc] >> 32
        action[slot + k] = arc - constants[OUT + tail]
    return n


@kernel(NUMBER)
def number_of(constants, states, at):
    """Return the node."""
    return node_of(states[at])


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether the node is the goal: the two halves of the word are equal."""
    return node_of(states[at]) == goal_of(states[at])


def pack(node: int, goal: int) -> Words:
    """Pack a state."""
    return np.array([node | goal << 32], np.uint64)


def unpack(state: Sequence[int] | Words) -> int:
    """Return the node of a packed state."""
    return int(state[0]) & _LOW


def constants_of(network: Network) -> NDArray[np.int64]:
    """Return a network in the layout above."""
    first_arc = OUT + network.nodes + 1
    into = first_arc + network.heads.size
    constants = np.empty(into + network.nodes + 1 + network.heads.size, np.int64)
    constants[IN] = into
    np.add(network.first, first_arc, out=constants[OUT:first_arc])
    np.left_shift(network.costs[:, 0], 32, out=constants[first_arc:into], dtype=np.int64)
    constants[first_arc:into] |= network.heads
    order = np.argsort(network.heads, kind="stable")
    ends = constants[into : into + network.nodes + 1]
    ends[0] = into + network.nodes + 1
    np.cumsum(np.bincount(network.heads, minlength=network.nodes), out=ends[1:])
    ends[1:] += ends[0]
    constants[int(ends[0]) :] = (order + first_arc) << 32 | network.tails[order]
    return constants
