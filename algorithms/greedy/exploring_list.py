"""Open list of greedy search that explores: the smallest h first, and now and then a random node.

The order by h is a heap of nodes (`algorithms.engine.open_list`). Random nodes come from types: EPSILON has one type,
TYPE_BASED one for each g and h. A type is a part of `pool`, twice as long whenever it is full. Its entries are
stamp << 32 | node, in any order. An entry is stale if the node has been expanded or pushed again since, and is removed
when it is drawn. So each operation takes constant time on average, but for the heap, and all open nodes of a type are
equally likely.

`types` has four numbers for each type: where it begins in the pool, its entries, its capacity, and at index i the
number of the i-th type that has entries. A hash table of buckets finds the type of g and h.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import (
    CLOSED,
    HEAD,
    NEXT,
    PREVIOUS,
    G,
    H,
    Nodes,
    OpenList,
    bucket_of,
    insert_entry,
    is_full,
    is_oldest_first,
    move_buckets,
    next_rank,
    pop,
    random_below,
    random_unit,
    tie_of,
)
from algorithms.engine import control_open_list as q
from worlds.compile import helper

STANDARD, EPSILON, TYPE_BASED = range(3)
KINDS = {"standard": STANDARD, "epsilon": EPSILON, "type_based": TYPE_BASED}
SHARE = 4
"""Index of epsilon in the weights."""
TYPES = "Tuple((int32[::1], int64[::1], int64[::1], int64[::1]))"
"""Numba type of `ExploringList.more`: ends of the buckets, which have no nodes; their hash table; `types`; `pool`."""

_HEAP, _TYPES, _POOL = range(3)
_FIRST_TYPES, _FIRST_POOL, _FIRST_CAPACITY = 64, 1024, 4


class ExploringList(OpenList):
    """Arrays of an open list that explores.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        Weights of the priority, and epsilon at `SHARE`.
    nodes : Nodes
        Store of the nodes that are pushed.
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"}
        Order of nodes with the same h.
    """

    def __init__(self, control: np.ndarray, weights: np.ndarray, nodes: Nodes, ties: str) -> None:
        super().__init__(control, weights, nodes, ties, has_buckets=False)
        count = _FIRST_TYPES
        self._types = np.empty(2 * count, np.int32), np.zeros(4 * count, np.int64), np.zeros(4 * count, np.int64)
        self._pool = np.empty(_FIRST_POOL, np.int64)

    @property
    def more(self) -> tuple[np.ndarray, ...]:
        """Arrays of the types (`TYPES`)."""
        return *self._types, self._pool

    @property
    def nbytes(self) -> int:
        """Bytes of the heap and the types."""
        return super().nbytes + sum(array.nbytes for array in self.more)

    @property
    def growth(self) -> int:
        """Number of bytes by which `grow` enlarges what was full: the heap, the types or the pool."""
        full = {_HEAP: (self._entries,), _TYPES: self._types, _POOL: (self._pool,)}[int(self._control[q.FULL_PART])]
        return sum(array.nbytes for array in full)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double what was full; return False if that would exceed the memory limit."""
        part = self._control[q.FULL_PART]
        if part == _HEAP:
            return super().grow(other_bytes, memory_limit)
        if not self.fits(other_bytes, memory_limit):
            return False
        if part == _POOL:
            self._pool = np.concatenate([self._pool, np.empty_like(self._pool)])
        else:
            ends, old, types = self._types
            table = np.zeros(2 * old.size, np.int64)
            move_buckets.compiled(old, table)
            self._types = np.concatenate([ends, ends]), table, np.concatenate([types, np.zeros_like(types)])
        return True


@helper
def push_exploring(control, node, fields, width, queue, types):
    """Insert a node by its h, or what stands for it (-1 - h). If an array is full, return False."""
    entries, kind, record = queue[2], control[q.EXPLORATION], node * width
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    if h < 0:
        h = -1 - h
    if is_full(control, entries):
        control[q.FULL_PART] = _HEAP
        return False
    place = np.int64(0)
    if kind != STANDARD:
        place = add_to_type(control, g if kind == TYPE_BASED else 0, h if kind == TYPE_BASED else 0, types)
        if place < 0:
            return False
    f_bits, tie = np.float64(h).view(np.int64), tie_of(control, h)
    second = tie << 32 | next_rank(control, is_oldest_first(control), record, fields)
    insert_entry(control, entries, f_bits, second, node)
    if kind != STANDARD:
        types[3][place] = np.int64(fields[record + NEXT]) << 32 | np.int64(node)
    return True


@helper
def add_to_type(control, g, h, more):
    """Return the place in the pool of a new entry of a type; return -1 if an array is full."""
    ends, table, types, pool = more
    kind = bucket_of(control, np.int64(g), np.int64(h), ends, table)
    if kind < 0:
        control[q.FULL_PART] = _TYPES
        return np.int64(-1)
    at = 4 * kind
    first, count, capacity = types[at], types[at + 1], types[at + 2]
    if count == capacity:
        longer, used = max(_FIRST_CAPACITY, 2 * capacity), control[q.POOL_USED]
        if used + longer > pool.size:
            control[q.FULL_PART] = _POOL
            return np.int64(-1)
        for k in range(count):
            pool[used + k] = pool[first + k]
        first = used
        types[at], types[at + 2] = first, longer
        control[q.POOL_USED] = used + longer
    if count == 0:
        types[4 * control[q.USED_TYPES] + 3] = kind
        control[q.USED_TYPES] += 1
    types[at + 1] = count + 1
    return first + count


@helper
def pop_exploring(control, fields, width, queue, types):
    """Remove the node to expand from the open list, close it and return it; return -1 if there is none."""
    kind = control[q.EXPLORATION]
    explores = False
    if kind == EPSILON:
        explores = random_unit(control) < queue[3][SHARE]
    elif kind == TYPE_BASED:
        explores = control[q.TURN] != 0
        control[q.TURN] = 1 - control[q.TURN]
    if explores:
        return draw(control, fields, width, types)
    return pop(control, fields, width, queue)


@helper
def draw(control, fields, width, more):
    """Remove a random node of a random type, close it and return it; return -1 if there is none."""
    _, _, types, pool = more
    while control[q.USED_TYPES] > 0:
        chosen = random_below(control, control[q.USED_TYPES])
        at = 4 * types[4 * chosen + 3]
        node = np.int64(-1)
        while node < 0 and types[at + 1] > 0:
            place = types[at] + random_below(control, types[at + 1])
            entry = pool[place]
            types[at + 1] -= 1
            pool[place] = pool[types[at] + types[at + 1]]
            record = (entry & 0xFFFFFFFF) * width
            if fields[record + PREVIOUS] == HEAD and fields[record + NEXT] == entry >> 32:
                fields[record + PREVIOUS] = CLOSED
                node = entry & 0xFFFFFFFF
        if types[at + 1] == 0:
            control[q.USED_TYPES] -= 1
            types[4 * chosen + 3] = types[4 * control[q.USED_TYPES] + 3]
        if node >= 0:
            return node
    return np.int64(-1)
