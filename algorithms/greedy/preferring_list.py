"""Open list of greedy search with preferred successors: queues that take turns by priorities.

Each key of nodes, a heuristic of the stack or the h of the stack, has two queues: one of all successors, and one of the
preferred ones. The queue with the smallest priority is next, among equals the first one; taking an entry raises its
priority by 1. When a key reaches a new minimum, the priorities of all preferred queues fall by the boost. Source:
Richter and Westphal, "The LAMA planner", JAIR 39, 2010.

The entries are edges, from a node to one of its successors. So a node is in the open list once for each edge on which
it was found, and only the first one that is taken counts. Later ones are stale, but take their turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.engine import PARTS, OpenList, ValuedNodes, has_root, insert_entry, is_oldest_first, tie_of
from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from heuristics.interface import MAX_TERMS, PREFERRED
from worlds.compile import as_index, call, helper

QUEUES = 2 * MAX_TERMS
BOOST, KEYS, EDGES, PRIORITIES = range(4)
MINIMA = PRIORITIES + QUEUES
FUNCTIONS = MINIMA + MAX_TERMS
"""Indices of `turns`: the boost; the number of keys; the number of edges; priority of each queue; least value of each
key; address of the kernel of each term that marks preferred successors, or 0."""
SUCCESSOR, PREDECESSOR, ACTION, COST, IS_PREFERRED, EDGE_SIZE = range(6)
"""An edge: the two nodes, the action and its cost, and whether the successor is preferred; numbers of an edge."""
UNKNOWN = 1 << 60
"""Least value of a key that no node has yet."""

LISTS = f"Tuple((UniTuple(Tuple((int64[::1], int64[::1])), {QUEUES}), int32[::1], int32[::1], int64[::1], int16[::1]))"
"""Numba type of `TurnsList.more`: heap of each queue, with an array that has its size at the indices that the control
array has; edges; values of the terms of each node; `turns`; marks of the successors of a node."""

_FIRST_ENTRIES = 1024


class TurnsList(OpenList):
    """Arrays of an open list whose queues take turns.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        Not used.
    nodes : ValuedNodes
        Store of the nodes, with the values of the terms.
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random"}
        Order of edges with the same key, by the h of the stack.
    keys : int
        Number of keys: one for each term, or 1 for the h of the stack.
    functions : list of int
        Address of the kernel of each term that marks preferred successors; 0 for a term without one.
    boost : int
    """

    _nodes: ValuedNodes

    def __init__(
        self, control: np.ndarray, weights: np.ndarray, nodes: ValuedNodes, ties: str, keys: int,
        functions: list[int], boost: int,
    ) -> None:  # fmt: skip
        super().__init__(control, weights, nodes, ties, has_buckets=False)
        self._entries = self._entries[:0]
        sizes = [PARTS * _FIRST_ENTRIES if number < 2 * keys else 0 for number in range(QUEUES)]
        self._heaps = [(np.empty(size, np.int64), np.zeros(c.SIZE, np.int64)) for size in sizes]
        self._edges = np.empty(EDGE_SIZE * _FIRST_ENTRIES, np.int32)
        self._marks = np.zeros(control[c.MAX_SUCCESSORS], np.int16)
        self._turns = np.zeros(FUNCTIONS + MAX_TERMS, np.int64)
        self._turns[FUNCTIONS : FUNCTIONS + len(functions)] = functions
        self._turns[BOOST], self._turns[KEYS] = boost, keys
        self._turns[MINIMA : MINIMA + MAX_TERMS] = UNKNOWN

    @property
    def more(self) -> tuple[Any, ...]:
        """Arrays of the queues (`LISTS`)."""
        return tuple(self._heaps), self._edges, self._nodes.values, self._turns, self._marks

    @property
    def nbytes(self) -> int:
        """Bytes of the queues and the edges."""
        return self._edges.nbytes + sum(entries.nbytes for entries, _ in self._heaps)

    def is_full(self) -> bool:
        """Return whether an array lacks room for the successors of another node."""
        return any(self._is_full(entries, sizes) for entries, sizes in self._heaps) or self._is_full_of_edges

    @property
    def growth(self) -> int:
        """Number of bytes by which `grow` enlarges what is full: queues, edges or both."""
        full = sum(entries.nbytes for entries, sizes in self._heaps if self._is_full(entries, sizes))
        return full + (self._edges.nbytes if self._is_full_of_edges else 0)

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double what is full; return False if that would exceed the memory limit."""
        if not self.fits(other_bytes, memory_limit):
            return False
        self._heaps = [
            (np.concatenate([entries, np.empty_like(entries)]) if self._is_full(entries, sizes) else entries, sizes)
            for entries, sizes in self._heaps
        ]
        if self._is_full_of_edges:
            self._edges = np.concatenate([self._edges, np.empty_like(self._edges)])
        return True

    def _is_full(self, entries: np.ndarray, sizes: np.ndarray) -> bool:
        return entries.size > 0 and bool((sizes[q.HEAP_SIZE] + self._marks.size) * PARTS > entries.size)

    @property
    def _is_full_of_edges(self) -> bool:
        return bool((self._turns[EDGES] + self._marks.size) * EDGE_SIZE > self._edges.size)


