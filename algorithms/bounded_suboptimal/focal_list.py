"""Open list with two or more orders: by f, whose smallest value is a lower bound, and by preference.

All orders hold the same items: buckets of nodes with the same g, h and d, which are equal in all orders, or with real
costs, where most of these differ, nodes (`algorithms.engine.open_list`). d is the estimated number of steps to a goal,
or h if there is no such estimate. An item leaves each order when it comes first there and its bucket is empty, or its
node has left the open list; the item of a node begins with the rank of its push for that, which also makes the newest
of equal nodes the first. An order can follow the rising lower bound: its entries get new keys.

An order is a heap (`algorithms.engine.heap`) and behind it, in the same array, entries that have not yet come into it.
They do when the first entry is asked for and could be one of them: most nodes that a search opens are never first by
f. The orders are `by_f`; `preferred`, by the key of `key_of`; `focal`, by d; and `waiting`, for items that do not yet
belong to the last (explicit estimation search: by their estimates) or to the second (focal search: by f).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from algorithms.best_first.kernel import stack_evaluator
from algorithms.engine import (
    CLOSED,
    HEAD,
    NEXT,
    PARTS,
    PREVIOUS,
    G,
    H,
    Inlined,
    Memory,
    Nodes,
    OpenList,
    ValuedNodes,
    add_to_bucket,
    bucket_of,
    by_keys_and_item,
    evaluator,
    heap_of,
    remove,
    single_term,
    uses_buckets,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from heuristics.interface import evaluate, evaluate_range
from worlds.compile import Kernel, as_index, helper, named

LARGEST_POTENTIAL, SMALLEST_D, OPTIMISTIC, EXPLICIT = range(4)
"""Preferences, in `control.PRIORITY`."""
BOUND, FACTOR, ROOT_H, ROOT_D = range(4)
"""Indices into the weights: the bound w, the factor of h in an optimistic f, and h and d of the start."""
MAX_FACTOR = 10.0
"""Largest factor by which an estimate is corrected."""
ORDERS = "Tuple((UniTuple(Tuple((int64[::1], boolean[::1], int64[::1])), 4), int32[::1], int64[::1]))"
"""Numba type of `FocalList.more`: the orders; d of each node, or nothing if it is h; number of terms of d, and whether
they are combined by maximum. An order is its entries; for each bucket, whether it has an entry; and numbers at the
indices that the control array has."""
NO_VALUES = np.zeros(0, np.int32)
_FIRST_ENTRIES = 8192
_STAMP = 0x7FFFFFFF
NO_KEY = (1 << 63) - 1
"""Larger than all first keys."""

insert_entry, has_root = heap_of(by_keys_and_item)


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
    has_buckets : bool
        Whether the items of the orders are buckets or nodes. The order of the nodes is the same.
    """

    def __init__(
        self,
        control: np.ndarray,
        weights: np.ndarray,
        nodes: Nodes,
        distance: np.ndarray,
        *,
        has_buckets: bool,
    ) -> None:
        super().__init__(control, weights, nodes, "low_h", has_buckets=has_buckets)
        self._entries = self._entries[:0]
        self._distance = distance
        self._room = self._ends.size // 2 or _FIRST_ENTRIES
        self._used = {EXPLICIT: range(4), SMALLEST_D: (0, 1, 3)}.get(control[q.PRIORITY], (0, 1))
        nodes.blocks.extend(Memory(0) for _ in range(len(nodes.blocks), 4))
        self._sizes = [np.zeros(c.SIZE, np.int64) for _ in range(4)]
        for sizes in self._sizes:
            sizes[q.LEAST_UNSORTED] = NO_KEY
        self._make_orders(np.zeros(0, np.bool_) for _ in range(4))

    def _make_orders(self, listed: Iterable[np.ndarray]) -> None:
        """Make the orders with the present room; `listed` is as before."""
        self._orders = []
        for number, (block, before, sizes) in enumerate(zip(self._nodes.blocks, listed, self._sizes, strict=True)):
            room = self._room if number in self._used else 0
            if block.nbytes < 8 * PARTS * room:
                block.resize(8 * PARTS * room)
            entries = block.view(np.int64)[: PARTS * room]
            now_listed = np.zeros(room if uses_buckets(self._ends) else 0, np.bool_)
            now_listed[: before.size] = before
            self._orders.append((entries, now_listed, sizes))

    @property
    def more(self) -> tuple[Any, ...]:
        """The orders, and d (`ORDERS`)."""
        values = self._nodes.values if isinstance(self._nodes, ValuedNodes) else NO_VALUES
        return tuple(self._orders), values, self._distance

    @property
    def nbytes(self) -> int:
        """Bytes of the buckets, the hash table and the orders."""
        return super().nbytes + sum(entries.nbytes + listed.nbytes for entries, listed, _ in self._orders)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double all arrays; return False if that would exceed the memory limit."""
        if not super().grow(other_bytes, memory_limit):
            return False
        self._room *= 2
        listed = [order[1] for order in self._orders]
        self._orders = []  # no view of a block may be left
        self._make_orders(listed)
        return True


def distance_evaluator(inlined: Inlined | None, distance: tuple[Kernel, ...] | None) -> Callable[..., Any]:
    """Return the helper that writes the h of nodes, as that of `stack_evaluator`, and stores their d.

    The terms of d follow those of h.

    Parameters
    ----------
    inlined : Inlined or None
        Kernels to compile into that of the search.
    distance : tuple of Kernel or None
        The only term of d to compile into it, if there is one; None if d is h.
    """
    if inlined is None:
        return evaluate_with_distance
    if distance is None:
        return stack_evaluator(inlined)
    evaluate_h = evaluator(inlined)
    evaluate_d = single_term(distance[0] if distance else None, 0 if inlined.term is None else 1)

    def evaluate_both(
        terms, count, maximum, params, states, parent, parent_at, parent_h,
        out, out_at, action, h, scratch, slot, first, n, more,
    ):  # fmt: skip
        values = more[1]
        status = evaluate_d(
            terms, 1, False, params, states, parent_at, np.int64(values[parent]),
            out, out_at, action, h, scratch, slot, n,
        )  # fmt: skip
        if status < 0:
            return status
        for k in range(n):
            values[first + k] = h[slot + k]
        return evaluate_h(
            terms, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n
        )

    return helper(named(evaluate_both, "evaluate_both", evaluate_h, evaluate_d))


@helper
def evaluate_with_distance(
    terms, count, maximum, params, states, parent, parent_at, parent_h,
    out, out_at, action, h, scratch, slot, first, n, more,
):  # fmt: skip
    """Do the same with the terms of both stacks by their addresses. Without `values`, d is h."""
    _, values, distance = more
    if values.size > 0:
        last, parent_d = count + distance[0], np.int64(values[parent])
        status = evaluate_range(
            terms, count, last, distance[1] != 0, params,
            states, parent_at, parent_d, out, out_at, action, h, scratch, slot, n,
        )  # fmt: skip
        if status < 0:
            return status
        for k in range(n):
            values[first + k] = h[slot + k]
    return evaluate(
        terms, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n
    )


@helper
def push_all_orders(control, node, fields, width, queue, more):
    """Insert a node into all orders. If the arrays are full, return False and change nothing."""
    ends, table, _, weights = queue
    orders, values, _ = more
    by_f, preferred, focal, waiting = orders
    record = node * width
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    d = np.int64(values[node]) if values.size > 0 else h
    if uses_buckets(ends):
        item = bucket_of(control, (d << 32) | (g + h), h, ends, table)
        if item < 0:
            return False
        item = np.int64(as_index(item))
        add_to_bucket(item, node, False, record, fields, width, ends)
    else:
        if has_no_room(orders, 1):  # most entries may be of nodes that have left the open list
            for order in orders:
                compact(order, ends, fields, width)
            if has_no_room(orders, by_f[0].size // (2 * PARTS)):
                return False
        rank = -control[q.PUSHES] - 1  # as uint64: the newest first
        item = (rank << 32) | np.int64(node)
        control[q.PUSHES] += 1
        fields[record + NEXT] = rank & _STAMP
        fields[record + PREVIOUS] = HEAD
    add(by_f, g + h, (h << 31) | d, item)
    if control[q.PRIORITY] == EXPLICIT:
        key, second = np.float64(estimate(weights, g, h, d)).view(np.int64), (d << 31) | h
        add(preferred, key, second, item)
        if key <= control[q.FOCAL_LIMIT]:
            if not is_listed(waiting, item):
                add(focal, d, (h << 31) | g, item)
        elif not is_listed(focal, item):
            add(waiting, key, second, item)
    elif control[q.PRIORITY] != SMALLEST_D:
        add(preferred, key_of(control, weights, g, h), (h << 31) | g, item)
    elif g + h <= weights[BOUND] * control[b.LOWER_BOUND]:
        if not is_listed(waiting, item):
            add(preferred, d, (h << 31) | g, item)
    elif not is_listed(preferred, item):
        add(waiting, g + h, (h << 31) | g, item)
    return True


@helper
def key_of(control, weights, g, h):
    """Return the key of an item in the preferred order of an optimistic search, or one by potential; at least 0."""
    if control[q.PRIORITY] == OPTIMISTIC:
        return np.float64(g + weights[FACTOR] * h).view(np.int64)
    most = weights[BOUND] * control[b.LOWER_BOUND]
    if g + h > most:
        return np.float64(np.inf).view(np.int64)
    return np.float64(h / (most - g) if h > 0 else 0.0).view(np.int64)


@helper
def has_no_room(orders, count):
    """Tell whether an order may have no room for `count` nodes, now or after all that is waiting has come to it."""
    by_f, preferred, focal, waiting = orders
    waits = entries_in(waiting)
    most = max(entries_in(by_f), waits + max(entries_in(preferred), entries_in(focal)))
    return (most + count) * PARTS > by_f[0].size


@helper
def entries_in(order):
    """Return the number of entries of an order."""
    sizes = order[2]
    return sizes[q.HEAP_SIZE] + sizes[q.UNSORTED]


@helper
def is_listed(order, item):
    """Tell whether a bucket has an entry in an order."""
    listed = order[1]
    return listed.size > 0 and listed[as_index(item)]


@helper
def add(order, first, second, item):
    """Append an entry to an order. A bucket has at most one."""
    entries, listed, sizes = order
    if listed.size > 0:
        if listed[as_index(item)]:
            return
        listed[as_index(item)] = True
    at = as_index(sizes[q.HEAP_SIZE] + sizes[q.UNSORTED]) * PARTS
    entries[at], entries[at + 1], entries[at + 2] = first, second, item
    sizes[q.UNSORTED] += 1
    sizes[q.LEAST_UNSORTED] = min(sizes[q.LEAST_UNSORTED], first)


@helper
def remove_first(order):
    """Remove the root of an order."""
    entries, listed, sizes = order
    if listed.size > 0:
        listed[as_index(entries[2])] = False
    sizes[q.IS_ROOT_VACANT] = 1


@helper
def sort(order, ends, fields, width):
    """Insert the entries behind the heap into it, but for those without an open node."""
    entries, listed, sizes = order
    begin = as_index(sizes[q.HEAP_SIZE])
    end = begin + as_index(sizes[q.UNSORTED])
    sizes[q.UNSORTED] = 0
    sizes[q.LEAST_UNSORTED] = NO_KEY
    for at in range(begin * PARTS, end * PARTS, PARTS):
        item = entries[at + 2]
        if open_node(item, ends, fields, width) >= 0:
            insert_entry(sizes, entries, entries[at], entries[at + 1], item)
        elif listed.size > 0:
            listed[as_index(item)] = False


@helper
def unsort(order):
    """Make all entries of an order unsorted. Their least key is 0 then, unless it is set."""
    entries, _, sizes = order
    count = as_index(entries_in(order))
    if sizes[q.IS_ROOT_VACANT] != 0:
        count -= 1
        for part in range(PARTS):
            entries[part] = entries[count * PARTS + part]
    sizes[q.IS_ROOT_VACANT] = 0
    sizes[q.HEAP_SIZE] = 0
    sizes[q.UNSORTED] = count
    sizes[q.LEAST_UNSORTED] = 0


@helper
def compact(order, ends, fields, width):
    """Remove all entries without an open node from an order."""
    unsort(order)
    sort(order, ends, fields, width)


@helper
def reorder(control, order, fields, width, queue):
    """Give all items of the preferred order their keys again, because the lower bound has risen."""
    ends, _, _, weights = queue
    entries, _, sizes = order
    unsort(order)
    for at in range(0, as_index(sizes[q.UNSORTED]) * PARTS, PARTS):
        node = open_node(entries[at + 2], ends, fields, width)
        if node >= 0:
            g, h, _ = values_of(as_index(node), fields, width, NO_VALUES)
            entries[at] = key_of(control, weights, g, h)
    sort(order, ends, fields, width)


@helper
def open_node(item, ends, fields, width):
    """Return the first open node of an item, or -1 if there is none."""
    if uses_buckets(ends):
        return np.int64(ends[2 * item])
    node = as_index(item)
    record = node * width
    is_fresh = fields[record + PREVIOUS] == HEAD and fields[record + NEXT] == (item >> 32) & _STAMP
    return np.int64(node) if is_fresh else np.int64(-1)


@helper
def values_of(node, fields, width, values):
    """Return g, h and d of a node."""
    g, h = np.int64(fields[node * width + G]), np.int64(fields[node * width + H])
    return g, h, np.int64(values[node]) if values.size > 0 else h


@helper
def has_first(order, ends, fields, width, is_exact):
    """Tell whether an order has an open node. With `is_exact` = 1, its first one is then the root.

    With 0, another with the same first key may be.
    """
    entries, _, sizes = order
    while True:
        if sizes[q.UNSORTED] == 0 and not has_root(sizes, entries):
            return False
        if sizes[q.IS_ROOT_VACANT] == 0 and sizes[q.HEAP_SIZE] > 0:
            if open_node(entries[2], ends, fields, width) < 0:
                remove_first(order)
            elif sizes[q.LEAST_UNSORTED] >= entries[0] + is_exact:
                return True
        if sizes[q.UNSORTED] > 0:
            sort(order, ends, fields, width)


@helper
def may_begin_below(order, most):
    """Tell whether a first key may be at most `most`."""
    entries, _, sizes = order
    return sizes[q.LEAST_UNSORTED] <= most or (sizes[q.HEAP_SIZE] > 0 and entries[0] <= most)


@helper
def smallest_f(control, fields, width, queue, more):
    """Return the smallest f of an open node; `NO_INCUMBENT` without one."""
    by_f = more[0][0]
    return by_f[0][0] if has_first(by_f, queue[0], fields, width, 0) else np.int64(c.NO_INCUMBENT)


@helper
def first_item(order, ends, fields, width):
    """Return the first item of an order, which must have one."""
    has_first(order, ends, fields, width, 1)
    return order[0][2]


@helper
def pop_chosen(control, fields, width, queue, more):
    """Remove the node that the search expands next, close it and return it. `smallest_f` has found a node."""
    ends, _, _, weights = queue
    orders, values, _ = more
    by_f, preferred, _, waiting = orders
    most = weights[BOUND] * control[b.LOWER_BOUND]
    if control[q.PRIORITY] == EXPLICIT:
        has_first(preferred, ends, fields, width, 0)
        smallest = np.int64(preferred[0][0]).view(np.float64)
        most_corrected = weights[BOUND] * smallest
        control[q.FOCAL_LIMIT] = np.float64(most_corrected).view(np.int64)
        item, corrected = nearest_in_focal(orders, fields, width, queue, values, most_corrected)
        if corrected > most:
            item = first_item(by_f if smallest > most else preferred, ends, fields, width)
    else:
        if control[q.PRIORITY] == SMALLEST_D:
            move_from_waiting(waiting, preferred, most, fields, width, queue, values)
        item = first_item(preferred, ends, fields, width)
        if (
            control[q.PRIORITY] == OPTIMISTIC
            and np.int64(preferred[0][0]).view(np.float64) >= control[q.INCUMBENT_COST]
        ):
            item = first_item(by_f, ends, fields, width)
    node = open_node(item, ends, fields, width)
    remove(node, fields, width, queue)
    fields[node * width + PREVIOUS] = CLOSED
    return node


@helper
def move_from_waiting(waiting, order, most, fields, width, queue, values):
    """Move the items whose first key is at most `most` to an order by d."""
    ends = queue[0]
    while may_begin_below(waiting, most) and has_first(waiting, ends, fields, width, 0) and waiting[0][0] <= most:
        item = waiting[0][2]
        g, h, d = values_of(as_index(open_node(item, ends, fields, width)), fields, width, values)
        remove_first(waiting)
        add(order, d, (h << 31) | g, item)


@helper
def nearest_in_focal(orders, fields, width, queue, values, most):
    """Return the item with the smallest d of those whose estimate is at most `most`, and its estimate.

    There is such an item.
    """
    _, _, focal, waiting = orders
    ends, _, _, weights = queue
    move_from_waiting(waiting, focal, np.float64(most).view(np.int64), fields, width, queue, values)
    while True:
        item = first_item(focal, ends, fields, width)
        g, h, d = values_of(as_index(open_node(item, ends, fields, width)), fields, width, values)
        corrected = estimate(weights, g, h, d)
        if corrected <= most:
            return item, corrected
        remove_first(focal)
        add(waiting, np.float64(corrected).view(np.int64), (d << 31) | h, item)


@helper
def estimate(weights, g, h, d):
    """Return the corrected estimate of the cost of a solution through an item (`ExplicitEstimationSearch`)."""
    error, progress = g + h - weights[ROOT_H], weights[ROOT_D] - d
    if error <= 0:
        return np.float64(g + h)
    if d * error < (MAX_FACTOR - 1) * h * progress:
        return g + h + d * error / progress
    return g + MAX_FACTOR * h
