"""The arrays of an open list, and their growth."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import Nodes
from algorithms.engine.open_list import (
    BUCKETS,
    HEAP,
    HIGH_H,
    LARGEST_BUCKET_TABLE,
    TIES,
    bucket_table,
    buckets_to_heap,
    heap_arrays,
    requeue,
)

_FIRST_ROWS = 64


class OpenListArrays:
    """The open list of a search, as kernels take it (`arrays`).

    Parameters
    ----------
    control, weights : ndarray
        Of the search.
    nodes : Nodes
    ties : {"low_h", "high_h", "fifo", "lifo"}
    first_f, first_h : int or None
        Where priorities begin if all are integers, and the h found there; None: they are not integers.
    has_heuristic : bool
    """

    def __init__(
        self,
        control: np.ndarray,
        weights: np.ndarray,
        nodes: Nodes,
        ties: str,
        first_f: int | None,
        first_h: int,
        has_heuristic: bool,
    ) -> None:
        self._control, self._weights, self._nodes = control, weights, nodes
        columns = 2 * first_h + 2 if has_heuristic and ties.endswith("_h") else 1
        if first_f is None or _FIRST_ROWS * columns > LARGEST_BUCKET_TABLE:
            rows = columns = 0
        else:
            rows = _FIRST_ROWS
            control[c.BASE] = first_f
        control[c.TIES] = TIES[ties]
        control[c.OPEN_KIND] = BUCKETS if rows else HEAP
        control[c.ROWS], control[c.COLUMNS] = rows, columns
        self._buckets = bucket_table(rows, columns)
        self._heap = heap_arrays(0 if rows else 1024)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Of type `algorithms.engine.open_list.QUEUE`."""
        return *self._buckets, *self._heap

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    def requeue(self) -> None:
        """Order the heap anew after the weights changed."""
        requeue.compiled(self._control, self._weights, self._nodes.fields, 2 * self._nodes.stride, self.arrays)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Make room for the node that could not be pushed. False if that takes too much memory."""
        limit = float("inf") if memory_limit is None else memory_limit - other_bytes
        if self._control[c.OPEN_KIND] == BUCKETS:
            base, rows, columns = self._needed_buckets()
            if rows * columns > LARGEST_BUCKET_TABLE:
                self._switch_to_heap()
            elif 8 * rows * (columns + 1) > limit:
                return False
            else:
                self._enlarge_buckets(base, rows, columns)
            return self.nbytes <= limit
        if 2 * self.nbytes > limit:
            return False
        old = self._heap
        self._heap = heap_arrays(2 * old[0].size)
        for new, kept in zip(self._heap, old, strict=True):
            new[: kept.size] = kept
        return True

    def _needed_buckets(self) -> tuple[int, int, int]:
        """Base, rows and columns of a table that has room for the node to be pushed."""
        control = self._control
        base, rows, columns, f = (int(control[name]) for name in (c.BASE, c.ROWS, c.COLUMNS, c.NEED_F))
        if f < base:
            lower = max(0, min(f, base - rows))
            base, rows = lower, rows + base - lower
        rows = _enough(rows, f - base + 1)
        return base, rows, 1 if control[c.TIES] > HIGH_H else _enough(columns, int(control[c.NEED_COLUMNS]))

    def _enlarge_buckets(self, base: int, rows: int, columns: int) -> None:
        control = self._control
        old_rows, old_columns = int(control[c.ROWS]), int(control[c.COLUMNS])
        ends, row_low, row_count = self._buckets
        self._buckets = bucket_table(rows, columns)
        right = columns - old_columns if control[c.TIES] == HIGH_H else 0
        down = int(control[c.BASE]) - base
        kept = slice(down, down + old_rows)
        table = self._buckets[0].reshape(rows, columns, 2)
        table[kept, right : right + old_columns] = ends.reshape(old_rows, old_columns, 2)
        self._buckets[1][kept] = row_low + right
        self._buckets[2][kept] = row_count
        control[c.BASE], control[c.ROWS], control[c.COLUMNS] = base, rows, columns
        control[c.LOWEST_ROW] += down

    def _switch_to_heap(self) -> None:
        """Too wide a range of priorities for buckets: move the open list to a heap, which keeps the order."""
        size = int(self._buckets[2].sum())
        self._heap = heap_arrays(2 * size + 1024)
        nodes = self._nodes
        buckets_to_heap.compiled(self._control, self._weights, nodes.fields, 2 * nodes.stride, self.arrays)
        self._buckets = bucket_table(0, 0)


def _enough(present: int, needed: int) -> int:
    return present if needed <= present else max(2 * present, needed)
