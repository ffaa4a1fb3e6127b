"""Node store of a search from both ends: one node per state and direction. The two nodes of a state know each other.

A record has one more word behind the state, of two int32. The last is the twin: the node of the other direction with
the same state, or -1. The one before is the note, a number of at least 0 that the search keeps for the node: as it is
in the forward direction, and as -1 - note in the backward direction. The table finds one of both nodes: by the hash of
the state, or by its number (`algorithms.engine.number_table`).
"""

from __future__ import annotations

import numpy as np

from algorithms.bidirectional import control_entries as e
from algorithms.engine import G, Nodes
from worlds.compile import as_index, helper

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
def node_of_direction(fields, node, direction, width):
    """Return the node of a direction with the same state as a node, or -1 if there is none."""
    if direction_of(fields, node * width, width) == direction:
        return np.int64(node)
    return twin_of(fields, node * width, width)


@helper
def add_twin(fields, node, other, direction, width):
    """Write direction, twin and the note 0 of a new node. `other` is its twin, or negative if there is none."""
    set_note(fields, node * width, width, direction, 0)
    fields[node * width + width + TWIN] = max(other, -1)
    if other >= 0:
        fields[as_index(other) * width + width + TWIN] = node


@helper
def meet(control, fields, node, other, cost, direction, width):
    """Record the solution through a node and its twin `other`, if it is the best."""
    if cost + fields[other * width + G] < control[e.BEST_COST]:
        control[e.BEST_COST] = cost + fields[other * width + G]
        control[e.MEETING_FORWARD] = other if direction else node
        control[e.MEETING_BACKWARD] = node if direction else other
