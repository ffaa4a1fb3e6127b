"""The node store: one record per node in a flat array, and the hash table that finds a state among them.

A record is three words of fields (int32 `G`, `H`, `PARENT`, `MOVE`, `NEXT`, `PREVIOUS`) and then the words of the
state, so that reading a node touches one place in memory. Two arrays share this memory: `fields` (int32) and `states`
(uint64). The record of a node begins at ``node * stride`` in `states` and at ``node * width`` in `fields`, where
width = 2 * stride. `MOVE` holds the action that leads from the parent to the node (low 16 bits) and the depth of the
node (high 16 bits, at most `MAX_DEPTH`).

An entry of the table is 0 if it is free. Otherwise its low bits (`index_mask`) are node + 1, and the bits above are
part of the hash of the state, which tells most states apart without reading their records.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine.hashing import hash_state
from algorithms.engine.memory import Memory
from algorithms.engine.number_table import NumberTable
from worlds.compile import as_index, helper, kernel, prefetch

G, H, PARENT, MOVE, NEXT, PREVIOUS = range(6)
FIELD_WORDS = 3
MAX_DEPTH = (1 << 15) - 1

_GROWTH = 1.5
_MAX_LOAD = 0.8
MAX_NODES = (1 << 31) - 2
_AHEAD = 16
"""How many nodes ahead `insert_all` prefetches."""

STORE = "Tuple((uint64[::1], int32[::1], int32[::1]))"
"""Numba type of `Nodes.arrays`."""


class Nodes:
    """Node store.

    Parameters
    ----------
    words : int
        Number of words of a state.
    capacity : int
        Number of nodes for which there is memory at first.
    numbers : NumberTable, optional
        Table that finds nodes by the numbers of their states. By default they are found by their hashes.

    Attributes
    ----------
    stride : int
        Number of words of a record.
    states : ndarray of uint64
        Records as words.
    fields : ndarray of int32
        The same memory as int32.
    table : ndarray of int32
        Hash table with open addressing, at most four fifths full.
    blocks : list of Memory
        Memory for the open list, which the next search may use again.
    """

    own_words = 0
    """Number of words of a record behind the state, which subclasses use."""

    def __init__(self, words: int, capacity: int = 1024, numbers: NumberTable | None = None) -> None:
        self.words = words
        self.stride = words + FIELD_WORDS + self.own_words
        self._number_table = numbers
        self.blocks: list[Memory] = [] if numbers is None else numbers.blocks
        self._records = Memory(8 * self.stride * capacity) if numbers is None else numbers.records
        self._set_capacity(capacity)
        self._make_table(capacity)

    def _make_table(self, capacity: int) -> None:
        if self._number_table is not None:
            self._table_capacity = MAX_NODES  # it never grows
            self.table = self._number_table.entries
            return
        self._table_capacity = capacity
        self._slots = Memory(4 * _table_size(capacity))
        self.table = self._slots.view(np.int32)

    def _set_capacity(self, capacity: int) -> None:
        words = self.stride * capacity
        if 8 * words > self._records.nbytes:
            self._records.resize(8 * words)
        if self._number_table is not None:
            self._number_table.capacity = capacity
        self.capacity = capacity
        self.states = self._records.view(np.uint64)[:words]
        self.fields = self._records.view(np.int32)[: 2 * words]

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """`states`, `fields` and `table`, as kernels take them. Do not keep them: growth needs all views gone."""
        return self.states, self.fields, self.table

    @property
    def nbytes(self) -> int:
        """Bytes of the records and the table."""
        return self.size_at(self.capacity)

    @property
    def index_mask(self) -> int:
        """Mask of the bits of a table entry that hold node + 1; or `NumberTable.base`."""
        if self._number_table is not None:
            return self._number_table.base
        return (1 << (self._table_capacity + 1).bit_length()) - 1

    def size_at(self, capacity: int) -> int:
        """Return the bytes of records and table at a capacity. A table by numbers is counted with its world."""
        if self._number_table is not None:
            return capacity * 8 * self.stride
        return capacity * 8 * self.stride + 4 * _table_size(self._table_for(capacity))

    def _table_for(self, capacity: int) -> int:
        """Return the number of nodes for which the table is allocated. A new table is large enough for two growths."""
        if capacity <= self._table_capacity:
            return self._table_capacity
        return min(int(capacity * _GROWTH), MAX_NODES)

    def field(self, node: int, field: int) -> int:
        """Return one field of a node."""
        return int(self.fields[node * 2 * self.stride + field])

    def action(self, node: int) -> int:
        """Return the code of the action that leads to a node."""
        return ((self.field(node, MOVE) & 0xFFFF) ^ 0x8000) - 0x8000

    def column(self, field: int, first: int, last: int) -> np.ndarray:
        """Return one field of the nodes from `first` to `last` (excluded), as a view. Do not keep it: see `arrays`."""
        return self.fields.reshape(-1, 2 * self.stride)[first:last, field]

    def record(self, node: int) -> np.ndarray:
        """Return a copy of the record of a node: the words of its fields, those of its state, and `own_words`."""
        return self.states[node * self.stride : (node + 1) * self.stride].copy()

    def state(self, node: int) -> np.ndarray:
        """Return a copy of the packed state of a node."""
        return self.record(node)[FIELD_WORDS:][: self.words]

    def put(self, node: int, state: np.ndarray, h: int) -> None:
        """Write a root: a node at cost and depth 0 that is its own parent. The table does not change (`index`)."""
        at = node * self.stride + FIELD_WORDS
        self.states[at - FIELD_WORDS : at] = 0
        self.states[at : at + self.words] = state
        self.fields[node * 2 * self.stride + H] = h
        self.fields[node * 2 * self.stride + PARENT] = node

    def index(self, count: int) -> None:
        """Insert the first `count` nodes into the table, which must be empty."""
        if self._number_table is not None:
            self._number_table.insert(self.states, self.stride, FIELD_WORDS, count)
            return
        insert_all.compiled(self.table, self.states, self.words, self.stride, self.index_mask, count)

    def grow(self, capacity: int, used: int) -> None:
        """Enlarge the store to a capacity; it holds `used` nodes."""
        del self.states, self.fields
        self._set_capacity(capacity)
        if capacity > self._table_capacity:
            del self.table, self._slots
            self._make_table(self._table_for(capacity))
            self.index(used)

    def clear(self) -> None:
        """Empty the table, and so the store."""
        self.table[:] = 0

    def path(self, node: int) -> list[int]:
        """Return the action codes from the root to a node."""
        actions, fields, width = [], self.fields.data, 2 * self.stride
        while (parent := fields[node * width + PARENT]) != node:
            actions.append(self.action(node))
            node = parent
        return actions[::-1]


def capacity_within(nodes: Nodes, other_bytes: int, memory_limit: int | None, largest: int = MAX_NODES) -> int:
    """Return the capacity to grow to: 1.5 times the present one, or less if the memory limit requires it.

    Returns 0 if the memory limit allows less than 1/16 more nodes. `other_bytes` is the memory of the search outside of
    the store; `largest` is the largest capacity that it needs.
    """
    wanted = min(int(nodes.capacity * _GROWTH), largest, MAX_NODES)
    if memory_limit is None or nodes.size_at(wanted) + other_bytes <= memory_limit:
        return wanted if wanted > nodes.capacity else 0
    low, high = nodes.capacity, wanted
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if nodes.size_at(middle) + other_bytes <= memory_limit else (low, middle)
    return low if low >= nodes.capacity + nodes.capacity // 16 else 0


def _table_size(capacity: int) -> int:
    return int(max(8, capacity) / _MAX_LOAD) + 1


@helper
def first_slot(table, hashed):
    """Return where probing begins: the high half of the hash, scaled to the size of the table (Lemire 2019)."""
    return np.int64(((hashed >> np.uint64(32)) * np.uint64(table.size)) >> np.uint64(32))


@helper
def tag_of(hashed, index_mask):
    """Return the part of a hash that a table entry holds above the node."""
    return np.int64(hashed & np.uint64(0x7FFFFFFF)) & ~index_mask


@helper
def find_slot(table, stored, words, stride, index_mask, states, at, hashed):
    """Return the slot of the node with the state at offset `at` of `states`, or the free slot for this state.

    Records have `stride` words.
    """
    slot = first_slot(table, hashed)
    tag = tag_of(hashed, index_mask)
    while True:
        entry = np.int64(table[slot])
        if entry == 0:
            return slot
        if entry & ~index_mask == tag:
            record = as_index((entry & index_mask) - 1) * stride + FIELD_WORDS
            i = 0
            while i < words and stored[record + i] == states[at + i]:
                i += 1
            if i == words:
                return slot
        slot += 1
        if slot == table.size:
            slot = 0


@helper
def node_in(table, slot, index_mask):
    """Return the node in a slot, or -1 if the slot is free."""
    return (np.int64(table[slot]) & index_mask) - 1


@helper
def insert(table, slot, index_mask, node, hashed):
    """Write a node into a free slot."""
    table[slot] = tag_of(hashed, index_mask) | (node + 1)


@helper
def find_node(table, stored, words, index_mask, states, at, hashed):
    """Return the node with the state at offset `at` of `states`, or -1 if there is none."""
    slot = find_slot(table, stored, words, words + FIELD_WORDS, index_mask, states, at, hashed)
    return node_in(table, slot, index_mask)


@helper
def find_or_insert(table, stored, words, index_mask, states, at, hashed, next_node):
    """Return the node with the state at offset `at` of `states`; if there is none, store the state as `next_node`.

    Fields of a new node are not written.
    """
    slot = find_slot(table, stored, words, words + FIELD_WORDS, index_mask, states, at, hashed)
    node = node_in(table, slot, index_mask)
    if node < 0:
        node = next_node
        insert(table, slot, index_mask, node, hashed)
        copy_state(states, at, stored, node * (words + FIELD_WORDS) + FIELD_WORDS, words)
    return as_index(node)


@helper
def depth_of(fields, record):
    """Return the number of moves from the root to a node, at most `MAX_DEPTH`."""
    return np.int64(fields[record + MOVE]) >> 16


@helper
def child_depth(fields, record):
    """Return the depth of the children of a node."""
    return min(depth_of(fields, record) + 1, MAX_DEPTH)


@helper
def set_path(fields, record, parent, depth, cost, action):
    """Write the last step of the path to a node: its parent and action, with the depth and cost of the path."""
    fields[record + G] = cost
    fields[record + PARENT] = parent
    fields[record + MOVE] = (depth << 16) | (np.int64(action) & 0xFFFF)


@helper
def copy_state(states, at, out, out_at, words):
    """Copy the words of one state."""
    for i in range(words):
        out[out_at + i] = states[at + i]


@kernel("int64(int32[::1], uint64[::1], int64, int64, int64, int64)")
def insert_all(table, states, words, stride, index_mask, count):
    """Insert the first `count` nodes into an empty table."""
    for node in range(count):
        if node + _AHEAD < count:
            ahead = hash_state(states, (node + _AHEAD) * stride + FIELD_WORDS, words)
            prefetch(table, first_slot(table, ahead))
        hashed = hash_state(states, node * stride + FIELD_WORDS, words)
        slot = first_slot(table, hashed)
        while table[slot] != 0:
            slot += 1
            if slot == table.size:
                slot = 0
        insert(table, slot, index_mask, node, hashed)
    return 0