@helper
def has_room(lists, successors):
    """Tell whether the edges of another node can be inserted."""
    heaps, edges, _, turns, _ = lists
    if (turns[EDGES] + successors) * EDGE_SIZE > edges.size:
        return False
    for i in range(2 * turns[KEYS]):
        if (heaps[i][1][q.HEAP_SIZE] + successors) * PARTS > heaps[i][0].size:
            return False
    return True


@helper
def mark_successors(params, count, states, at, n, lists):
    """Mark the preferred ones of the `n` successors of the state at word offset `at`: those of any term."""
    _, _, _, turns, marks = lists
    for k in range(n):
        marks[k] = 0
    for i in range(count):
        address = turns[FUNCTIONS + i]
        if address != 0:
            status = call(PREFERRED, address, params[i], states, at, marks, 0)
            if status < 0:
                return status
    return np.int64(0)


@helper
def write_edge(lists, successor, predecessor, action, cost, is_preferred):
    """Append an edge, which is not in the queues yet."""
    _, edges, _, turns, _ = lists
    at = turns[EDGES] * EDGE_SIZE
    edges[at + SUCCESSOR] = successor
    edges[at + PREDECESSOR] = predecessor
    edges[at + ACTION] = action
    edges[at + COST] = cost
    edges[at + IS_PREFERRED] = is_preferred
    turns[EDGES] += 1


@helper
def push_edge(control, edge, source, h, count, lists):
    """Insert an edge into the queue of each key, by the values of the node `source`, which has this h."""
    heaps, edges, _, turns, _ = lists
    is_preferred = edges[edge * EDGE_SIZE + IS_PREFERRED] != 0
    pushes = control[q.PUSHES]
    control[q.PUSHES] = pushes + 1
    rank = pushes if is_oldest_first(control) else 0xFFFFFFFF - pushes
    second = (tie_of(control, h) << 32) | (rank & 0xFFFFFFFF)
    for i in range(2 * turns[KEYS]):
        if is_preferred or i % 2 == 0:
            insert_entry(heaps[i][1], heaps[i][0], key_of(source, i // 2, h, count, lists), second, np.int64(edge))


@helper
def key_of(node, number, h, count, lists):
    """Return a key of a node with this h: the value of a term, or h."""
    _, _, values, turns, _ = lists
    return np.int64(values[as_index(node) * count + number]) if turns[KEYS] == count else np.int64(h)


@helper
def pop_edge(lists):
    """Remove the first edge of the queue whose turn it is, and return it; return -1 if there is none."""
    heaps, _, _, turns, _ = lists
    chosen = -1
    for i in range(2 * turns[KEYS]):
        if has_root(heaps[i][1], heaps[i][0]) and (chosen < 0 or turns[PRIORITIES + i] < turns[PRIORITIES + chosen]):
            chosen = i
    if chosen < 0:
        return np.int64(-1)
    turns[PRIORITIES + chosen] += 1
    heaps[chosen][1][q.IS_ROOT_VACANT] = 1
    return heaps[chosen][0][2]


@helper
def reward(node, h, count, lists):
    """If a key of a node is a new minimum, boost the preferred queues. The first value of a key is no reason."""
    turns = lists[3]
    is_progress = False
    for i in range(turns[KEYS]):
        key = key_of(node, i, h, count, lists)
        least = turns[MINIMA + i]
        turns[MINIMA + i] = min(key, least)
        is_progress |= key < least and least != UNKNOWN
    if is_progress:
        for i in range(1, 2 * turns[KEYS], 2):
            turns[PRIORITIES + i] -= turns[BOOST]
