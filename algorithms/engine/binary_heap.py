"""Binary heap of integers in an array, ordered by a function that the caller passes.

``comes_before(one, other, keys)`` tells whether an entry belongs nearer to the root than another; `keys` is whatever it
needs to know of the entries.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import helper


@helper
def push_heap(heap, size, entry, comes_before, keys):
    """Add an entry to a heap of `size` entries; return the new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if not comes_before(entry, np.int64(heap[parent]), keys):
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = entry
    return size + 1


@helper
def pop_heap(heap, size, comes_before, keys):
    """Remove the root from a heap of `size` entries; return the new size."""
    size -= 1
    entry = np.int64(heap[size])
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and comes_before(np.int64(heap[child + 1]), np.int64(heap[child]), keys):
            child += 1
        if comes_before(entry, np.int64(heap[child]), keys):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = entry
    return size
