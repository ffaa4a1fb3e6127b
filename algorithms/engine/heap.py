"""4-ary heap of entries in a flat array: the smallest first.

An entry is two keys and an item. The four children of an entry lie side by side. A pop leaves the root vacant, and the
next push fills it: a successor often has about the f of its parent, so it does not move far. Indices are unsigned,
because numba checks whether signed ones are negative.

`heap_of` makes the functions of a heap. They are compiled with the comparison of entries: `by_keys`, where the keys of
all entries differ, or `by_keys_and_item`. `sizes` has the size of the heap at the indices of a control array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine import control_open_list as q
from worlds.compile import helper, is_before, named, select

PARTS = 3
"""Numbers of an entry."""

_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_PARTS = np.uint64(PARTS)


@helper
def by_keys(first, second, item, other_first, other_second, other_item):
    """Tell whether an entry comes before another, by its two keys."""
    return is_before(first, second, other_first, other_second)


@helper
def by_keys_and_item(first, second, item, other_first, other_second, other_item):
    """Tell whether an entry comes before another, by its two keys and then by its item, as uint64."""
    is_equal = (first == other_first) & (second == other_second)
    return is_before(first, second, other_first, other_second) | (is_equal & (np.uint64(item) < np.uint64(other_item)))


@helper
def write_entry(entries, at, first, second, item):
    """Write an entry."""
    at *= _PARTS
    entries[at] = first
    entries[at + _ONE] = second
    entries[at + _TWO] = item


@helper
def keyed(entries, at):
    """Return the keys and the place of an entry, as `better` carries them."""
    return entries[at * _PARTS], entries[at * _PARTS + _ONE], at


@helper
def item_at(entries, at):
    """Return the item of an entry."""
    return entries[at * _PARTS + _TWO]


def heap_of(comes_before: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions of a heap whose entries are compared by a helper.

    Returns
    -------
    insert : helper
        ``insert(sizes, entries, first, second, item)`` inserts an entry, for which there must be room.
    has_root : helper
        ``has_root(sizes, entries)`` fills the root if it is vacant; it returns False if the heap is empty.
    """

    def better(entries, one, other):
        """Return which of two entries comes first, without branches, which nothing could predict."""
        item, other_item = item_at(entries, one[2]), item_at(entries, other[2])
        is_other = comes_before(other[0], other[1], other_item, one[0], one[1], item)
        return (
            select(is_other, other[0], one[0]),
            select(is_other, other[1], one[1]),
            select(is_other, other[2], one[2]),
        )

    better = helper(named(better, "better", comes_before))

    def move_up(entries, at, first, second, item):
        """Write an entry to a place, or above it."""
        while at > 0:
            parent = (at - _ONE) >> _TWO
            above_first, above_second, _ = keyed(entries, parent)
            above_item = item_at(entries, parent)
            if not comes_before(first, second, item, above_first, above_second, above_item):
                break
            write_entry(entries, at, above_first, above_second, above_item)
            at = parent
        write_entry(entries, at, first, second, item)

    move_up = helper(named(move_up, "move_up", comes_before))

    def move_down(entries, size, first, second, item):
        """Write an entry to the root of a heap of `size` entries, or below it."""
        at = np.uint64(0)
        child = _ONE
        while child < size:
            if child + _FOUR <= size:
                left = better(entries, keyed(entries, child), keyed(entries, child + _ONE))
                right = better(entries, keyed(entries, child + _TWO), keyed(entries, child + _THREE))
                best = better(entries, left, right)
            else:
                best = keyed(entries, child)
                other = child + _ONE
                while other < size:
                    best = better(entries, best, keyed(entries, other))
                    other += _ONE
            best_first, best_second, child = best
            best_item = item_at(entries, child)
            if comes_before(first, second, item, best_first, best_second, best_item):
                break
            write_entry(entries, at, best_first, best_second, best_item)
            at = child
            child = at * _FOUR + _ONE
        write_entry(entries, at, first, second, item)

    move_down = helper(named(move_down, "move_down", comes_before))

    def insert(sizes, entries, first, second, item):
        size = sizes[q.HEAP_SIZE]
        if sizes[q.IS_ROOT_VACANT] != 0:
            sizes[q.IS_ROOT_VACANT] = 0
            move_down(entries, np.uint64(size), first, second, item)
        else:
            sizes[q.HEAP_SIZE] = size + 1
            move_up(entries, np.uint64(size), first, second, item)

    def has_root(sizes, entries):
        if sizes[q.IS_ROOT_VACANT] != 0:
            sizes[q.IS_ROOT_VACANT] = 0
            sizes[q.HEAP_SIZE] -= 1
            last = np.uint64(sizes[q.HEAP_SIZE])
            if last > 0:
                first, second, _ = keyed(entries, last)
                move_down(entries, last, first, second, item_at(entries, last))
        return sizes[q.HEAP_SIZE] != 0

    return helper(named(insert, "insert", comes_before)), helper(named(has_root, "has_root", comes_before))


insert_entry, has_root = heap_of(by_keys)
"""The heap of `open_list`."""
