"""Many states of a planning task at once: the values of their variables as one array, decoded by one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from worlds.compile import as_index, kernel, raise_on_error
from worlds.pddl.packing import Packing, PlanningState

# Layout of `fields`: for each variable its word, its lowest bit there, and as many set bits as it takes, from bit 0.
_WORD, _SHIFT, _MASK, _FIELD = range(4)


@kernel("int64(int64[::1], int64, uint64[::1], int64[::1])")
def decode(fields, words, states, values):
    """Write the values of all variables of consecutive states of some words."""
    variables = fields.size // _FIELD
    for state in range(states.size // words):
        for variable in range(variables):
            field = variable * _FIELD
            bits = states[state * words + as_index(fields[field + _WORD])] >> np.uint64(fields[field + _SHIFT])
            values[state * variables + variable] = np.int64(bits & np.uint64(fields[field + _MASK]))
    return 0


class PlanningStates(Sequence[PlanningState]):
    """States of a planning task, as a heuristic that takes batches sees them. An item is a `PlanningState`.

    Parameters
    ----------
    packing : Packing
        Packing of the states of the task.
    words : ndarray of uint64, shape (states, words)
        Packed states.

    Attributes
    ----------
    values : ndarray of int64, shape (states, variables)
        Number of the value of each variable.
    """

    def __init__(self, packing: Packing, words: NDArray[np.uint64]) -> None:
        self._packing, self.words = packing, words
        self.values = np.empty((len(words), len(packing.fields)), np.int64)
        states = np.ascontiguousarray(words).reshape(-1)
        raise_on_error(decode.compiled(packing.field_array, packing.words, states, self.values.reshape(-1)))

    @cached_property
    def fact_numbers(self) -> NDArray[np.int64]:
        """Numbers of the facts that hold, of shape (states, variables), as in `worlds.pddl.fact_table.FactTable`.

        ``features[states.fact_numbers].sum(axis=1)`` adds up a row of features for each fact that holds.
        """
        return self.values + self._packing.first_facts

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, index: int) -> PlanningState: ...

    @overload
    def __getitem__(self, index: slice) -> PlanningStates: ...

    def __getitem__(self, index: int | slice) -> PlanningState | PlanningStates:
        if isinstance(index, slice):
            return PlanningStates(self._packing, self.words[index])
        return PlanningState(self._packing, self.words[index])

    def __repr__(self) -> str:
        return repr(list(self))
