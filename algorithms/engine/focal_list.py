"""Open list with two or more orders: by f, whose smallest value is a lower bound, and by preference.

All are heaps of the same buckets (`algorithms.engine.open_list`). A bucket holds the nodes with the same g, h and d,
which are equal in all orders; d is the estimated number of steps to a goal, or h if there is no such estimate. So there
are few entries, and an order can follow the rising lower bound: its entries get new keys. A bucket that becomes empty
leaves each heap when it reaches the root. The two keys of an entry differ from those of all other buckets.

An order other than that by f is a tuple: its heap, an array with 1 + g of each bucket in it and 0 for the others, and
an array with the size of the heap at the indices that the control array has for the order by f. There are three:
`preferred`, by the key of `key_of`; `focal`, by d; and `waiting`, for buckets that do not yet belong to the second
(explicit estimation search: by their estimates) or to the first (focal search: by f).
"""

from __future__ import annotations

from typing import Any

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
from algorithms.engine.values import ValuedNodes, evaluate_range
from heuristics.stack import evaluate
from worlds.compile.kernel import as_index, helper
from worlds.compile.operations import bits_of, float_of

LARGEST_POTENTIAL, SMALLEST_D, OPTIMISTIC, EXPLICIT = range(4)
"""Preferences, in `control.PRIORITY`."""
BOUND, FACTOR, ROOT_H, ROOT_D = range(4)
"""Indices into the weights: the bound w, the factor of h in an optimistic f, and h and d of the start."""
MAX_FACTOR = 10.0
"""Largest factor by which an estimate is corrected."""
ORDERS = "Tuple((UniTuple(Tuple((int64[::1], int32[::1], int64[::1])), 3), int32[::1], int64[::1]))"
"""Numba type of `FocalList.more`: the orders; d of each node, or nothing if it is h; number of terms of d, and whether
they are combined by maximum."""
_SECOND = 0x7FFFFFFF
_NO_VALUES = np.zeros(0, np.int32)


