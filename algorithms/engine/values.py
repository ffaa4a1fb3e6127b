"""Nodes with further values beside h: of another stack, or of the single terms of a stack."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.memory import Memory
from algorithms.engine.nodes import Nodes
from algorithms.engine.number_table import NumberTable


class ValuedNodes(Nodes):
    """Node store with `count` further values for each node.

    Attributes
    ----------
    values : ndarray of int32
        Values of node i from index i * count on.
    """

    def __init__(self, words: int, capacity: int, count: int, numbers: NumberTable | None = None) -> None:
        self._count = count
        super().__init__(words, capacity, numbers)
        self._further = Memory(4 * count * capacity)
        self.values: NDArray[np.int32] = self._further.view(np.int32)

    def size_at(self, capacity: int) -> int:
        """Return the bytes of records, table and values at a capacity."""
        return super().size_at(capacity) + 4 * self._count * capacity

    def grow(self, capacity: int, used: int) -> None:
        """Enlarge the store to a capacity; it holds `used` nodes."""
        super().grow(capacity, used)
        del self.values
        self._further.resize(4 * self._count * capacity)
        self.values = self._further.view(np.int32)
