"""Many packed states at once: a sequence of states that also has arrays of the values of their variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


class StateArrays(Sequence[Any]):
    """States as a heuristic that takes batches sees them. An item is what `Kernels.describe` returns.

    Attributes
    ----------
    world : Kernels
    words : ndarray of uint64, shape (states, words)
        Packed states.
    """

    def __init__(self, world: Any, words: NDArray[np.uint64]) -> None:
        self.world, self.words = world, words

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """Value of each variable, of shape (states, variables): `Kernels.values_of`."""
        values: NDArray[np.int64] = self.world.values_of(self.words)
        return values

    @cached_property
    def one_hot(self) -> NDArray[np.uint8]:
        """1 for the value that a variable has, 0 for each other one, of shape (states, values of all variables)."""
        first = self.world.first_values
        result = np.zeros((len(self.words), int(first[-1])), np.uint8)
        np.put_along_axis(result, self.values + first[:-1], 1, axis=1)
        return result

    @cached_property
    def _states(self) -> list[Any]:
        return [self.world.describe(state) for state in self.words]

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: Any) -> Any:
        return type(self)(self.world, self.words[index]) if isinstance(index, slice) else self._states[index]

    def __repr__(self) -> str:
        return repr(list(self))