class FocalList(OpenList):
    """Arrays of an open list with several orders.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        `BOUND`, `FACTOR`, `ROOT_H` and `ROOT_D`.
    nodes : Nodes
        Store of the nodes that are pushed. The value of `ValuedNodes` is d.
    distance : ndarray of int64
        Number of terms of d, and whether they are combined by maximum.
    """

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: Nodes, distance: np.ndarray) -> None:
        super().__init__(control, weights, nodes, "low_h")
        self._distance = distance
        used = {EXPLICIT: (0, 1, 2), SMALLEST_D: (0, 2)}.get(control[c.PRIORITY], (0,))
        sizes = [self._entries.size if number in used else 0 for number in range(3)]
        self._orders = [
            (np.empty(size, np.int64), np.zeros(size // PARTS, np.int32), np.zeros(c.SIZE, np.int64)) for size in sizes
        ]

    @property
    def more(self) -> tuple[Any, ...]:
        """Arrays of the orders other than that by f, and of d (`ORDERS`)."""
        values = self._nodes.values if isinstance(self._nodes, ValuedNodes) else _NO_VALUES
        return tuple(self._orders), values, self._distance

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
def evaluate_with_distance(
    terms, count, maximum, params, states, parent, parent_at, parent_h, out, out_at, action, h, scratch, first, n, more
):
    """Write the h of nodes, as `evaluate_stack` does, and store their d, whose terms follow those of h."""
    _, values, distance = more
    if values.size > 0:
        last, parent_d = count + distance[0], np.int64(values[parent])
        status = evaluate_range(
            terms, count, last, distance[1] != 0, params,
            states, parent_at, parent_d, out, out_at, action, h, scratch, n,
        )  # fmt: skip
        if status < 0:
            return status
        for k in range(n):
            values[first + k] = h[k]
    return evaluate(terms, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, 0, n)


@helper
def push_all_orders(control, node, fields, width, queue, more):
    """Insert a node into all orders. If the arrays are full, return False and change nothing."""
    ends, table, entries, weights = queue
    orders, values, _ = more
    preferred, focal, waiting = orders
    record = node * width
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    d = np.int64(values[node]) if values.size > 0 else h
    bucket = bucket_of(control, (d << 32) | (g + h), h, ends, table)
    if bucket < 0:
        return False
    bucket = np.int64(as_index(bucket))
    if add_to_bucket(bucket, node, False, record, fields, width, ends):
        insert_entry(control, entries, g + h, (h << 31) | d, bucket)
    by_f = control[c.PRIORITY] == SMALLEST_D
    if control[c.PRIORITY] == EXPLICIT:
        key, second = np.int64(bits_of(estimate(weights, g, h, d))), (d << 31) | h
        if preferred[1][bucket] == 0:
            add(preferred, key, second, bucket, g)
        if focal[1][bucket] == 0 and waiting[1][bucket] == 0:
            add(waiting, key, second, bucket, g)
    elif preferred[1][bucket] == 0 and not (by_f and waiting[1][bucket] != 0):
        if by_f and g + h > weights[BOUND] * control[c.LOWER_BOUND]:
            add(waiting, g + h, (d << 31) | h, bucket, g)
        else:
            add(preferred, key_of(control, weights, g, h, d), (h << 31) | g, bucket, g)
    return True


@helper
def key_of(control, weights, g, h, d):
    """Return the key of a bucket in the preferred order, at least 0. Explicit estimation search has `estimate`."""
    if control[c.PRIORITY] == OPTIMISTIC:
        return np.int64(bits_of(g + weights[FACTOR] * h))
    if control[c.PRIORITY] == SMALLEST_D:
        return d
    most = weights[BOUND] * control[c.LOWER_BOUND]
    if g + h > most:
        return np.int64(bits_of(np.inf))
    return np.int64(bits_of(h / (most - g) if h > 0 else 0.0))


@helper
def add(order, first, second, bucket, g):
    """Insert a bucket into an order."""
    entries, listed, sizes = order
    listed[bucket] = 1 + g
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
def pop_chosen(control, fields, width, queue, more):
    """Remove the node that the search expands next, close it and return it. `smallest_f` has found a node."""
    ends, _, entries, weights = queue
    orders = more[0]
    preferred, focal, waiting = orders
    most = weights[BOUND] * control[c.LOWER_BOUND]
    if control[c.PRIORITY] == SMALLEST_D:
        while first_in(waiting, ends) >= 0 and waiting[0][0] <= most:
            second, bucket = waiting[0][1], waiting[0][2]
            g = np.int64(waiting[1][as_index(bucket)]) - 1
            remove_first(waiting)
            add(preferred, second >> 31, ((second & _SECOND) << 31) | g, bucket, g)
    bucket = first_in(preferred, ends)
    if control[c.PRIORITY] == OPTIMISTIC:
        if float_of(preferred[0][0]) >= control[c.INCUMBENT_COST]:
            bucket = entries[2]
    elif control[c.PRIORITY] == EXPLICIT:
        smallest = float_of(preferred[0][0])
        nearest, corrected = nearest_in_focal(ends, weights, focal, waiting, weights[BOUND] * smallest)
        if corrected <= most:
            bucket = nearest
        elif smallest > most:
            bucket = entries[2]
    bucket = as_index(bucket)
    node = np.int64(ends[2 * bucket])
    remove(node, fields, width, queue)
    fields[node * width + PREVIOUS] = CLOSED
    return node


@helper
def nearest_in_focal(ends, weights, focal, waiting, most):
    """Return the bucket with the smallest d of those whose estimate is at most `most`, and its estimate.

    There is such a bucket.
    """
    while first_in(waiting, ends) >= 0 and float_of(waiting[0][0]) <= most:
        second, bucket = waiting[0][1], waiting[0][2]
        g = np.int64(waiting[1][as_index(bucket)]) - 1
        remove_first(waiting)
        add(focal, second >> 31, ((second & _SECOND) << 31) | g, bucket, g)
    while True:
        bucket, d, second = first_in(focal, ends), focal[0][0], focal[0][1]
        g, h = second & _SECOND, second >> 31
        corrected = estimate(weights, g, h, d)
        if corrected <= most:
            return bucket, corrected
        remove_first(focal)
        add(waiting, np.int64(bits_of(corrected)), (d << 31) | h, bucket, g)


@helper
def estimate(weights, g, h, d):
    """Return the corrected estimate of the cost of a solution through a bucket (`ExplicitEstimationSearch`)."""
    error, progress = g + h - weights[ROOT_H], weights[ROOT_D] - d
    if error <= 0:
        return np.float64(g + h)
    if d * error < (MAX_FACTOR - 1) * h * progress:
        return g + h + d * error / progress
    return g + MAX_FACTOR * h


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
        g, h = second & _SECOND, second >> 31
        if ends[2 * bucket] < 0:
            listed[bucket] = 0
        else:
            add(order, key_of(control, weights, g, h, h), second, np.int64(bucket), g)
