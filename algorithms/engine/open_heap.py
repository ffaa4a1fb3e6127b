"""Open list of best-first search for real costs: a heap of nodes, for keys that mostly differ.

The order is that of the buckets of `algorithms.engine.open_list`: the smallest f first; then the tie rule; then the
node that was pushed last (with `fifo`: first). An entry of the heap has two keys and a node. The first key is the bits
of f, the second is tie << 32 | rank. The rank falls with each push (with `fifo` it rises), and its lowest 31 bits are
the `NEXT` of the node. Removing a node leaves its entry in the heap. The next push of the node makes it stale: `NEXT`
differs. Stale entries are skipped.

An entry has four children. `entries` holds all first keys, then all second keys, then all nodes, so that the first keys
of the children lie side by side. Indices are unsigned, because numba checks whether signed ones are negative.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import NEXT, PREVIOUS
from worlds.kernel import helper

PARTS = 3
_RANKS = 0xFFFFFFFF
_STAMP = 0x7FFFFFFF
_ONE, _TWO, _FOUR = np.uint64(1), np.uint64(2), np.uint64(4)


@helper
def push_entry(control, node, f_bits, tie, is_fifo, record, fields, entries, is_open):
    """Insert a node. If the heap is full, return False and change nothing."""
    capacity, at = np.uint64(entries.size // PARTS), np.uint64(control[c.HEAP_SIZE])
    if at >= capacity:
        return False
    pushes = control[c.PUSHES]
    rank = pushes if is_fifo else _RANKS - pushes
    control[c.PUSHES] = (pushes + 1) & _RANKS
    second = (tie << 32) | rank
    fields[record + NEXT] = rank & _STAMP
    fields[record + PREVIOUS] = is_open
    control[c.HEAP_SIZE] += 1
    while at > 0:
        parent = (at - _ONE) >> _TWO
        above = entries[parent]
        if above < f_bits or (above == f_bits and entries[capacity + parent] < second):
            break
        move_entry(entries, capacity, parent, at)
        at = parent
    write_entry(entries, capacity, at, f_bits, second, node)
    return True


@helper
def pop_entry(control, fields, width, entries, is_open, closed):
    """Remove the best node, close it and return it; return -1 if there is none. Count it by its f."""
    capacity = np.uint64(entries.size // PARTS)
    while control[c.HEAP_SIZE] > 0:
        f_bits, rank = entries[0], entries[capacity] & _STAMP
        node = entries[capacity + capacity]
        control[c.HEAP_SIZE] -= 1
        remove_root(entries, capacity, np.uint64(control[c.HEAP_SIZE]))
        record = node * width
        if fields[record + PREVIOUS] != is_open or fields[record + NEXT] != rank:
            continue
        fields[record + PREVIOUS] = closed
        if f_bits > control[c.LARGEST_F]:
            control[c.LARGEST_F] = f_bits
            control[c.POPPED_BELOW] = control[c.POPPED]
        elif f_bits < control[c.LARGEST_F]:
            control[c.POPPED_BELOW] += 1
        control[c.LAST_F] = f_bits
        control[c.POPPED] += 1
        return node
    return np.int64(-1)


@helper
def remove_root(entries, capacity, size):
    """Fill the root with the last entry, which is at index `size`, and move it down."""
    first, second, node = entries[size], entries[capacity + size], entries[capacity + capacity + size]
    at = np.uint64(0)
    child = _ONE
    while child < size:
        best = child
        if child + _FOUR <= size:  # without branches, which nothing can predict
            left = child + is_before(entries, capacity, child + _ONE, child)
            right = child + _TWO + is_before(entries, capacity, child + _TWO + _ONE, child + _TWO)
            best = left + (right - left) * is_before(entries, capacity, right, left)
        else:
            other = child + _ONE
            while other < size:
                best = best + (other - best) * is_before(entries, capacity, other, best)
                other += _ONE
        key = entries[best]
        if first < key or (first == key and second < entries[capacity + best]):
            break
        move_entry(entries, capacity, best, at)
        at = best
        child = at * _FOUR + _ONE
    write_entry(entries, capacity, at, first, second, node)


@helper
def is_before(entries, capacity, one, other):
    """Return 1 if an entry comes before another, else 0."""
    first, second = entries[one], entries[other]
    later = entries[capacity + one] < entries[capacity + other]
    return np.uint64((first < second) | ((first == second) & later))


@helper
def move_entry(entries, capacity, source, target):
    """Copy an entry."""
    entries[target] = entries[source]
    entries[capacity + target] = entries[capacity + source]
    entries[capacity + capacity + target] = entries[capacity + capacity + source]


@helper
def write_entry(entries, capacity, at, first, second, node):
    """Write an entry."""
    entries[at] = first
    entries[capacity + at] = second
    entries[capacity + capacity + at] = node
