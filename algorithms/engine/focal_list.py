"""Open list with two orders: by f, whose smallest value is a lower bound, and by preference.

Both are heaps of the same buckets (`algorithms.engine.open_list`). A bucket holds the nodes with the same g and h,
which are equal in both orders. So there are few entries, and the order by preference can follow a rising lower bound:
all of its entries get new keys. The preference of a bucket is a number that depends on g, h and the lower bound; the
smallest comes first, then the smallest h, then the smallest g. A bucket that becomes empty leaves each heap when it
reaches the root.

The order by preference is a tuple: its heap, `LISTED` of each bucket, and an array with the size of the heap, at the
indices that the control array has for the order by f.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import PREVIOUS, G, H, Nodes
from algorithms.engine.open_list import (
    ABSENT,
    CLOSED,
    PARTS,
    WEIGHT_G,
    OpenList,
    add_to_bucket,
    bucket_of,
    has_root,
    insert_entry,
    remove,
)
from worlds.compile.kernel import as_index, helper
from worlds.compile.operations import bits_of

POTENTIAL, SMALLEST_H, OPTIMISTIC = range(3)
"""Preferences, in `control.PRIORITY`."""
BOUND, FACTOR = WEIGHT_G, WEIGHT_G + 1
"""Indices into the weights: the bound on the suboptimality, and the weight of h in an optimistic f."""
PREFERENCE = "Tuple((int64[::1], int32[::1], int64[::1]))"
"""Numba type of `FocalList.preference`."""


class FocalList(OpenList):
    """Arrays of an open list with two orders.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        `BOUND` and `FACTOR`.
    nodes : Nodes
        Store of the nodes that are pushed.
    """

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: Nodes) -> None:
        super().__init__(control, weights, nodes, "low_h")
        self._preferred, self._listed = np.empty_like(self._entries), np.zeros(self._ends.size // 2, np.int32)
        self._sizes = np.zeros(c.SIZE, np.int64)

    @property
    def preference(self) -> tuple[np.ndarray, ...]:
        """Arrays of the order by preference (`PREFERENCE`)."""
        return self._preferred, self._listed, self._sizes

    @property
    def nbytes(self) -> int:
        """Bytes of the buckets, the hash table and both heaps."""
        return super().nbytes + self._preferred.nbytes + self._listed.nbytes

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double the number of buckets; return False if that would exceed the memory limit."""
        if not super().grow(other_bytes, memory_limit):
            return False
        self._preferred = np.concatenate([self._preferred, np.empty_like(self._preferred)])
        self._listed = np.concatenate([self._listed, np.zeros_like(self._listed)])
        return True


@helper
def push_both(control, node, fields, width, queue, preference):
    """Insert a node into both orders. If the arrays are full, return False and change nothing."""
    ends, table, entries, weights = queue
    preferred, listed, sizes = preference
    record = node * width
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    bucket = bucket_of(control, g + h, h, ends, table)
    if bucket < 0:
        return False
    bucket = np.int64(as_index(bucket))
    if add_to_bucket(bucket, node, False, record, fields, width, ends):
        insert_entry(control, entries, g + h, h, bucket)
    if listed[bucket] == 0:
        listed[bucket] = 1
        insert_entry(sizes, preferred, preference_of(control, weights, g, h), (h << 31) | g, bucket)
    return True


@helper
def preference_of(control, weights, g, h):
    """Return the key of a bucket in the order by preference, at least 0."""
    if control[c.PRIORITY] == OPTIMISTIC:
        return np.int64(bits_of(g + weights[FACTOR] * h))
    most = weights[BOUND] * control[c.LOWER_BOUND]
    if g + h > most:
        return np.int64(bits_of(np.inf))
    if control[c.PRIORITY] == SMALLEST_H:
        return h
    return np.int64(bits_of(h / (most - g) if h > 0 else 0.0))


@helper
def smallest_f(control, queue):
    """Return the smallest f of an open node, whose bucket is then the root of its heap; -1 if there is none."""
    ends, _, entries, _ = queue
    while has_root(control, entries):
        bucket = as_index(entries[2])
        if ends[2 * bucket] >= 0:
            return entries[0]
        ends[2 * bucket + 1] = ABSENT
        control[c.IS_ROOT_VACANT] = 1
    return np.int64(-1)


@helper
def pop_preferred(control, fields, width, queue, preference, limit):
    """Remove the node that is preferred, close it and return it. `smallest_f` has found a node.

    If its key is at least `limit`, take the one with the smallest f instead.
    """
    ends, _, entries, _ = queue
    preferred, listed, sizes = preference
    bucket = as_index(entries[2])
    while has_root(sizes, preferred):
        first = as_index(preferred[2])
        if ends[2 * first] >= 0:
            if preferred[0] < limit:
                bucket = first
            break
        listed[first] = 0
        sizes[c.IS_ROOT_VACANT] = 1
    node = np.int64(ends[2 * bucket])
    remove(node, fields, width, queue)
    fields[node * width + PREVIOUS] = CLOSED
    return node


@helper
def reorder(control, fields, width, queue, preference):
    """Order all buckets by preference again, because the lower bound has risen."""
    ends, _, _, weights = queue
    preferred, listed, sizes = preference
    has_root(sizes, preferred)
    size = sizes[c.HEAP_SIZE]
    sizes[c.HEAP_SIZE] = 0
    for entry in range(size):
        bucket = as_index(preferred[entry * PARTS + 2])
        node = np.int64(ends[2 * bucket])
        if node < 0:
            listed[bucket] = 0
            continue
        record = as_index(node) * width
        g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
        insert_entry(sizes, preferred, preference_of(control, weights, g, h), (h << 31) | g, np.int64(bucket))


@helper
def limit_of(cost):
    """Return the key that an optimistic f of this cost has."""
    return np.int64(bits_of(np.float64(cost)))
