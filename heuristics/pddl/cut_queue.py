"""Priority queue of facts for kernels, in the order of Fast Downward's landmark cuts, on which their values depend.

It begins with a bucket for each key, whose entry that came last is taken first. At the first key that is at least 100
and larger than the number of entries so far, it becomes a binary heap, with the entries of each bucket in the order in
which they came. In the heap, the hole that the taken root leaves sinks down to a leaf, of equal children to the right
one; then the last entry rises from there, past larger keys only. This is the heap of GNU's C++ library.

A fact whose cost falls gets another entry, and the old one is skipped when it is taken: its key is not the cost of the
fact. Old entries stay because the order in the heap depends on them. Keys of entries are the costs at that time, in the
table whose index is `costs`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile import as_index, helper

# Layout of a queue: whether it is a heap; its number of entries; how many came since it was cleared; a bucket below
# which all are empty; how many entries of buckets are in use; indices of two tables; then the first table:
#   HEADS: number of the first entry of each bucket (0: none)
#   ENTRIES: in the upper half the number of the next entry of the bucket, in the lower half the fact; from number 1
#   HEAP: in the upper half the key, in the lower half the fact
IS_HEAP, SIZE, CAME, LOWEST, USED, ENTRIES, HEAP, HEADS = range(8)
_FEW_BUCKETS = 100
_LOWER = 0xFFFFFFFF


def with_queue(table: NDArray[np.int64], place: int, came: int, most: int) -> NDArray[np.int64]:
    """Return a table that ends with an empty queue, whose index is at `place`.

    `came` is the largest number of entries that come between `clear` and the first time that the queue is empty again,
    and `most` that between any two times when it is empty. Later keys are no larger than those before the first time.
    """
    queue = len(table)
    entries = queue + HEADS + max(came, _FEW_BUCKETS) + 1
    heap = entries + most + 1
    longer = np.zeros(heap + most, np.int64)  # takes no memory before it is used
    longer[:queue] = table
    longer[place], longer[queue + ENTRIES], longer[queue + HEAP] = queue, entries, heap
    return longer


@helper
def clear(table, queue, is_heap):
    """Begin again with an empty queue, as a heap or as buckets. All entries have been taken."""
    table[queue + IS_HEAP], table[queue + CAME], table[queue + LOWEST] = is_heap, 0, 0


@helper
def push(table, queue, fact, key):
    """Put an entry into the queue."""
    if key >= _FEW_BUCKETS and table[queue + IS_HEAP] == 0 and key > table[queue + CAME]:
        become_heap(table, queue)
    size = table[queue + SIZE]
    table[queue + SIZE] = size + 1
    table[queue + CAME] += 1
    if table[queue + IS_HEAP] != 0:
        rise(table, as_index(table[queue + HEAP]), size, (key << 32) | fact)
        return
    entry = table[queue + USED] + 1
    head = as_index(queue + HEADS + key)
    table[queue + USED] = entry
    table[as_index(table[queue + ENTRIES] + entry)] = (table[head] << 32) | fact
    table[head] = entry
    if key < table[queue + LOWEST]:
        table[queue + LOWEST] = key


@helper
def pop(table, queue, costs):
    """Take a fact with the smallest key out of the queue, and return it; -1 if no entry is left."""
    while table[queue + SIZE] > 0:
        table[queue + SIZE] -= 1
        if table[queue + IS_HEAP] != 0:
            entry = take_root(table, as_index(table[queue + HEAP]), table[queue + SIZE])
            key = entry >> 32
        else:
            heads, key = queue + HEADS, table[queue + LOWEST]
            while table[as_index(heads + key)] == 0:
                key += 1
            table[queue + LOWEST] = key
            head = as_index(heads + key)
            entry = table[as_index(table[queue + ENTRIES] + table[head])]
            table[head] = entry >> 32
        fact = as_index(entry)
        if table[costs + fact] == key:
            return fact
    table[queue + USED] = 0
    return np.int64(-1)


@helper
def become_heap(table, queue):
    """Move all entries from the buckets to the heap. They are in order, so they are a heap."""
    heads = queue + HEADS
    entries = table[queue + ENTRIES]
    heap = table[queue + HEAP]
    end = heap + table[queue + SIZE]
    key = table[queue + LOWEST]
    first = heap
    while first < end:
        after, entry = first, table[as_index(heads + key)]
        table[as_index(heads + key)] = 0
        while entry > 0:
            table[as_index(after)] = (key << 32) | (table[as_index(entries + entry)] & _LOWER)
            after, entry = after + 1, table[as_index(entries + entry)] >> 32
        last = after - 1
        while first < last:  # the entry that came last was the first of its bucket
            table[as_index(first)], table[as_index(last)] = table[as_index(last)], table[as_index(first)]
            first, last = first + 1, last - 1
        first, key = after, key + 1
    table[queue + IS_HEAP] = 1


@helper
def rise(table, heap, place, entry):
    """Put an entry into a heap at a place that is free, or above it."""
    while place > 0:
        parent = (place - 1) >> 1
        above = table[as_index(heap + parent)]
        if above >> 32 <= entry >> 32:
            break
        table[as_index(heap + place)] = above
        place = parent
    table[as_index(heap + place)] = entry


@helper
def take_root(table, heap, size):
    """Take the root out of a heap that keeps `size` entries, and return it."""
    root = table[heap]
    hole, right = np.int64(0), np.int64(2)
    while right < size:
        child = right if table[as_index(heap + right)] >> 32 <= table[as_index(heap + right - 1)] >> 32 else right - 1
        table[as_index(heap + hole)] = table[as_index(heap + child)]
        hole, right = child, 2 * child + 2
    if right == size:
        table[as_index(heap + hole)] = table[as_index(heap + right - 1)]
        hole = right - 1
    rise(table, heap, hole, table[as_index(heap + size)])
    return root
