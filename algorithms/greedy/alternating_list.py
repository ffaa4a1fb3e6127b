"""Open list of greedy search with one queue for each term of the stack, which take turns (Helmert 2006).

All queues hold all open nodes: queue i orders them by the value of term i, which `ValuedNodes` has. In case of equal
values the tie rule decides, by the h of the stack. A queue is a heap of nodes, whose entries become stale as those of
`algorithms.engine.open_list` do. A node that one queue has removed is stale in all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.engine import (
    CLOSED,
    PARENT,
    PARTS,
    PREVIOUS,
    H,
    OpenList,
    ValuedNodes,
    has_root,
    insert_entry,
    is_fresh,
    is_full,
    is_oldest_first,
    next_rank,
    tie_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from heuristics.interface import INFINITE_H, MAX_TERMS, UNREACHABLE, evaluate_range, stored_h
from worlds.compile import as_index, helper

QUEUES = f"Tuple((UniTuple(Tuple((int64[::1], int64[::1])), {MAX_TERMS}), int32[::1], int64))"
"""Numba type of `AlternatingList.more`: heap of each queue, with an array that has its size at the indices that the
control array has; values of the nodes; number of queues."""

_FIRST_ENTRIES = 1024


class AlternatingList(OpenList):
    """Arrays of an open list with several queues.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        Not used.
    nodes : ValuedNodes
        Store of the nodes that are pushed, with a value for each queue.
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"}
        Order of nodes with the same value.
    count : int
        Number of queues.
    """

    _nodes: ValuedNodes

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: ValuedNodes, ties: str, count: int) -> None:
        super().__init__(control, weights, nodes, ties, has_buckets=False)
        self._count = count
        self._entries = self._entries[:0]
        sizes = [PARTS * _FIRST_ENTRIES if number < count else 0 for number in range(MAX_TERMS)]
        self._heaps = [(np.empty(size, np.int64), np.zeros(c.SIZE, np.int64)) for size in sizes]

    @property
    def more(self) -> tuple[Any, ...]:
        """Arrays of the queues (`QUEUES`)."""
        return tuple(self._heaps), self._nodes.values, self._count

    @property
    def nbytes(self) -> int:
        """Bytes of the queues."""
        return sum(entries.nbytes for entries, _ in self._heaps)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double all queues; return False if that would exceed the memory limit."""
        if not self.fits(other_bytes, memory_limit):
            return False
        self._heaps = [(np.concatenate([entries, np.empty_like(entries)]), sizes) for entries, sizes in self._heaps]
        return True


@helper
def evaluate_terms(
    terms, count, maximum, params, states, parent, parent_at, parent_h,
    out, out_at, action, h, scratch, slot, first, n, more,
):  # fmt: skip
    """Write the h of nodes, as `evaluate_stack` does, and store the values of the terms."""
    _, values, queues = more
    for i in range(count):
        before = np.int64(values[parent * queues + i])
        status = evaluate_range(
            terms, i, i + 1, False, params, states, parent_at, before,
            out, out_at, action, h, scratch, slot, n,
        )  # fmt: skip
        if status < 0:
            return status
        for k in range(n):
            values[(first + k) * queues + i] = h[slot + k]
    for k in range(n):
        value = np.int64(0)
        for i in range(count):
            one = np.int64(values[(first + k) * queues + i])
            value = max(value, one) if maximum else value + one
            if one == INFINITE_H:
                value = np.int64(UNREACHABLE)
        h[slot + k] = stored_h(value)
    return 0


@helper
def push_alternating(control, node, fields, width, queue, more):
    """Insert a node into all queues. If an array is full, return False and change nothing.

    A node that is not yet evaluated, with -1 - h of its parent as h, has the values of its parent.
    """
    heaps, values, queues = more
    for i in range(queues):
        if is_full(heaps[i][1], heaps[i][0]):
            return False
    record = node * width
    h, source = np.int64(fields[record + H]), np.int64(node)
    if h < 0:
        h, source = -1 - h, np.int64(fields[record + PARENT])
    is_fifo = is_oldest_first(control)
    second = (tie_of(control, h) << 32) | next_rank(control, is_fifo, record, fields)
    for i in range(queues):
        value = np.int64(values[as_index(source) * queues + i])
        insert_entry(heaps[i][1], heaps[i][0], value, second, np.int64(node))
    return True


@helper
def pop_alternating(control, fields, width, queue, more):
    """Remove the best node of the queue whose turn it is, close it and return it; return -1 if there is none."""
    heaps, _, queues = more
    entries, sizes = heaps[control[q.TURN]]
    control[q.TURN] = (control[q.TURN] + 1) % queues
    while has_root(sizes, entries):
        node = entries[2]
        sizes[q.IS_ROOT_VACANT] = 1
        if is_fresh(entries, node * width, fields):
            fields[node * width + PREVIOUS] = CLOSED
            return node
    return np.int64(-1)
