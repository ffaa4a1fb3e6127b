"""The node store: flat arrays of nodes, and the hash table that finds a state among them."""

from __future__ import annotations

import numpy as np

from worlds.kernel import helper, kernel


class Nodes:
    """Arrays of nodes, without a Python object per node.

    Attributes
    ----------
    states : ndarray of uint64, shape (capacity * words,)
    g, h, parent : ndarray of int32, shape (capacity,)
    action : ndarray of int16, shape (capacity,)
        Code of the action that leads from the parent to the node.
    next, previous : ndarray of int32, shape (capacity,)
        Links of the open list (`algorithms.engine.open_list`).
    table : ndarray of int32
        Open-addressing hash table of node indices, -1 where free; its size is a power of two.
    """

    def __init__(self, words: int, capacity: int = 1024) -> None:
        self.words = words
        self.capacity = capacity
        self.states = np.empty(capacity * words, np.uint64)
        self.g = np.empty(capacity, np.int32)
        self.h = np.empty(capacity, np.int32)
        self.parent = np.empty(capacity, np.int32)
        self.action = np.empty(capacity, np.int16)
        self.next = np.empty(capacity, np.int32)
        self.previous = np.empty(capacity, np.int32)
        self.table = np.full(_table_size(capacity), -1, np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self.size_at(self.capacity)

    def size_at(self, capacity: int) -> int:
        """Bytes of all arrays at a capacity."""
        return capacity * (8 * self.words + 5 * 4 + 2) + 4 * _table_size(capacity)

    def grow(self, capacity: int, used: int) -> None:
        """Enlarge all arrays; the first `used` nodes are kept."""
        for name in ("states", "g", "h", "parent", "action", "next", "previous"):
            old = getattr(self, name)
            factor = self.words if name == "states" else 1
            new = np.empty(capacity * factor, old.dtype)
            new[: used * factor] = old[: used * factor]
            setattr(self, name, new)
        self.capacity = capacity
        if _table_size(capacity) != self.table.size:
            self.table = np.full(_table_size(capacity), -1, np.int32)
            insert_all.compiled(self.table, self.states, self.words, used)

    def path(self, node: int) -> list[int]:
        """Action codes from the root (node 0) to a node."""
        actions = []
        while node != 0:
            actions.append(int(self.action[node]))
            node = int(self.parent[node])
        return actions[::-1]


def capacity_within(nodes: Nodes, other_bytes: int, memory_limit: int | None) -> int:
    """The capacity to grow to: twice the present one, or as much more as the memory limit allows; 0 if nothing."""
    doubled = 2 * nodes.capacity
    if memory_limit is None or nodes.size_at(doubled) + other_bytes <= memory_limit:
        return doubled
    low, high = nodes.capacity, doubled
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if nodes.size_at(middle) + other_bytes <= memory_limit else (low, middle)
    return low if low >= nodes.capacity + nodes.capacity // 16 else 0


def _table_size(capacity: int) -> int:
    """A power of two that keeps the table at most three quarters full."""
    return 1 << int(np.ceil(np.log2(max(8, capacity * 4 / 3))))


@helper
def hash_state(states, at, words):
    """Hash of the words from offset `at` on: the finaliser of MurmurHash3, word by word."""
    x = np.uint64(0)
    for i in range(words):
        x ^= states[at + i]
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xC4CEB9FE1A85EC53)
        x ^= x >> np.uint64(33)
    return x


@helper
def find_slot(table, stored, states, at, words):
    """Slot of the table that holds the node with the state at offset `at` of `states`, or the free slot for it."""
    mask = table.size - 1
    slot = np.int64(hash_state(states, at, words) & np.uint64(mask))
    while True:
        node = np.int64(table[slot])
        if node < 0:
            return slot
        i = 0
        while i < words and stored[node * words + i] == states[at + i]:
            i += 1
        if i == words:
            return slot
        slot = (slot + 1) & mask


@kernel("int64(int32[::1], uint64[::1], int64, int64)")
def insert_all(table, states, words, count):
    """Enter the first `count` nodes into an empty table."""
    mask = table.size - 1
    for node in range(count):
        slot = np.int64(hash_state(states, node * words, words) & np.uint64(mask))
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = node
    return 0
