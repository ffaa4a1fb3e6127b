"""Rooms of a cave and sets of rooms, as compiled code represents them.

Room ``y * stride + x`` is the square (x, y), counted from 0; a set of rooms is a pair of uint64. Sides up to
`MAX_SIDE` fit.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache

import numpy as np
from numpy.typing import NDArray

from worlds.compile import count_ones, helper, trailing_zeros
from worlds.wumpus.rules import FACINGS, Square, ahead

MAX_SIDE = 11


@helper
def has(rooms, room):
    """Return whether a room is in a set."""
    return (rooms[room >> 6] >> np.uint64(room & 63)) & np.uint64(1) != 0


@helper
def single(room):
    """Return the set of one room."""
    bit = np.uint64(1) << np.uint64(room & 63)
    zero = np.uint64(0)
    return (bit, zero) if room < 64 else (zero, bit)


@helper
def union(one, other):
    """Return the union of two sets."""
    return one[0] | other[0], one[1] | other[1]


@helper
def intersection(one, other):
    """Return the intersection of two sets."""
    return one[0] & other[0], one[1] & other[1]


@helper
def without(one, other):
    """Return the rooms of one set that are not in the other."""
    return one[0] & ~other[0], one[1] & ~other[1]


@helper
def size(rooms):
    """Return the number of rooms in a set."""
    return count_ones(rooms[0]) + count_ones(rooms[1])


@helper
def is_empty(rooms):
    """Return whether a set is empty."""
    return rooms[0] | rooms[1] == np.uint64(0)


@helper
def lowest(rooms):
    """Return the lowest room of a nonempty set."""
    return trailing_zeros(rooms[0]) if rooms[0] != 0 else 64 + trailing_zeros(rooms[1])


@helper
def load(words, at):
    """Return the set stored at an index of an array."""
    return words[at], words[at + 1]


@helper
def store(words, at, rooms):
    """Write a set to an index of an array."""
    words[at] = rooms[0]
    words[at + 1] = rooms[1]


def room_of(square: Square, stride: int) -> int:
    """Return the number of the room at a square."""
    return square[1] * stride + square[0]


def square_of(room: int, stride: int) -> Square:
    """Return the square of the room with a number."""
    return room % stride, room // stride


def words_of(rooms: Set[Square], stride: int) -> NDArray[np.uint64]:
    """Return a set as two words."""
    bits = sum(1 << room_of(square, stride) for square in rooms)
    return np.array([bits & (1 << 64) - 1, bits >> 64], np.uint64)


@cache
def board(side: int, stride: int) -> NDArray[np.uint64]:
    """Return the set of all rooms of a square cave."""
    return words_of({(x, y) for x in range(side) for y in range(side)}, stride)


@cache
def geometry(stride: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the neighbours and lines of a square cave whose side is `stride`.

    Returns
    -------
    next_room : ndarray of int64, shape (4 * rooms,)
        Neighbour at index ``4 * room + facing`` (in the order of `FACINGS`); -1 beyond the wall.
    around : ndarray of uint64, shape (2 * rooms,)
        Set of the rooms next to a room, at index ``2 * room``.
    line : ndarray of uint64, shape (8 * rooms,)
        Set of the rooms that an arrow flies through after leaving a room, at index ``2 * (4 * room + facing)``.
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
            crossed, (x, y) = set(), ahead(square, facing)
            while x in inside and y in inside:
                crossed.add((x, y))
                x, y = ahead((x, y), facing)
            line += words_of(crossed, stride).tolist()
    return np.array(next_room, np.int64), np.array(around, np.uint64), np.array(line, np.uint64)
