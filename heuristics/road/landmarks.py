"""Landmarks of a network, and the distances from and to them.

Source: A. V. Goldberg and C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005, which
calls these choices farthest and avoid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from heuristics.tables import Report
from worlds.compile import kernel
from worlds.interface import generator_of
from worlds.road.network import UNREACHED, Network

Choice = Literal["avoid", "farthest"]
NONE = -1
_TRIES = 10

Distances = NDArray[np.int32]


def landmark_table(network: Network, count: int, choose: Choice, report: Report) -> Distances:
    """Choose landmarks, and return the distances from and to each of them, `UNREACHED` where there is no path.

    Landmarks lie in a part of the network in which all nodes reach each other: that of a random node, preferably of one
    whose part has half of all nodes.

    Returns
    -------
    ndarray of int32, shape (nodes, 2 * count)
        In column 2 k the distance from landmark k to each node, in the next column the distance to the landmark.
    """
    draws = iter(generator_of(0).random(_TRIES + count).tolist())
    core = _core(network, draws)
    columns: list[Distances] = []
    for number in range(count):
        report("distances from and to landmarks", number / count)
        root = int(core[int(next(draws) * core.size)])
        landmark = _avoiding(network, core, root, columns) if choose == "avoid" else _farthest(network, core, columns)
        columns += [network.distances(landmark)[:, 0], network.backward.distances(landmark)[:, 0]]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _core(network: Network, draws: Iterator[float]) -> NDArray[np.int64]:
    """Return nodes that reach each other."""
    best = np.zeros(0, np.int64)
    for _ in range(_TRIES):
        node = int(next(draws) * network.nodes)
        reached = network.distances(node)[:, 0] != UNREACHED
        reaching = network.backward.distances(node)[:, 0] != UNREACHED
        found = np.flatnonzero(reached & reaching)
        best = max(best, found, key=len)
        if 2 * best.size >= network.nodes:
            break
    return best


def _farthest(network: Network, core: NDArray[np.int64], columns: list[Distances]) -> int:
    """Return the node farthest from the landmarks; without any, from the first node."""
    if not columns:
        columns = [network.distances(int(core[0]))[:, 0]]
    return int(core[np.min([column[core] for column in columns[::2]], axis=0).argmax()])


def _avoiding(network: Network, core: NDArray[np.int64], root: int, columns: list[Distances]) -> int:
    """Return a leaf of the tree of least paths from a root, below which the present bounds are worst.

    The weight of a node is the distance from the root minus its bound, the size of a node the weights of the nodes
    below it, or 0 if a landmark is below it. From the node of the largest size, the largest child is taken, down to a
    leaf.
    """
    ones = np.ones_like(network.heads)
    counted = replace(network, costs=np.stack([network.costs[:, 0], ones], axis=1))
    distance, arcs = counted.distances(root, (0, 1)).T.astype(np.int64)  # few arcs: no circles of arcs that cost 0
    is_last = distance[network.tails] + network.costs[:, 0] == distance[network.heads]
    is_last &= arcs[network.tails] + 1 == arcs[network.heads]
    parent = np.full(network.nodes, NONE, np.int64)
    parent[network.heads[is_last]] = network.tails[is_last]
    bound = np.zeros(core.size, np.int64)
    for start, end in zip(columns[::2], columns[1::2], strict=True):
        np.maximum(bound, start[core].astype(np.int64) - start[root], out=bound)
        np.maximum(bound, np.int64(end[root]) - end[core], out=bound)
    size = np.zeros(network.nodes, np.int64)
    size[core] = distance[core] - bound
    has_landmark = np.zeros(network.nodes, np.bool_)
    has_landmark[[int(column.argmin()) for column in columns[::2]]] = True
    child = np.full(network.nodes, NONE, np.int64)
    order = core[np.lexsort((arcs[core], distance[core]))]
    sum_up.compiled(np.ascontiguousarray(order), parent, size, has_landmark, child)
    leaf = int(np.where(has_landmark, NONE, size).argmax())
    if size[leaf] == 0:  # the bounds from this root are exact
        return _farthest(network, core, columns)
    while child[leaf] != NONE:
        leaf = int(child[leaf])
    return leaf


@kernel("int64(int64[::1], int64[::1], int64[::1], boolean[::1], int64[::1])")
def sum_up(order, parent, size, has_landmark, child):
    """Add the size of each node to that of its parent, and write the largest child. Parents come before in `order`."""
    for index in range(order.size - 1, -1, -1):
        node = order[index]
        above = parent[node]
        if above >= 0:
            size[above] += size[node]
            has_landmark[above] |= has_landmark[node]
            if child[above] < 0 or size[node] > size[child[above]]:
                child[above] = node
    return 0
