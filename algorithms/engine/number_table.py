"""Table that finds nodes by the numbers of their states, in worlds that number them (`worlds.interface.numbering`).

It has an entry for each number, so that a state is found without a search, and neighbouring cells of a map have
neighbouring entries. A search leaves the table and the memory of its nodes to the next one with the same numbering:
the operating system would take longer to provide new pages than a short search takes. The memory is not cleared. An
entry is base + node + 1. Each search has a base that no entry of the searches before it exceeds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.memory import HUGE_PAGES, Memory
from worlds.interface import Numbering

FIRST_CAPACITY = 2048
"""Nodes for which a search has memory at first: more than elsewhere, because it need not be new."""
_MAX_BASE = 1 << 30
_Spare = tuple[Memory, list[Memory], Memory, int]
_LARGE = 1 << 20
"""Bytes from which a table takes as many as `Memory` with huge pages: the rows of a map are then often on one page."""
_RECORD_BYTES = 32
_MOST_AT_ONCE = 1 << 26
"""Bytes of records for which the memory is one block from the beginning, which has huge pages then."""


class NumberTable:
    """Table that finds nodes by the numbers of their states.

    Parameters
    ----------
    numbering : Numbering
        Numbers of the states.
    constants : ndarray of int64
        Constants of the world, on which the numbers depend.

    Attributes
    ----------
    records : Memory
        Memory for the nodes.
    blocks : list of Memory
        Memory for the open list, if that takes any.
    entries : ndarray of int32
        The table.
    base : int
        Number that the entries of this search exceed.
    capacity : int
        Number of nodes for which this search has memory.
    """

    def __init__(self, numbering: Numbering, constants: NDArray[np.int64]) -> None:
        self._numbering, self._constants = numbering, constants
        spare: _Spare = numbering.spare.pop() if numbering.spare else _new_memory(numbering.states)
        if spare[-1] >= _MAX_BASE:
            spare = _new_memory(numbering.states)
        self.records, self.blocks, self._memory, self.base = spare
        self.entries: NDArray[np.int32] = self._memory.view(np.int32)[: numbering.states]
        self.capacity = 0

    def __del__(self) -> None:
        """Leave the memory to the next search."""
        if hasattr(self, "entries") and not self._numbering.spare:  # it was allocated
            del self.entries
            self._numbering.spare.append((self.records, self.blocks, self._memory, self.base + self.capacity))

    def insert(self, states: NDArray[np.uint64], stride: int, state_at: int, count: int) -> None:
        """Insert the first `count` nodes, whose states begin at word `state_at` of their records."""
        number_of = self._numbering.number.compiled
        for node in range(count):
            number = number_of(self._constants, states, node * stride + state_at)
            self.entries[number] = self.base + node + 1


def _new_memory(states: int) -> _Spare:
    """Return memory for nodes, for an open list and for a table, and a base of 0."""
    table = 4 * states
    if table >= _LARGE:
        table = -(-table // HUGE_PAGES.start) * HUGE_PAGES.start
    return Memory(min(_RECORD_BYTES * states, _MOST_AT_ONCE)), [], Memory(table), 0
