"""Open list with two or more orders: by f, whose smallest value is a lower bound, and by preference.

All are heaps of the same buckets (`algorithms.engine.open_list`). A bucket holds the nodes with the same g and h,
which are equal in all orders. So there are few entries, and an order can follow the rising lower bound: its entries get
new keys. The key of a bucket is a number that depends on g, h and the lower bound; the smallest comes first, then the
smallest h, then the smallest g. A bucket that becomes empty leaves each heap when it reaches the root.

An order other than that by f is a tuple: its heap, whether each bucket is in it, and an array with the size of the heap
at the indices that the control array has for the order by f. Only explicit estimation search uses the second and third
of them: buckets whose estimate is at most w times the smallest estimate, by h, and the others, by their estimates.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import PREVIOUS, G, H, Nodes
from algorithms.engine.open_list import (
    CLOSED,
    PARTS,
    OpenList,
    add_to_bucket,
    bucket_of,
    first_node,
    has_root,
    insert_entry,
    remove,
)
from worlds.compile.kernel import as_index, helper
from worlds.compile.operations import bits_of, float_of

LARGEST_POTENTIAL, SMALLEST_H, OPTIMISTIC, EXPLICIT = range(4)
"""Preferences, in `control.PRIORITY`."""
BOUND, FACTOR, ROOT_H = range(3)
"""Indices into the weights: the bound w, the factor of h in an optimistic f, and the h of the start."""
MAX_FACTOR = 10.0
"""Largest factor by which an estimate is corrected."""
ORDERS = "UniTuple(Tuple((int64[::1], int32[::1], int64[::1])), 3)"
"""Numba type of `FocalList.more`."""


class FocalList(OpenList):
    """Arrays of an open list with several orders.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        `BOUND`, `FACTOR` and `ROOT_H`.
    nodes : Nodes
        Store of the nodes that are pushed.
    """

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: Nodes) -> None:
        super().__init__(control, weights, nodes, "low_h")
        used = 3 if control[c.PRIORITY] == EXPLICIT else 1
        sizes = [self._entries.size if number < used else 0 for number in range(3)]
        self._orders = [
            (np.empty(size, np.int64), np.zeros(size // PARTS, np.int32), np.zeros(c.SIZE, np.int64)) for size in sizes
        ]

    @property
    def more(self) -> tuple[tuple[np.ndarray, ...], ...]:
        """Arrays of the orders other than that by f (`ORDERS`)."""
        return tuple(self._orders)

    @property
    def nbytes(self) -> int:
        """Bytes of the buckets, the hash table and the heaps."""
        return super().nbytes + sum(entries.nbytes + listed.nbytes for entries, listed, _ in self._orders)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double the number of buckets; return False if that would exceed the memory limit."""
        if not super().grow(other_bytes, memory_limit):
            return False
        self._orders = [
            (np.concatenate([entries, entries]), np.concatenate([listed, np.zeros_like(listed)]), sizes)
            for entries, listed, sizes in self._orders
        ]
        return True


@helper
def push_all_orders(control, node, fields, width, queue, orders):
    """Insert a node into all orders. If the arrays are full, return False and change nothing."""
    ends, table, entries, weights = queue
    preferred, focal, waiting = orders
    record = node * width
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    bucket = bucket_of(control, g + h, h, ends, table)
    if bucket < 0:
        return False
    bucket = np.int64(as_index(bucket))
    if add_to_bucket(bucket, node, False, record, fields, width, ends):
        insert_entry(control, entries, g + h, h, bucket)
    second = (h << 31) | g
    if preferred[1][bucket] == 0:
        add(preferred, key_of(control, weights, g, h), second, bucket)
    if control[c.PRIORITY] == EXPLICIT and focal[1][bucket] == 0 and waiting[1][bucket] == 0:
        add(waiting, key_of(control, weights, g, h), second, bucket)
    return True


@helper
def key_of(control, weights, g, h):
    """Return the key of a bucket in the preferred order, at least 0."""
    if control[c.PRIORITY] == EXPLICIT:
        return np.int64(bits_of(estimate(weights, g, h)))
    if control[c.PRIORITY] == OPTIMISTIC:
        return np.int64(bits_of(g + weights[FACTOR] * h))
    most = weights[BOUND] * control[c.LOWER_BOUND]
    if g + h > most:
        return np.int64(bits_of(np.inf))
    if control[c.PRIORITY] == SMALLEST_H:
        return h
    return np.int64(bits_of(h / (most - g) if h > 0 else 0.0))


