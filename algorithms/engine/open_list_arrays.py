"""The arrays of an open list, and their growth."""

from __future__ import annotations

from collections import Counter

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import Nodes
from algorithms.engine.open_list import FIFO, TIES, drain, enter_all, refill

_FIRST_BUCKETS = 256


class OpenListArrays:
    """The open list of a search, as kernels take it (`arrays`, of type `algorithms.engine.open_list.QUEUE`).

    Parameters
    ----------
    control, weights : ndarray
        Of the search.
    nodes : Nodes
    ties : {"low_h", "high_h", "fifo", "lifo"}
    """

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: Nodes, ties: str) -> None:
        self._control, self._weights, self._nodes = control, weights, nodes
        control[c.TIES] = TIES[ties]
        self.arrays = _arrays(_FIRST_BUCKETS)
        self._popped_earlier: Counter[float] = Counter()  # by f, from buckets that `reorder_open` has forgotten

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    def reorder_open(self) -> None:
        """Order all nodes anew after the weights changed; those that become equal keep their order."""
        self._popped_earlier.update(self._popped())  # first, because `drain` pops too
        nodes, width = np.empty(self._control[c.NODES], np.int32), 2 * self._nodes.stride
        count = drain.compiled(self._control, self._nodes.fields, width, self.arrays, nodes)
        if self._control[c.TIES] != FIFO:  # what is pushed last comes first
            nodes[:count] = nodes[:count][::-1].copy()
        done = 0
        while True:
            done = refill.compiled(
                self._control, self._weights, self._nodes.fields, width, self.arrays, nodes, done, count
            )
            if done == count:
                return
            self.grow(0, None)

    def _popped(self) -> Counter[float]:
        """Count the nodes popped from the present buckets, by f."""
        bucket_f, _, _, _, popped, _ = self.arrays
        used = np.flatnonzero(popped[: self._control[c.BUCKETS]])
        counts: Counter[float] = Counter()
        for f, count in zip(bucket_f[used].tolist(), popped[used].tolist(), strict=True):
            counts[f] += count
        return counts

    def popped_below_last(self) -> int:
        """Count the nodes popped with a smaller f than the node popped last, since which nothing was pushed."""
        bucket_f, _, _, heap, _, _ = self.arrays
        last = float(bucket_f[heap[0]])
        popped = self._popped_earlier + self._popped()
        return sum(count for f, count in popped.items() if f < last)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Make room for twice as many buckets. False if that takes too much memory."""
        if memory_limit is not None and 2 * self.nbytes + other_bytes > memory_limit:
            return False
        old = self.arrays
        self.arrays = _arrays(2 * old[0].size)
        for new, kept in zip(self.arrays[:-1], old[:-1], strict=True):
            new[: kept.size] = kept
        enter_all.compiled(self._control, self.arrays)
        return True


def _arrays(buckets: int) -> tuple[np.ndarray, ...]:
    """f, tie, ends, heap, popped, and a hash table that is at most half full."""
    return (
        np.empty(buckets, np.float64),
        np.empty(buckets, np.int32),
        np.empty(2 * buckets, np.int32),
        np.empty(buckets, np.int32),
        np.empty(buckets, np.int64),
        np.zeros(4 * buckets, np.int64),
    )
