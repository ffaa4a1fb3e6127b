"""Novelty of states: the number of facts of the smallest tuple that holds in a state for the first time.

A fact is a variable with one of its values. States have classes, and only states of the same class are compared. Facts
are numbered: those of the first variable, then those of the second, and so on (Lipovetzky and Geffner 2012).

Each fact that a state of a class has had owns a row of the table of pairs: one bit for each fact with a smaller number.
`rows` has 1 + the index of this row, or 0 if there was no such state. So memory grows with the facts that were reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.engine import GrowingArrays, move_buckets, slot_of
from algorithms.novelty import control_entries as n
from worlds.compile import as_index, helper
from worlds.interface import StateVariable

TABLE = "Tuple((int64[::1], int64[::1], int64[::1], int64[::1], uint64[::1]))"
"""Numba type of `NoveltyTable.arrays`: word, shift, mask and first fact of each variable; facts of the last state, and
places of those that differ from its parent; hash table of the classes; rows of each class; table of pairs."""

NODES, OPEN, ROWS, PAIRS, PLANS = range(5)
"""Values of `FULL_PART`. The first and last two are parts of searches."""
OLD = 3
"""Novelty of a state without a new tuple of at most two facts."""

_FIRST_CLASSES, _FIRST_WORDS = 16, 1024


class NoveltyTable:
    """Facts and pairs of facts that states of each class have had.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    variables : sequence of StateVariable
    size : int
        Most facts of a tuple: 1 or 2.
    is_single : bool
        Whether there is one class only. All memory is allocated at once then.
    """

    def __init__(
        self, control: np.ndarray, variables: Sequence[StateVariable], size: int, *, is_single: bool = False
    ) -> None:
        first = np.cumsum([0, *(each.values for each in variables)])
        facts = int(first[-1])
        self._control = control
        classes = 1 if is_single else _FIRST_CLASSES
        self._places = np.array([(*each[:3], at) for each, at in zip(variables, first[:-1], strict=True)], np.int64)
        self._state = np.zeros(2 * len(variables), np.int64)
        self._classes = np.zeros(4 * classes, np.int64)
        self._rows = GrowingArrays(classes, (np.int64, facts))
        all_rows = sum((fact + 63) // 64 for fact in range(facts))
        self._pairs = GrowingArrays(all_rows if is_single and size > 1 else _FIRST_WORDS, (np.uint64, 1))
        control[n.VARIABLES], control[n.FACTS], control[n.SIZE] = len(variables), facts, size
        control[n.CLASSES] = control[n.PAIRS_USED] = 0

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays as kernels take them (`TABLE`)."""
        return self._places.reshape(-1), self._state, self._classes, *self._rows.views, *self._pairs.views

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        return self._classes.nbytes + self._rows.nbytes + self._pairs.nbytes

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double what was full; return False if that would exceed the memory limit."""
        is_rows = self._control[n.FULL_PART] == ROWS
        part = self._rows if is_rows else self._pairs
        more = part.nbytes + self._classes.nbytes * is_rows
        if memory_limit is not None and self.nbytes + more + other_bytes > memory_limit:
            return False
        part.double()
        if is_rows:
            old, self._classes = self._classes, np.zeros(2 * self._classes.size, np.int64)
            move_buckets.compiled(old, self._classes)
        return True


@helper
def has_room(control, table):
    """Tell whether another state, of a new class and with new facts, has room in the tables."""
    _, _, classes, rows, pairs = table
    if 4 * (control[n.CLASSES] + 1) > classes.size or (control[n.CLASSES] + 1) * control[n.FACTS] > rows.size:
        control[n.FULL_PART] = ROWS
        return False
    longest = (control[n.FACTS] + 63) >> 6
    if control[n.SIZE] > 1 and control[n.PAIRS_USED] + control[n.VARIABLES] * longest > pairs.size:
        control[n.FULL_PART] = PAIRS
        return False
    return True


@helper
def class_of(control, first, second, table):
    """Return the number of the class with two keys. It is new if there is none."""
    classes = table[2]
    slot = slot_of(first, second, classes)
    if classes[slot + 1] == 0:
        control[n.CLASSES] += 1
        classes[slot] = first
        classes[slot + 1] = second << 32 | control[n.CLASSES]
    return (classes[slot + 1] & 0xFFFFFFFF) - 1


@helper
def fact_of(places, variable, states, at):
    """Return the fact of a variable in the state at word offset `at`."""
    place = as_index(4 * variable)
    word = states[at + as_index(places[place])]
    value = (word >> np.uint64(places[place + 1])) & np.uint64(places[place + 2])
    return places[place + 3] + np.int64(value)


@helper
def novelty_of(control, number, states, at, parents, parent_at, table):
    """Return the novelty of a state of a class, and note its facts and pairs.

    Parameters
    ----------
    number : int
        Number of the class.
    states, at : ndarray of uint64, int
        The state begins at this word offset.
    parents, parent_at : ndarray of uint64, int
        A state of the class that was noted before; its pairs are not new. A negative offset: there is none.
    """
    places, state, _, rows, pairs = table
    variables = as_index(control[n.VARIABLES])
    first_row = number * control[n.FACTS]
    novelty = np.int64(OLD)
    changes = 0
    for i in range(variables):
        fact = fact_of(places, i, states, at)
        state[i] = fact
        if parent_at < 0 or fact != fact_of(places, i, parents, parent_at):
            state[variables + changes] = i
            changes += 1
        if rows[as_index(first_row + fact)] == 0:
            novelty = np.int64(1)
            rows[as_index(first_row + fact)] = control[n.PAIRS_USED] + 1
            if control[n.SIZE] > 1:
                control[n.PAIRS_USED] += (fact + 63) >> 6
    if control[n.SIZE] == 1:
        return novelty
    next_change = 0
    for i in range(variables):
        row = rows[as_index(first_row + state[i])] - 1
        if next_change < changes and state[variables + next_change] == i:
            next_change += 1
            for j in range(i):
                if note_pair(pairs, row, state[j]):
                    novelty = min(novelty, np.int64(2))
        else:
            for k in range(next_change):
                if note_pair(pairs, row, state[as_index(state[variables + k])]):
                    novelty = min(novelty, np.int64(2))
    return novelty


@helper
def note_pair(pairs, row, smaller):
    """Note the pair of the fact that owns a row and a fact with a smaller number. Tell whether it is new."""
    word = as_index(row + (smaller >> 6))
    bit = np.uint64(1) << np.uint64(smaller & 63)
    if pairs[word] & bit != 0:
        return False
    pairs[word] |= bit
    return True