@helper
def add(order, first, second, bucket):
    """Insert a bucket into an order."""
    entries, listed, sizes = order
    listed[bucket] = 1
    insert_entry(sizes, entries, first, second, bucket)


@helper
def remove_first(order):
    """Remove the first bucket from an order."""
    entries, listed, sizes = order
    listed[as_index(entries[2])] = 0
    sizes[c.IS_ROOT_VACANT] = 1


@helper
def first_in(order, ends):
    """Return the first bucket in an order that has nodes, which is then the root; -1 if there is none."""
    entries, _, sizes = order
    while has_root(sizes, entries):
        bucket = as_index(entries[2])
        if ends[2 * bucket] >= 0:
            return np.int64(bucket)
        remove_first(order)
    return np.int64(-1)


@helper
def smallest_f(control, fields, width, queue):
    """Return the smallest f of an open node, whose bucket is then the root of its heap; `NO_INCUMBENT` without one."""
    return queue[2][0] if first_node(control, fields, width, queue) >= 0 else np.int64(c.NO_INCUMBENT)


@helper
def pop_chosen(control, fields, width, queue, orders):
    """Remove the node that the search expands next, close it and return it. `smallest_f` has found a node."""
    ends, _, entries, weights = queue
    preferred = orders[0]
    bucket = first_in(preferred, ends)
    if control[c.PRIORITY] == OPTIMISTIC:
        if float_of(preferred[0][0]) >= control[c.INCUMBENT_COST]:
            bucket = entries[2]
    elif control[c.PRIORITY] == EXPLICIT:
        most, smallest = weights[BOUND] * control[c.LOWER_BOUND], float_of(preferred[0][0])
        nearest = nearest_in_focal(ends, weights, orders, weights[BOUND] * smallest)
        if estimate_of(weights, orders[1]) <= most:
            bucket = nearest
        elif smallest > most:
            bucket = entries[2]
    bucket = as_index(bucket)
    node = np.int64(ends[2 * bucket])
    remove(node, fields, width, queue)
    fields[node * width + PREVIOUS] = CLOSED
    return node


@helper
def nearest_in_focal(ends, weights, orders, most):
    """Return the bucket with the smallest h among those whose estimated cost is at most `most`. There is one."""
    _, focal, waiting = orders
    while first_in(waiting, ends) >= 0 and float_of(waiting[0][0]) <= most:
        second, bucket = waiting[0][1], waiting[0][2]
        remove_first(waiting)
        add(focal, second, second, bucket)
    while True:
        bucket, second = first_in(focal, ends), focal[0][1]
        corrected = estimate_of(weights, focal)
        if corrected <= most:
            return bucket
        remove_first(focal)
        add(waiting, np.int64(bits_of(corrected)), second, bucket)


@helper
def estimate(weights, g, h):
    """Return the corrected estimate of the cost of a solution through a bucket (`ExplicitEstimationSearch`)."""
    progress = weights[ROOT_H] - h
    if g <= progress:
        return np.float64(g + h)
    return g + h * (g / progress if g < MAX_FACTOR * progress else MAX_FACTOR)


@helper
def estimate_of(weights, order):
    """Return the corrected estimate of the first bucket in an order."""
    second = order[0][1]
    return estimate(weights, second & 0x7FFFFFFF, second >> 31)


@helper
def reorder(control, queue, order):
    """Give all buckets of the preferred order their keys again, because the lower bound has risen."""
    ends, _, _, weights = queue
    entries, listed, sizes = order
    has_root(sizes, entries)
    size = sizes[c.HEAP_SIZE]
    sizes[c.HEAP_SIZE] = 0
    for entry in range(size):
        second, bucket = entries[entry * PARTS + 1], as_index(entries[entry * PARTS + 2])
        if ends[2 * bucket] < 0:
            listed[bucket] = 0
        else:
            add(order, key_of(control, weights, second & 0x7FFFFFFF, second >> 31), second, np.int64(bucket))
