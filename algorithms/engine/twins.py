"""Node store of a search from both ends: one node per state and direction. The two nodes of a state know each other.

A record has one more word behind the state, of two int32. The last is the twin: the node of the other direction with
the same state, or -1. The one before is the note, a number of at least 0 that the search keeps for the node: as it is
in the forward direction, and as -1 - note in the backward direction. The table finds one of both nodes: by the hash of
the state, or by its number in worlds that number their states (`worlds.numbering`).
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.memory import Memory
from algorithms.engine.nodes import FIELD_WORDS, MAX_NODES, G, Nodes, copy_state, insert, node_in
from worlds.compile.kernel import as_index, helper
from worlds.numbering import Numbering

NOTE, TWIN = -2, -1
"""Places in a record, from its end."""


class TwinNodes(Nodes):
    """Node store of a search from both ends.

    Parameters
    ----------
    words : int
        Number of words of a state.
    capacity : int
        Number of nodes for which there is memory at first.
    """

    own_words = 1

    def put_root(self, node: int, state: np.ndarray, h: int, direction: int, note: int) -> None:
        """Write a root with its note and without a twin. The table does not change (`index`)."""
        self.put(node, state, h)
        last = (node + 1) * 2 * self.stride
        self.fields[last + NOTE], self.fields[last + TWIN] = note ^ -direction, -1

    def join(self, node: int, other: int) -> None:
        """Make two nodes twins."""
        for one, twin in ((node, other), (other, node)):
            self.fields[(one + 1) * 2 * self.stride + TWIN] = twin

    def is_backward(self, node: int) -> bool:
        """Return whether a node belongs to the backward search."""
        return self.field(node + 1, NOTE) < 0


class NumberedTwinNodes(TwinNodes):
    """The same with a table that has a slot for each state of the world.

    Parameters
    ----------
    words : int
        Number of words of a state.
    capacity : int
        Number of nodes for which there is memory at first.
    numbering : Numbering
        Numbers of the states.
    world : ndarray of int64
        Description of the world, which the numbers depend on.
    """

    def __init__(self, words: int, capacity: int, numbering: Numbering, world: np.ndarray) -> None:
        self._numbering, self._world = numbering, world
        super().__init__(words, capacity)

    def _make_table(self, capacity: int) -> None:
        self._table_capacity = MAX_NODES  # it never grows
        self._slots = Memory(4 * self._numbering.states)
        self.table = self._slots.view(np.int32)

    def size_at(self, capacity: int) -> int:
        """Return the bytes of records and table at a capacity."""
        return capacity * 8 * self.stride + 4 * self._numbering.states

    def index(self, count: int) -> None:
        """Insert the first `count` nodes into the table, which must be empty."""
        for node in range(count):
            number = self._numbering.number.compiled(self._world, self.states, node * self.stride + FIELD_WORDS)
            self.table[number] = node + 1


@helper
def direction_of(fields, record, width):
    """Return 0 for a node of the forward search, 1 for one of the backward search."""
    return np.int64(fields[record + width + NOTE] < 0)


@helper
def note_of(fields, record, width):
    """Return the note of a node."""
    note = np.int64(fields[record + width + NOTE])
    return note if note >= 0 else -1 - note


@helper
def set_note(fields, record, width, direction, note):
    """Write the note of a node."""
    fields[record + width + NOTE] = -1 - note if direction else note


@helper
def twin_of(fields, record, width):
    """Return the node of the other direction with the same state, or -1 if there is none."""
    return np.int64(fields[record + width + TWIN])


@helper
def find_or_insert_twin(table, slot, stored, fields, words, index_mask, states, at, key, next_node, direction):
    """Return the node of a direction with the state at offset `at` of `states`; if there is none, store `next_node`.

    `slot` is that of the state. A new node has the note 0. Its other fields are not written.
    """
    stride = words + FIELD_WORDS + 1
    width = 2 * stride
    node = node_in(table, slot, index_mask)
    if node < 0:
        insert(table, slot, index_mask, next_node, key)
    else:
        record = as_index(node) * width
        if direction_of(fields, record, width) == direction:
            return as_index(node)
        if fields[record + width + TWIN] >= 0:
            return as_index(fields[record + width + TWIN])
        fields[record + width + TWIN] = next_node
    copy_state(states, at, stored, next_node * stride + FIELD_WORDS, words)
    set_note(fields, next_node * width, width, direction, 0)
    fields[next_node * width + width + TWIN] = node
    return as_index(next_node)


@helper
def meet(control, fields, node, other, cost, direction, width):
    """Record the solution through a node and its twin `other`, if it is the best."""
    if cost + fields[other * width + G] < control[c.BEST_COST]:
        control[c.BEST_COST] = cost + fields[other * width + G]
        control[c.MEETING_FORWARD] = other if direction else node
        control[c.MEETING_BACKWARD] = node if direction else other
