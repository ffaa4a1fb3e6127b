"""Node store of worlds that number their states (`worlds.numbering`): the node of a state has its number.

So a state is found without a hash table, and the records of neighbouring cells lie side by side. A search leaves its
memory to the next one with the same numbering: the operating system would take longer to provide new pages than a short
search takes. The memory is not cleared. A node exists if its `PREVIOUS` is less than `stamp`; each search has a smaller
stamp than the one before. The values of `PREVIOUS` are the stamp minus OPEN, CLOSED, DEAD_END or PRUNED.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine.memory import Memory
from algorithms.engine.nodes import FIELD_WORDS, PREVIOUS, Nodes
from worlds.numbering import Numbering

OPEN, CLOSED, DEAD_END, PRUNED = 1, 2, 3, 4
_STAMPS = range(0, -(1 << 31) + 8, -8)
_FIRST_CAPACITY = 2048
_NO_TABLE = np.zeros(0, np.int32)


class NumberedNodes(Nodes):
    """Node store with a record for each state of the world.

    Its capacity is a number of nodes, as that of other stores, so that memory is counted and limited likewise.

    Parameters
    ----------
    words : int
        Number of words of a state.
    numbering : Numbering
        Numbers of the states.

    Attributes
    ----------
    stamp : int
        Number that distinguishes the records of this search from those of earlier ones.
    """

    def __init__(self, words: int, numbering: Numbering) -> None:
        self.words, self.stride = words, words + FIELD_WORDS
        self.capacity = _FIRST_CAPACITY
        self._numbering = numbering
        self.table = _NO_TABLE
        stamp = None
        if numbering.spare:
            self.states, self.fields, self._stamps = numbering.spare.pop()
            stamp = next(self._stamps, None)
        if stamp is None:
            self._records, self._stamps = Memory(8 * self.stride * numbering.states), iter(_STAMPS)
            self._view()
            stamp = next(self._stamps)
        self.stamp: int = stamp

    def __del__(self) -> None:
        """Leave the memory to the next search."""
        if hasattr(self, "stamp") and not self._numbering.spare:  # it was allocated
            self._numbering.spare.append((self.states, self.fields, self._stamps))

    @property
    def index_mask(self) -> int:
        """There is no table."""
        return 0

    def has_dead_end(self, used: int) -> bool:
        """Return whether the search has met a state with an infinite heuristic value."""
        previous = self.column(PREVIOUS, 0, self._numbering.states)
        return bool((previous == self.stamp - DEAD_END).any())

    def size_at(self, capacity: int) -> int:
        """Return the bytes of the records at a capacity."""
        return capacity * 8 * self.stride

    def grow(self, capacity: int, used: int) -> None:
        """Allow more nodes."""
        self.capacity = capacity
