"""Rooms of a cave, and sets of them, as compiled code sees them.

Room ``y * stride + x`` is the square (x, y), counted from 0; a set of rooms is a pair of uint64. Sides up to
`MAX_SIDE` fit.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache

import numpy as np
from numpy.typing import NDArray

from worlds.kernel import count_ones, helper, trailing_zeros
from worlds.wumpus.rules import FACINGS, Square, ahead

MAX_SIDE = 11


@helper
def has(rooms, room):
    """Whether a room is in a set."""
    return (rooms[room >> 6] >> np.uint64(room & 63)) & np.uint64(1) != 0


@helper
def single(room):
    """The set of one room."""
    bit = np.uint64(1) << np.uint64(room & 63)
    zero = np.uint64(0)
    return (bit, zero) if room < 64 else (zero, bit)


@helper
def union(one, other):
    """Rooms of either."""
    return one[0] | other[0], one[1] | other[1]


@helper
def common(one, other):
    """Rooms of both."""
    return one[0] & other[0], one[1] & other[1]


@helper
def without(one, other):
    """Rooms of the one that are not in the other."""
    return one[0] & ~other[0], one[1] & ~other[1]


@helper
def number(rooms):
    """How many."""
    return count_ones(rooms[0]) + count_ones(rooms[1])


@helper
def is_empty(rooms):
    """Whether there is none."""
    return rooms[0] | rooms[1] == np.uint64(0)


@helper
def lowest(rooms):
    """The lowest room of a set that is not empty."""
    return trailing_zeros(rooms[0]) if rooms[0] != 0 else 64 + trailing_zeros(rooms[1])


@helper
def load(words, at):
    """The set that stands in an array from an index on."""
    return words[at], words[at + 1]


@helper
def store(words, at, rooms):
    """Write a set into an array."""
    words[at] = rooms[0]
    words[at + 1] = rooms[1]


def room_of(square: Square, stride: int) -> int:
    """The number of a square."""
    return square[1] * stride + square[0]


def square_of(room: int, stride: int) -> Square:
    """The square of a number."""
    return room % stride, room // stride


def words_of(rooms: Set[Square], stride: int) -> NDArray[np.uint64]:
    """A set as two words."""
    bits = sum(1 << room_of(square, stride) for square in rooms)
    return np.array([bits & (1 << 64) - 1, bits >> 64], np.uint64)


@cache
def board(side: int, stride: int) -> NDArray[np.uint64]:
    """All rooms of a square cave."""
    return words_of({(x, y) for x in range(side) for y in range(side)}, stride)


@cache
def geometry(stride: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
    """What lies where in a cave whose side is the stride.

    Returns
    -------
    next_room : ndarray of int64, shape (4 * rooms,)
        The next room from ``4 * room + facing`` (in the order of `FACINGS`); -1 beyond the wall.
    around : ndarray of uint64, shape (2 * rooms,)
        The set of the rooms next to each.
    line : ndarray of uint64, shape (8 * rooms,)
        The set of the rooms that an arrow from ``4 * room + facing`` flies through, beyond the first.
    """
    inside = range(stride)
    next_room, around, line = [], [], []
    for room in range(stride * stride):
        square = square_of(room, stride)
        near = [ahead(square, facing) for facing in FACINGS]
        near_inside = [(x, y) for x, y in near if x in inside and y in inside]
        next_room += [room_of(other, stride) if other in near_inside else -1 for other in near]
        around += words_of({*near_inside}, stride).tolist()
        for facing in FACINGS:
            flown, (x, y) = set(), ahead(square, facing)
            while x in inside and y in inside:
                flown.add((x, y))
                x, y = ahead((x, y), facing)
            line += words_of(flown, stride).tolist()
    return np.array(next_room, np.int64), np.array(around, np.uint64), np.array(line, np.uint64)
