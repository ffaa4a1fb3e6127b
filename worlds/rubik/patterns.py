"""Perfect index of the slots of some cubies: the states of a pattern database.

A block is the places of the cubies, and the rank in the block is their twists, as digits, the first cubie first. If all
corners or all edges belong to the pattern, the twist of the last one follows from those of the others. A turn
takes all states of a block to one block, and adds the same twists to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

from worlds.compile import count_ones, helper, kernel
from worlds.interface import STEPS, PerfectIndex
from worlds.rubik.rules import CORNERS, EDGES, FIRST_EDGE_SLOT, State, slots_after


@dataclass(frozen=True)
class Pattern:
    """Cubies of a pattern database, either corners or edges.

    Attributes
    ----------
    cubies : tuple of int
        Numbers of the cubies among the corners or among the edges.
    are_corners : bool
    """

    cubies: tuple[int, ...]
    are_corners: bool

    @property
    def places(self) -> int:
        """Number of places."""
        return len(CORNERS if self.are_corners else EDGES)

    @property
    def twists(self) -> int:
        """Number of twists of a cubie."""
        return 3 if self.are_corners else 2

    @property
    def digits(self) -> int:
        """Number of cubies whose twists count."""
        return min(len(self.cubies), self.places - 1)

    @property
    def blocks(self) -> int:
        """Number of placements."""
        return perm(self.places, len(self.cubies))

    @property
    def size(self) -> int:
        """Number of states of a block."""
        return int(self.twists**self.digits)

    def slots(self, state: State) -> list[int]:
        """Return the slots of the cubies in a state of the rules, counted from 0."""
        first, base = (0, 0) if self.are_corners else (len(CORNERS), FIRST_EDGE_SLOT)
        return [state[first + cubie] - base for cubie in self.cubies]

    def number(self, state: State) -> int:
        """Return the number of a state of the rules."""
        slots = np.array(self.slots(state), np.int64)
        return int(number_of(slots, 0, len(slots), self.places, self.twists, self.digits))


def turned_blocks(pattern: Pattern, turns: Sequence[str]) -> NDArray[np.int64]:
    """Return the number after each turn of the first state of each block, in which no cubie is twisted.

    Returns
    -------
    ndarray of int64, shape (blocks, turns)
    """
    first, last = (0, FIRST_EDGE_SLOT) if pattern.are_corners else (FIRST_EDGE_SLOT, None)
    after = np.array([slots_after(turn)[first:last] for turn in turns], np.int64) - first
    numbers = np.empty((pattern.blocks, len(turns)), np.int64)
    turn_blocks.compiled(after, numbers, len(pattern.cubies), pattern.places, pattern.twists, pattern.digits)
    return numbers


def added_ranks(twists: int, digits: int, ranks: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the sums of some ranks (None: of all) with all ranks: of their digits, each modulo `twists`."""
    powers = twists ** np.arange(digits)
    each = np.arange(twists**digits)[:, None] // powers % twists
    return ((each if ranks is None else each[ranks])[:, None] + each) % twists @ powers


def index_of(pattern: Pattern, turns: Sequence[str]) -> PerfectIndex:
    """Return the perfect index of the states of a pattern under some turns."""
    blocks, ranks = np.divmod(turned_blocks(pattern, turns), pattern.size)
    used = np.flatnonzero(np.bincount(ranks.ravel()))
    number_of_map = np.zeros(pattern.size, np.int64)
    number_of_map[used] = np.arange(used.size)
    data = np.concatenate([[len(turns)], np.stack([blocks, number_of_map[ranks]], -1).ravel()])
    maps = added_ranks(pattern.twists, pattern.digits, used).astype(np.uint16)
    return PerfectIndex(pattern.blocks, pattern.size, table_steps, data, len(turns), maps, pattern.number)


@kernel(STEPS)
def table_steps(data, block, out):
    """Write the turns of a block, from a table of all blocks."""
    turns = data[0]
    for i in range(2 * turns):
        out[i] = data[1 + 2 * turns * block + i]
    return turns


@helper
def number_of(slots, at, count, places, twists, digits):
    """Return the number of a pattern, given as the slots of its cubies."""
    occupied, block, rank = np.uint64(0), np.int64(0), np.int64(0)
    for i in range(count):
        place = slots[at + i] // twists
        bit = np.uint64(1) << np.uint64(place)
        block = block * (places - i) + place - count_ones(occupied & (bit - np.uint64(1)))
        occupied |= bit
    for i in range(digits - 1, -1, -1):
        rank = rank * twists + slots[at + i] % twists
    return block * twists**digits + rank


@kernel("int64(int64[:, ::1], int64[:, ::1], int64, int64, int64, int64)")
def turn_blocks(after, numbers, count, places, twists, digits):
    """Compute the number after each turn of the first state of each block, in which no cubie is twisted."""
    slots, turned = np.empty(count, np.int64), np.empty(count, np.int64)
    for block in range(numbers.shape[0]):
        rest, occupied = block, 0
        for i in range(count - 1, -1, -1):
            slots[i] = rest % (places - i)
            rest //= places - i
        for i in range(count):
            left, place = slots[i], 0
            while left > 0 or occupied >> place & 1:
                left -= 1 - (occupied >> place & 1)
                place += 1
            occupied |= 1 << place
            slots[i] = place * twists
        for turn in range(numbers.shape[1]):
            for i in range(count):
                turned[i] = after[turn, slots[i]]
            numbers[block, turn] = number_of(turned, 0, count, places, twists, digits)
    return 0
