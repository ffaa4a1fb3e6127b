"""The node store: one record per node in a flat array, and the hash table that finds a state among them.

A record is three words of fields (int32 `G`, `H`, `PARENT`, `MOVE`, `NEXT`, `PREVIOUS`) followed by the words of the
state, so that looking at a node touches one place in memory. The array is seen as int32 (`fields`) and as uint64
(`states`); a node's record begins at `node * stride` in the latter. `MOVE` holds the action that leads from the parent
to the node (low 16 bits) and the node's depth (high 16 bits, at most `MAX_DEPTH`).

An entry of the table is 0 if free, else node + 1 in its low bits and part of the state's hash in those above, which
tells most other states apart without a look at their records.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine.memory import Memory
from worlds.kernel import helper, kernel, prefetch

G, H, PARENT, MOVE, NEXT, PREVIOUS = range(6)
FIELD_WORDS = 3
MAX_DEPTH = (1 << 15) - 1

_GROWTH = 1.5
_FULLEST = 0.8
_MAX_NODES = (1 << 31) - 2
_AHEAD = 16


class Nodes:
    """Records of nodes, without a Python object per node.

    Parameters
    ----------
    words : int
        Words of a state.
    capacity : int

    Attributes
    ----------
    stride : int
        Words of a record.
    states : ndarray of uint64
    fields : ndarray of int32
        Another view of the same memory.
    table : ndarray of int32
        Open-addressing hash table, at most four fifths full.
    """

    def __init__(self, words: int, capacity: int = 1024) -> None:
        self.words = words
        self.stride = words + FIELD_WORDS
        self.capacity = capacity
        self._records = Memory(8 * self.stride * capacity)
        self._view()
        self._make_table(capacity)

    def _make_table(self, capacity: int) -> None:
        self._table_capacity = capacity
        self._slots = Memory(4 * _table_size(capacity))
        self.table = self._slots.view(np.int32)

    def _view(self) -> None:
        self.states = self._records.view(np.uint64)
        self.fields = self._records.view(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes of the records and the table."""
        return self.size_at(self.capacity)

    @property
    def index_mask(self) -> int:
        """The bits of a table entry that hold node + 1."""
        return (1 << (self._table_capacity + 1).bit_length()) - 1

    def size_at(self, capacity: int) -> int:
        """Bytes of records and table at a capacity."""
        return capacity * 8 * self.stride + 4 * _table_size(self._table_for(capacity))

    def _table_for(self, capacity: int) -> int:
        """The number of nodes for which a table is made, when it is: it lasts for two growths."""
        if capacity <= self._table_capacity:
            return self._table_capacity
        return min(int(capacity * _GROWTH), _MAX_NODES)

    def field(self, node: int, field: int) -> int:
        """One field of a node."""
        return int(self.fields[node * 2 * self.stride + field])

    def action(self, node: int) -> int:
        """Code of the action that leads to a node."""
        return ((self.field(node, MOVE) & 0xFFFF) ^ 0x8000) - 0x8000

    def column(self, field: int, first: int, last: int) -> np.ndarray:
        """One field of the nodes from `first` to `last` (excluded), as a view that must be gone before growth."""
        return self.fields.reshape(-1, 2 * self.stride)[first:last, field]

    def state(self, node: int) -> np.ndarray:
        """The packed state of a node, copied."""
        at = node * self.stride + FIELD_WORDS
        return self.states[at : at + self.words].copy()

    def put(self, node: int, state: np.ndarray, h: int) -> None:
        """Write a root: its state and h, its own parent, at cost and depth 0. It is not entered into the table."""
        at = node * self.stride + FIELD_WORDS
        self.states[at - FIELD_WORDS : at] = 0
        self.states[at : at + self.words] = state
        self.fields[node * 2 * self.stride + H] = h
        self.fields[node * 2 * self.stride + PARENT] = node

    def index(self, count: int) -> None:
        """Enter the first `count` nodes into the table, which must be empty."""
        insert_all.compiled(self.table, self.states, self.words, self.index_mask, count)

    def grow(self, capacity: int, used: int) -> None:
        """Enlarge the store; the first `used` nodes are kept."""
        del self.states, self.fields
        self._records.resize(8 * self.stride * capacity)
        self._view()
        self.capacity = capacity
        if capacity > self._table_capacity:
            del self.table, self._slots
            self._make_table(self._table_for(capacity))
            self.index(used)

    def clear(self) -> None:
        """Forget all nodes."""
        self.table[:] = 0

    def path(self, node: int) -> list[int]:
        """Action codes from a root, which is its own parent, to a node."""
        actions = []
        while (parent := self.field(node, PARENT)) != node:
            actions.append(self.action(node))
            node = parent
        return actions[::-1]


