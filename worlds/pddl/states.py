"""Many states of a planning task at once: the values of their variables as one array, decoded by one kernel."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worlds.compile import as_index, kernel, raise_on_error
from worlds.interface import StateArrays
from worlds.pddl.packing import Packing

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


def values_of(packing: Packing, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of the value of each variable in packed states, of shape (states, variables)."""
    values = np.empty((len(words), len(packing.fields)), np.int64)
    states = np.ascontiguousarray(words).reshape(-1)
    raise_on_error(decode.compiled(packing.field_array, packing.words, states, values.reshape(-1)))
    return values


class PlanningStates(StateArrays):
    """States of a planning task, as a heuristic that takes batches sees them. An item is a `PlanningState`."""

    @cached_property
    def fact_numbers(self) -> NDArray[np.int64]:
        """Numbers of the facts that hold, of shape (states, variables), as in `worlds.pddl.fact_table.FactTable`.

        ``features[states.fact_numbers].sum(axis=1)`` adds up a row of features for each fact that holds.
        """
        first: NDArray[np.int64] = self.world.first_values[:-1]
        return self.values + first

    @property
    def facts(self) -> NDArray[np.uint8]:
        """1 for each fact that holds, 0 for each other one, of shape (states, facts), by their numbers."""
        return self.one_hot
