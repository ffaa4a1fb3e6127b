"""Perfect index of the slots of some cubies: the states of a pattern database.

A block is the places of the cubies, and the rank in the block is their twists, as digits, the first cubie first. If all
corners or all edges belong to the pattern, the twist of the last one follows from those of the others. A turn
takes all states of a block to one block, and adds the same twists to each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import helper, kernel
from worlds.compile.operations import count_ones
from worlds.perfect_index import STEPS, PerfectIndex
from worlds.rubik.rules import CORNERS, EDGES, FIRST_EDGE_SLOT, State, slots_after

MAP_BITS = 10
"""Bits of the number of a map in an entry of the table of turns; the block is above them."""


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


@dataclass(frozen=True, eq=False)
class TurnTable:
    """Turns of the states of a pattern.

    Attributes
    ----------
    entries : ndarray of uint32, shape (blocks, turns)
        Block after each turn, and the number of the map of the ranks, in the lowest `MAP_BITS` bits.
    maps : ndarray of uint16, shape (maps, size)
        Rank after a turn by the rank before.
    """

    entries: NDArray[np.uint32]
    maps: NDArray[np.uint16]

    @classmethod
    def of(cls, pattern: Pattern, turns: tuple[str, ...]) -> TurnTable:
        """Compute the table of some turns."""
        first, last = (0, FIRST_EDGE_SLOT) if pattern.are_corners else (FIRST_EDGE_SLOT, None)
        after = np.array([slots_after(turn)[first:last] for turn in turns], np.int64) - first
        numbers = np.empty((pattern.blocks, len(turns)), np.int64)
        count = len(pattern.cubies)
        turn_blocks.compiled(after, numbers, count, pattern.places, pattern.twists, pattern.digits)
        added = np.flatnonzero(np.bincount((numbers % pattern.size).ravel()))
        number_of_map = np.zeros(pattern.size, np.uint32)
        number_of_map[added] = np.arange(added.size)
        if added.size > 1 << MAP_BITS:
            raise ValueError("too many different maps")
        powers = pattern.twists ** np.arange(pattern.digits)
        ranks = np.arange(pattern.size)[:, None] // powers % pattern.twists
        maps = np.array([(ranks + rank) % pattern.twists @ powers for rank in ranks[added]], np.uint16)
        entries = numbers // pattern.size << MAP_BITS | number_of_map[numbers % pattern.size]
        return cls(entries.astype(np.uint32), maps)

    def index(self, pattern: Pattern) -> PerfectIndex:
        """Return the perfect index."""
        turns = self.entries.shape[1]
        data = np.concatenate([[turns], self.entries.ravel()]).astype(np.int64)
        return PerfectIndex(pattern.blocks, pattern.size, table_steps, data, turns, self.maps, pattern.number)


@kernel(STEPS)
def table_steps(data, block, out):
    """Write the turns of a block."""
    turns = data[0]
    for turn in range(turns):
        entry = data[1 + block * turns + turn]
        out[2 * turn], out[2 * turn + 1] = entry >> MAP_BITS, entry & ((1 << MAP_BITS) - 1)
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
