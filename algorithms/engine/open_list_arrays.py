"""Arrays of an open list: allocation, growth, reordering, and how many nodes were popped before the last layer of f."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import Nodes
from algorithms.engine.open_heap import PARTS
from algorithms.engine.open_list import FIFO, TIES, insert_buckets, pop_all, push_all

_FIRST_BUCKETS, _FIRST_ENTRIES = 256, 1024
_POPPED = slice(c.POPPED, c.LAST_F + 1)


class OpenListArrays:
    """Open list of a search.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        Weights of the priority (`WEIGHT_G` and those after it in `algorithms.engine.open_list`).
    nodes : Nodes
        Store of the nodes that are pushed.
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Order of nodes with the same f.
    is_heap : bool
        Whether it is a heap of nodes instead of buckets. The order of the nodes is the same.
    """

    def __init__(
        self, control: np.ndarray, weights: np.ndarray, nodes: Nodes, ties: str, *, is_heap: bool = False
    ) -> None:
        self._control, self._weights, self._nodes = control, weights, nodes
        control[c.TIES] = TIES[ties]
        self._buckets = _NO_BUCKETS if is_heap else _allocate(_FIRST_BUCKETS)
        self._entries = np.empty(PARTS * _FIRST_ENTRIES if is_heap else 0, np.int64)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays as kernels take them (`algorithms.engine.open_list.QUEUE`)."""
        return *self._buckets, self._entries, self._weights

    @property
    def nbytes(self) -> int:
        """Bytes of the buckets, the heaps and the hash table."""
        return sum(array.nbytes for array in self._buckets) + self._entries.nbytes

    def reorder_open(self) -> None:
        """Reorder all nodes after a change of the weights. Nodes whose keys become equal keep their order."""
        counted = self._control[_POPPED].copy()  # `pop_all` counts its own pops
        nodes, width = np.empty(self._control[c.NODES], np.int32), 2 * self._nodes.stride
        count = pop_all.compiled(self._control, self._nodes.fields, width, self.arrays, nodes)
        if self._control[c.TIES] != FIFO:  # the node that is pushed last comes first
            nodes[:count] = nodes[:count][::-1].copy()
        done = 0
        while True:
            done = push_all.compiled(self._control, self._nodes.fields, width, self.arrays, nodes, done, count)
            if done == count:
                break
            self.grow(0, None)
        self._control[_POPPED] = counted

    def popped_below_last(self) -> int | None:
        """Count the popped nodes whose f, at that time, was smaller than that of the last one.

        None if that of another node was larger: then f has no layers.
        """
        control = self._control
        return int(control[c.POPPED_BELOW]) if control[c.LAST_F] == control[c.LARGEST_F] else None

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double the number of buckets or entries; return False if that would exceed the memory limit."""
        if memory_limit is not None and 2 * self.nbytes + other_bytes > memory_limit:
            return False
        if self._entries.size:
            self._entries = np.concatenate([self._entries, np.empty_like(self._entries)])
            return True
        old = self._buckets
        self._buckets = _allocate(2 * old[0].size)
        for new, array in zip(self._buckets[:-1], old[:-1], strict=True):
            new[: array.size] = array
        insert_buckets.compiled(self._control, self.arrays)
        return True


def _allocate(buckets: int) -> tuple[np.ndarray, ...]:
    """Allocate f, tie, ends, heap, and a hash table that is at most half full."""
    return (
        np.empty(buckets, np.float64),
        np.empty(buckets, np.int32),
        np.empty(2 * buckets, np.int32),
        np.empty(buckets, np.int32),
        np.zeros(4 * buckets, np.int64),
    )


_NO_BUCKETS = _allocate(1)
