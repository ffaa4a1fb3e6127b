"""Networks: directed graphs as arrays, with a vector of costs for each arc, and shortest distances on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worlds.compile import helper, kernel

MAX_OBJECTIVES = 5
MAX_ARC_COST = (1 << 30) - 1
UNREACHED = (1 << 31) - 1
"""Distance of a node that cannot be reached. Others are at most one less."""


@dataclass(frozen=True, eq=False)
class Network:
    """Directed graph whose arcs have costs.

    Attributes
    ----------
    first : ndarray of int64, shape (nodes + 1,)
        The arcs from node v are first[v] to first[v + 1] - 1.
    heads : ndarray of int32, shape (arcs,)
        Node to which each arc leads.
    costs : ndarray of int32, shape (arcs, objectives)
        Costs of each arc, from 0 to `MAX_ARC_COST`.
    """

    first: NDArray[np.int64]
    heads: NDArray[np.int32]
    costs: NDArray[np.int32]

    @classmethod
    def of(cls, tails: NDArray[np.int32], heads: NDArray[np.int32], costs: NDArray[np.int32], nodes: int) -> Network:
        """Return the network of some arcs. The arcs from a node keep their order.

        Parameters
        ----------
        tails, heads : ndarray of int32, shape (arcs,)
        costs : ndarray of int32, shape (arcs, objectives)
        nodes : int
        """
        first = np.zeros(nodes + 1, np.int64)
        np.cumsum(np.bincount(tails, minlength=nodes), out=first[1:])
        order = np.argsort(tails, kind="stable")
        return cls(first, np.ascontiguousarray(heads[order]), np.ascontiguousarray(costs[order]))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.first.size - 1

    @property
    def objectives(self) -> int:
        """Number of costs of an arc."""
        return int(self.costs.shape[1])

    @cached_property
    def tails(self) -> NDArray[np.int32]:
        """Node from which each arc leads."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.first))

    @cached_property
    def backward(self) -> Network:
        """The network with all arcs turned around. The arcs to a node are ordered as here."""
        return Network.of(self.heads, self.tails, self.costs, self.nodes)

    def distances(self, node: int, order: tuple[int, ...] = (0,)) -> NDArray[np.int32]:
        """Return the costs of the lexicographically least path from a node to each node.

        Parameters
        ----------
        node : int
        order : tuple of int
            Objectives: the least cost in the first, then in the second among these, and so on.

        Returns
        -------
        ndarray of int32, shape (nodes, len(order))
            `UNREACHED` where there is no path; costs stop at one less.
        """
        found = np.full((self.nodes, len(order)), UNREACHED, np.int32)
        heap = np.empty(64, np.int64)
        chosen = np.array(order, np.int64)
        found[node] = 0
        heap[0], size = node, 1
        while size > 0:
            size = dijkstra.compiled(self.first, self.heads, self.costs, chosen, found, heap, size)
            if size > 0:
                heap = np.concatenate([heap, np.empty(heap.size + int(np.diff(self.first).max()), np.int64)])
        return found


@helper
def push(heap, size, key):
    """Add a key to a heap of a size."""
    at = size
    while at > 0 and heap[(at - 1) >> 1] > key:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = key


@helper
def pop(heap, size):
    """Return the least key of a heap of a size, and remove it."""
    top, key = heap[0], heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key
    return top


@helper
def improves(costs, arc, order, found, node, head):
    """Write the costs of the path over an arc if they are lexicographically less; return whether they are."""
    is_less = False
    for k in range(order.size):
        total = min(np.int64(found[node, k]) + costs[arc, order[k]], UNREACHED - 1)
        if not is_less and total > found[head, k]:
            return False
        if is_less or total < found[head, k]:
            is_less = True
            found[head, k] = total
    return is_less


@kernel("int64(int64[::1], int32[::1], int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64)")
def dijkstra(first, heads, costs, order, found, heap, size):
    """Write the costs of least paths. Keys of the heap are the first cost << 32 | node.

    A node whose path improves in a later objective alone is taken again. Return 0, or the size of a heap that is full.
    """
    while size > 0:
        node = heap[0] & 0xFFFFFFFF
        if size + first[node + 1] - first[node] > heap.size:
            return size
        top = pop(heap, size)
        size -= 1
        if top >> 32 > found[node, 0]:
            continue
        for arc in range(first[node], first[node + 1]):
            head = np.int64(heads[arc])
            if improves(costs, arc, order, found, node, head):
                push(heap, size, np.int64(found[head, 0]) << 32 | head)
                size += 1
    return 0
