"""How best-first search finds the node of a state: by a hash table, or by the number that the world gives to it.

With numbers, the node of a state has its number. Its record is at a fixed place, and those of neighbouring states lie
side by side, so it is found without a table, and mostly in the processor's cache. A record of zeros is no node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.memory import Memory
from algorithms.engine.nodes import FIELD_WORDS, PREVIOUS, Nodes, copy_state, find_or_insert
from algorithms.engine.successors import hash_successors
from worlds.kernel import helper, kernel, prefetch
from worlds.numbering import NUMBER, Numbering

Helper = Callable[..., Any]


@dataclass(frozen=True)
class Lookup:
    """Helpers of one way to find nodes.

    Attributes
    ----------
    name : str
        Part of the names of kernels.
    grows : bool
        Whether the node store may be full.
    prepare : helper
        ``prepare(number, world, out, n, words, keys, table, states)`` writes the key of each successor, a hash or a
        number, from index `keys` of `out` on, and prefetches what finds its node.
    find : helper
        ``find(table, states, fields, words, mask, out, at, key, new)`` returns the node of a state, and stores a new
        one: as node `new`, or as the node of its number.
    is_new : helper
        ``is_new(node, new, fields, width)`` tells whether `find` has stored the node.
    """

    name: str
    grows: bool
    prepare: Helper
    find: Helper
    is_new: Helper


@helper
def prepare_hashes(number, world, out, n, words, keys, table, states):
    """Write the hashes, and prefetch their slots of the table."""
    hash_successors(out, n, words, keys, table)


@helper
def find_by_hash(table, states, fields, words, mask, out, at, key, new):
    """Find or store a state by its hash."""
    return find_or_insert(table, states, words, mask, out, at, key, new)


@helper
def is_last(node, new, fields, width):
    """Tell whether the node is the one after all others."""
    return node == new


@helper
def prepare_numbers(number, world, out, n, words, keys, table, states):
    """Write the numbers, and prefetch their records."""
    for k in range(n):
        node = number(world, out, k * words)
        out[keys + k] = np.uint64(node)
        prefetch(states, node * (words + FIELD_WORDS))


@helper
def find_by_number(table, states, fields, words, mask, out, at, key, new):
    """Return the number of a state, and store the state if its record is empty."""
    node, stride = np.int64(key), words + FIELD_WORDS
    if fields[node * 2 * stride + PREVIOUS] == 0:
        copy_state(out, at, states, node * stride + FIELD_WORDS, words)
    return node


@helper
def is_empty(node, new, fields, width):
    """Tell whether the record of a node is empty."""
    return fields[node * width + PREVIOUS] == 0


@kernel(NUMBER)
def no_number(world, states, at):
    """Stand for the numbers of a world that has none."""
    return 0


BY_HASH = Lookup("by_hash", True, prepare_hashes, find_by_hash, is_last)
BY_NUMBER = Lookup("by_number", False, prepare_numbers, find_by_number, is_empty)


class NumberedNodes(Nodes):
    """Node store with a record for each state of the world, at its number. Memory is taken where records are written.

    Parameters
    ----------
    words : int
        Number of words of a state.
    numbering : Numbering
        Numbers of the states.
    control : ndarray of int64
        Control array of the search, which has the number of nodes.
    """

    def __init__(self, words: int, numbering: Numbering, control: np.ndarray) -> None:
        self.words, self.stride = words, words + FIELD_WORDS
        self.capacity = numbering.states
        self._control = control
        self._records = Memory(8 * self.stride * self.capacity, is_sparse=True)
        self._view()
        self.table = np.zeros(1, np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes of the records of nodes."""
        return int(self._control[c.NODES]) * 8 * self.stride

    @property
    def index_mask(self) -> int:
        """There is no table."""
        return 0
