"""Open list of best-first search for real costs: a heap of nodes, for keys that mostly differ.

The order is that of the buckets of `algorithms.engine.open_list`: the smallest f first; then the tie rule; then the
node that was pushed last (with `fifo`: first). An entry of the heap is two keys and a node. The first key is the bits
of f, the second is tie << 32 | rank. The rank falls with each push
(with `fifo` it rises), and its lowest 31 bits are the `NEXT` of the node. Removing a node leaves its entry in the heap.
The next push of the node makes it stale: `NEXT` differs. Stale entries are skipped.

An entry has four children, which lie side by side. A pop leaves the root vacant. The next push fills it: a successor
often has about the f of its parent, so it does not move far. Indices are unsigned, because numba checks whether signed
ones are negative.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import NEXT, PREVIOUS
from worlds.compile.kernel import helper
from worlds.compile.operations import is_before, select

PARTS = 3
_RANKS = 0xFFFFFFFF
_STAMP = 0x7FFFFFFF
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_PARTS = np.uint64(PARTS)


@helper
def push_entry(control, node, f_bits, tie, is_fifo, record, fields, entries, is_open):
    """Insert a node, and set its `PREVIOUS` to `is_open`. If the heap is full, return False and change nothing."""
    size = control[c.HEAP_SIZE]
    is_root_vacant = control[c.IS_ROOT_VACANT] != 0
    if not is_root_vacant and size * PARTS >= entries.size:
        return False
    pushes = control[c.PUSHES]
    rank = pushes if is_fifo else _RANKS - pushes
    control[c.PUSHES] = (pushes + 1) & _RANKS
    second = (tie << 32) | rank
    fields[record + NEXT] = rank & _STAMP
    fields[record + PREVIOUS] = is_open
    if is_root_vacant:
        control[c.IS_ROOT_VACANT] = 0
        move_down(entries, np.uint64(size), f_bits, second, node)
    else:
        control[c.HEAP_SIZE] = size + 1
        move_up(entries, np.uint64(size), f_bits, second, node)
    return True


@helper
def pop_entry(control, fields, width, entries, is_open, closed):
    """Remove the best node, set its `PREVIOUS` to `closed`, and return it; return -1 if there is none."""
    while True:
        if control[c.IS_ROOT_VACANT] != 0:
            fill_root(control, entries)
        if control[c.HEAP_SIZE] == 0:
            return np.int64(-1)
        f_bits, rank, node = entries[0], entries[1] & _STAMP, entries[2]
        control[c.IS_ROOT_VACANT] = 1
        record = node * width
        if fields[record + PREVIOUS] != is_open or fields[record + NEXT] != rank:
            continue
        fields[record + PREVIOUS] = closed
        count_popped(control, f_bits)
        return node


@helper
def count_popped(control, f_bits):
    """Count a popped node by the bits of its f."""
    if f_bits > control[c.LARGEST_F]:
        control[c.LARGEST_F] = f_bits
        control[c.POPPED_BELOW] = control[c.POPPED]
    elif f_bits < control[c.LARGEST_F]:
        control[c.POPPED_BELOW] += 1
    control[c.LAST_F] = f_bits
    control[c.POPPED] += 1


@helper
def fill_root(control, entries):
    """Move the last entry to the vacant root, and down from there."""
    control[c.IS_ROOT_VACANT] = 0
    control[c.HEAP_SIZE] -= 1
    last = np.uint64(control[c.HEAP_SIZE])
    if last > 0:
        at = last * _PARTS
        move_down(entries, last, entries[at], entries[at + _ONE], entries[at + _TWO])


@helper
def move_up(entries, at, first, second, node):
    """Write an entry to a place, or above it."""
    while at > 0:
        parent = (at - _ONE) >> _TWO
        if not is_before(first, second, entries[parent * _PARTS], entries[parent * _PARTS + _ONE]):
            break
        move_entry(entries, parent, at)
        at = parent
    write_entry(entries, at, first, second, node)


@helper
def move_down(entries, size, first, second, node):
    """Write an entry to the root of a heap of `size` entries, or below it."""
    at = np.uint64(0)
    child = _ONE
    while child < size:
        if child + _FOUR <= size:
            left = better(entry_at(entries, child), entry_at(entries, child + _ONE))
            right = better(entry_at(entries, child + _TWO), entry_at(entries, child + _THREE))
            best = better(left, right)
        else:
            best = entry_at(entries, child)
            other = child + _ONE
            while other < size:
                best = better(best, entry_at(entries, other))
                other += _ONE
        best_first, best_second, child = best
        if is_before(first, second, best_first, best_second):
            break
        write_entry(entries, at, best_first, best_second, entries[child * _PARTS + _TWO])
        at = child
        child = at * _FOUR + _ONE
    write_entry(entries, at, first, second, node)


@helper
def entry_at(entries, at):
    """Return the keys of an entry, and its index."""
    return entries[at * _PARTS], entries[at * _PARTS + _ONE], at


@helper
def better(one, other):
    """Return which of two entries comes first, without branches, which nothing could predict."""
    is_other = is_before(other[0], other[1], one[0], one[1])
    return select(is_other, other[0], one[0]), select(is_other, other[1], one[1]), select(is_other, other[2], one[2])


@helper
def move_entry(entries, source, target):
    """Copy an entry."""
    source *= _PARTS
    write_entry(entries, target, entries[source], entries[source + _ONE], entries[source + _TWO])


@helper
def write_entry(entries, at, first, second, node):
    """Write an entry."""
    at *= _PARTS
    entries[at] = first
    entries[at + _ONE] = second
    entries[at + _TWO] = node