def capacity_within(nodes: Nodes, other_bytes: int, memory_limit: int | None) -> int:
    """The capacity to grow to: half as much again, or as much more as the memory limit allows; 0 if nothing."""
    wanted = min(int(nodes.capacity * _GROWTH), _MAX_NODES)
    if memory_limit is None or nodes.size_at(wanted) + other_bytes <= memory_limit:
        return wanted if wanted > nodes.capacity else 0
    low, high = nodes.capacity, wanted
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if nodes.size_at(middle) + other_bytes <= memory_limit else (low, middle)
    return low if low >= nodes.capacity + nodes.capacity // 16 else 0


def _table_size(capacity: int) -> int:
    return int(max(8, capacity) / _FULLEST) + 1


@helper
def hash_state(states, at, words):
    """Hash of the words from offset `at` on: multiply and shift, with the constants of MurmurHash3's finaliser."""
    x = np.uint64(0)
    for i in range(words):
        x = (x ^ states[at + i]) * np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@helper
def first_slot(table, hashed):
    """Where the search for a hash begins: its high half, scaled to the size of the table (Lemire 2019)."""
    return np.int64(((hashed >> np.uint64(32)) * np.uint64(table.size)) >> np.uint64(32))


@helper
def tag_of(hashed, index_mask):
    """The part of a hash that stands in a table entry above the node's index."""
    return np.int64(hashed & np.uint64(0x7FFFFFFF)) & ~index_mask


@helper
def find_slot(table, stored, words, index_mask, states, at, hashed):
    """Slot of the table that holds the node with the state at offset `at` of `states`, or the free slot for it."""
    slot = first_slot(table, hashed)
    tag = tag_of(hashed, index_mask)
    stride = words + FIELD_WORDS
    while True:
        entry = np.int64(table[slot])
        if entry == 0:
            return slot
        if entry & ~index_mask == tag:
            record = ((entry & index_mask) - 1) * stride + FIELD_WORDS
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
    """The node in a slot, or -1 if it is free."""
    return (np.int64(table[slot]) & index_mask) - 1


@helper
def enter(table, slot, index_mask, node, hashed):
    """Put a node into a free slot."""
    table[slot] = tag_of(hashed, index_mask) | (node + 1)


@helper
def depth_of(fields, record):
    """The number of moves from the root to a node, at most `MAX_DEPTH`."""
    return np.int64(fields[record + MOVE]) >> 16


@helper
def set_path(fields, record, parent, parent_record, cost, action):
    """Make a node the child of another, at a cost from the root."""
    fields[record + G] = cost
    fields[record + PARENT] = parent
    depth = min(depth_of(fields, parent_record) + 1, MAX_DEPTH)
    fields[record + MOVE] = (depth << 16) | (np.int64(action) & 0xFFFF)


@helper
def copy_state(states, at, out, out_at, words):
    """Copy the words of one state."""
    for i in range(words):
        out[out_at + i] = states[at + i]


@kernel("int64(int32[::1], uint64[::1], int64, int64, int64)")
def insert_all(table, states, words, index_mask, count):
    """Enter the first `count` nodes into an empty table."""
    stride = words + FIELD_WORDS
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
        enter(table, slot, index_mask, node, hashed)
    return 0
