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
ABSENT = -1
"""Place in the heap of a node that is not there."""


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
        found[node] = 0
        heap = np.full(self.nodes, node, np.int32)
        place = np.full(self.nodes, ABSENT, np.int32)
        dijkstra.compiled(self.first, self.heads, self.costs, np.array(order, np.int64), found, heap, place)
        return found


@helper
def comes_before(found, node, other):
    """Return whether the costs of a node are lexicographically less than those of another."""
    for k in range(found.shape[1]):
        if found[node, k] != found[other, k]:
            return found[node, k] < found[other, k]
    return False


@helper
def sift_up(found, heap, place, at, node):
    """Put a node at a place of the heap, and move it up."""
    while at > 0:
        parent = (at - 1) >> 1
        if not comes_before(found, node, heap[parent]):
            break
        heap[at] = heap[parent]
        place[heap[at]] = at
        at = parent
    heap[at] = node
    place[node] = at


@helper
def sift_down(found, heap, place, size, node):
    """Put a node at the top of the heap, and move it down."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and comes_before(found, heap[child + 1], heap[child]):
            child += 1
        if not comes_before(found, heap[child], node):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = node
    place[node] = at


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


@kernel("int64(int64[::1], int32[::1], int32[:, ::1], int64[::1], int32[:, ::1], int32[::1], int32[::1])")
def dijkstra(first, heads, costs, order, found, heap, place):
    """Write the costs of least paths from the node in the heap. Each node is in the heap at most once.

    The whole vector orders the heap, so that a node is taken once, even if the first cost of many arcs is 0.
    """
    size = 1
    while size > 0:
        node = np.int64(heap[0])
        place[node] = ABSENT
        size -= 1
        if size > 0:
            sift_down(found, heap, place, size, np.int64(heap[size]))
        for arc in range(first[node], first[node + 1]):
            head = np.int64(heads[arc])
            if improves(costs, arc, order, found, node, head):
                is_new = place[head] == ABSENT
                sift_up(found, heap, place, size if is_new else np.int64(place[head]), head)
                size += is_new
    return 0
