"""Open list of best-first search: a heap, whose entries are nodes, or buckets of nodes with the same key.

The smallest f comes first; then the tie rule decides; then the node that was pushed last, or first with `fifo` and
`low_h_fifo`.

In an entry of the heap (`algorithms.engine.heap`), the first key is the bits of f, the second begins with tie << 32.

With buckets, the items are buckets of nodes with the same key: for integer costs, where few keys differ (a schedule
that changes the weight often makes more). A bucket is a doubly linked list through `NEXT` and `PREVIOUS` of the nodes,
so removing a node takes constant time. A hash table finds the bucket of a key. A bucket that becomes empty leaves the
heap when it reaches the root, and never leaves the table. `ends` holds the first and the last node of every bucket. An
empty bucket has -1 as first, and as last -1 while it is in the heap, else ABSENT. In bucket b, the first node has
``HEAD - b`` as `PREVIOUS`, the last node ``-1 - b`` as `NEXT`.

Without buckets, the items are nodes, and `ends` is empty: for real costs and random ties, where most keys differ. The
second key is tie << 32 | rank.
The rank falls with each push, or rises where the oldest is first, and its lowest 31 bits are the `NEXT` of the node.
Removing a node leaves its entry in the heap. The next push of the node makes it stale: `NEXT` differs. Stale entries
are skipped.

`PREVIOUS` of a node outside the open list is CLOSED, DEAD_END (its h is infinite), PENDING (about to be pushed),
PRUNED (too expensive to improve on the incumbent), INCONSISTENT (closed, then reached at a smaller cost) or SETTLED
(closed before the list was filled again). `record` and `width` are as in `algorithms.engine.nodes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from algorithms.engine.hashing import add_word, finish
from algorithms.engine.heap import PARTS, has_root, insert_entry
from algorithms.engine.nodes import FIELD_WORDS, NEXT, PREVIOUS, G, H, Nodes, depth_of
from algorithms.engine.random_numbers import next_random
from heuristics.interface import PRIORITY_SIGNATURE, BoundPriority
from worlds.compile import MAX_COST, as_index, call, helper, kernel

CLOSED, DEAD_END, PENDING, PRUNED, INCONSISTENT, SETTLED, HEAD = -2, -3, -4, -5, -6, -7, -8
ABSENT = -2
WEIGHTED, MEETING, POTENTIAL, FUNCTION, INVALID = range(5)
"""Values of ``control[PRIORITY]``, which tell what f is. INVALID: a function has had no valid value."""
LOW_H, LOW_H_FIFO, HIGH_H, FIFO, LIFO, RANDOM, LOW_DIFFERENCE = range(7)
TIES = {
    "low_h": LOW_H,
    "low_h_fifo": LOW_H_FIFO,
    "high_h": HIGH_H,
    "fifo": FIFO,
    "lifo": LIFO,
    "random": RANDOM,
    "low_difference": LOW_DIFFERENCE,
}
WEIGHT_G, WEIGHT_H, WEIGHT_DEPTH, HORIZON, ADDRESS_OF_F, CALLBACK = range(6)
"""Indices of the weights of a priority. The last two exist only for FUNCTION; they are the bits of integers."""

QUEUE = "Tuple((int32[::1], int64[::1], int64[::1], float64[::1]))"
"""Numba type of `OpenList.arrays`: ends of the buckets, their hash table, entries of the heap, weights of the priority.
A slot of the table is two numbers: the bits of f, and tie << 32 | bucket + 1, which is 0 if the slot is free."""

NOTHING = "Tuple(())"
"""Numba type of `OpenList.more`, where the open list has no more arrays."""

_RANKS, _STAMP = 0xFFFFFFFF, 0x7FFFFFFF
_FIRST_BUCKETS, _FIRST_ENTRIES = 256, 1024
_POPPED = slice(q.POPPED, q.LAST_F + 1)


class OpenList:
    """Arrays of an open list: allocation, growth, reordering, and the nodes popped before the last layer of f.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    weights : ndarray of float64
        Weights of the priority, from `WEIGHT_G` on.
    nodes : Nodes
        Store of the nodes that are pushed.
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo", "random", "low_difference"}
        Order of nodes with the same f. With "random", the items must be nodes.
    has_buckets : bool
        Whether the items of the heap are buckets or nodes. The order of the nodes is the same.
    """

    def __init__(
        self, control: np.ndarray, weights: np.ndarray, nodes: Nodes, ties: str, *, has_buckets: bool = True
    ) -> None:
        self._control, self._weights, self._nodes = control, weights, nodes
        control[q.TIES] = TIES[ties]
        buckets = _FIRST_BUCKETS if has_buckets else 0
        self._ends, self._table = np.empty(2 * buckets, np.int32), np.zeros(4 * buckets, np.int64)  # at most half full
        self._entries = np.empty(PARTS * (buckets or _FIRST_ENTRIES), np.int64)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays as kernels take them (`QUEUE`)."""
        return self._ends, self._table, self._entries, self._weights

    @property
    def more(self) -> tuple[Any, ...]:
        """Arrays that only some open lists have."""
        return ()

    @property
    def nbytes(self) -> int:
        """Bytes of the buckets, the hash table and the heap."""
        return self._ends.nbytes + self._table.nbytes + self._entries.nbytes

    def reorder_open(self) -> None:
        """Reorder all nodes after a change of the weights. Nodes whose keys become equal keep their order."""
        counted = self._control[_POPPED].copy()  # `pop_all` counts its own pops
        nodes, width = np.empty(self._control[c.NODES], np.int32), 2 * self._nodes.stride
        count = pop_all.compiled(self._control, self._nodes.fields, width, self.arrays, nodes)
        if not is_oldest_first(self._control):
            nodes[:count] = nodes[:count][::-1].copy()
        self._push(nodes[:count])
        self._control[_POPPED] = counted

    def refill(self, nodes: np.ndarray) -> None:
        """Replace the contents by these nodes, which are pushed in this order."""
        control = self._control
        control[q.BUCKETS] = control[q.HEAP_SIZE] = control[q.IS_ROOT_VACANT] = 0
        self._table[:] = 0
        self._push(nodes)

    def _push(self, nodes: np.ndarray) -> None:
        done, width = 0, 2 * self._nodes.stride
        while done < nodes.size:
            done = push_all.compiled(self._control, self._nodes.fields, width, self.arrays, nodes, done, nodes.size)
            if done < nodes.size:
                self.grow(0, None)

    def popped_below_last(self) -> int | None:
        """Count the nodes that were popped before the first with the f of the last one.

        None if that of another node was larger: then f has no layers.
        """
        control = self._control
        return int(control[q.POPPED_BELOW]) if control[q.LAST_F] == control[q.LARGEST_F] else None

    @property
    def growth(self) -> int:
        """Number of bytes by which `grow` enlarges the arrays: most lists double all."""
        return self.nbytes

    def fits(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Tell whether the arrays may grow. `other_bytes` is the memory of the search outside of the list."""
        return memory_limit is None or self.nbytes + self.growth + other_bytes <= memory_limit

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double the number of buckets or entries; return False if that would exceed the memory limit."""
        if not self.fits(other_bytes, memory_limit):
            return False
        self._entries = np.concatenate([self._entries, np.empty_like(self._entries)])
        if uses_buckets(self._ends):
            self._ends = np.concatenate([self._ends, np.empty_like(self._ends)])
            old, self._table = self._table, np.zeros(2 * self._table.size, np.int64)
            move_buckets.compiled(old, self._table)
        return True


@helper
def priority(control, weights, fields, record):
    """Return the f of a node, by which the open list is ordered."""
    g = np.int64(fields[record + G])
    h = np.int64(fields[record + H])
    kind = control[q.PRIORITY]
    if kind == WEIGHTED:
        weight = weights[WEIGHT_H]
        if weights[WEIGHT_DEPTH] != 0.0:
            weight += weights[WEIGHT_DEPTH] * max(0.0, 1.0 - depth_of(fields, record) / weights[HORIZON])
        return weights[WEIGHT_G] * g + weight * h
    if kind == MEETING:
        direction = np.int64(fields[record + 2 * (FIELD_WORDS + control[c.WORDS])] < 0)  # see `twins`
        return max(np.float64(g + h), weights[direction] * g + control[q.MIN_STEP_COST])
    if kind == POTENTIAL:
        incumbent_cost = control[q.INCUMBENT_COST]
        return np.float64(h) if incumbent_cost == c.NO_INCUMBENT else h / (incumbent_cost - g)
    return function_priority(control, weights, g, h)


@helper
def function_priority(control, weights, g, h):
    """Return the value of a function. If it is negative or not finite, note that, and return 0."""
    address = np.float64(weights[ADDRESS_OF_F]).view(np.int64)
    f = call(PRIORITY_SIGNATURE, address, g, h, weights[WEIGHT_H], np.float64(weights[CALLBACK]).view(np.int64))
    if 0.0 <= f < np.inf:
        return f + 0.0  # the bits of -0.0 are negative
    control[q.PRIORITY] = INVALID
    return 0.0


def with_function(weights: np.ndarray, function: BoundPriority) -> np.ndarray:
    """Return the weights of a priority with those of a function."""
    numbers = np.array([function.kernel.address(PRIORITY_SIGNATURE), id(function.callback)], np.int64)
    return np.concatenate([weights, numbers.view(np.float64)])


@helper
def tie_of(control, h):
    """Return the key that decides between nodes with the same f, at least 0."""
    if control[q.TIES] == LOW_H or control[q.TIES] == LOW_H_FIFO:
        return h
    if control[q.TIES] == RANDOM:
        return np.int64(next_random(control) >> np.uint64(33))
    if control[q.TIES] == LOW_DIFFERENCE:  # `H` is a difference of values of h, and may be negative
        return min(MAX_COST + h, 2 * MAX_COST - 1)
    return MAX_COST - h if control[q.TIES] == HIGH_H else np.int64(0)


@helper
def is_oldest_first(control):
    """Tell whether of nodes with the same f and tie the one that was pushed first comes first, not the last one."""
    return control[q.TIES] == FIFO or control[q.TIES] == LOW_H_FIFO


@helper
def uses_buckets(ends):
    """Tell whether the items of the heap are buckets, not nodes."""
    return ends.size != 0


@helper
def is_open(link):
    """Tell whether a node with this `PREVIOUS` is in the open list."""
    return link >= 0 or link <= HEAD


@helper
def push(control, node, fields, width, queue):
    """Insert a node into the open list. If the arrays are full, return False and change nothing."""
    ends, table, entries, weights = queue
    if not uses_buckets(ends) and is_full(control, entries):
        return False
    record = node * width
    f_bits = np.float64(priority(control, weights, fields, record)).view(np.int64)
    tie = tie_of(control, np.int64(fields[record + H]))
    is_fifo = is_oldest_first(control)
    item, second = np.int64(node), tie << 32
    if not uses_buckets(ends):
        second |= next_rank(control, is_fifo, record, fields)
    else:
        item = bucket_of(control, f_bits, tie, ends, table)
        if item < 0:
            return False
        if not add_to_bucket(item, node, is_fifo, record, fields, width, ends):
            return True
    insert_entry(control, entries, f_bits, second, item)
    return True


@helper
def add_to_bucket(bucket, node, is_fifo, record, fields, width, ends):
    """Insert a node into a bucket, at its front or with `is_fifo` at its end. Tell whether the bucket was ABSENT."""
    first, last = np.int64(ends[2 * bucket]), np.int64(ends[2 * bucket + 1])
    after = -1 - bucket if first < 0 or is_fifo else first
    before = last if first >= 0 and is_fifo else HEAD - bucket
    fields[record + NEXT] = after
    fields[record + PREVIOUS] = before
    if before >= 0:
        fields[before * width + NEXT] = node
    else:
        ends[2 * bucket] = node
    if after >= 0:
        fields[after * width + PREVIOUS] = node
    else:
        ends[2 * bucket + 1] = node
    return first < 0 and last == ABSENT


@helper
def remove(node, fields, width, queue):
    """Remove a node from the open list."""
    ends = queue[0]
    if not uses_buckets(ends):  # the next push makes its entry stale
        return
    record = node * width
    after, before = np.int64(fields[record + NEXT]), np.int64(fields[record + PREVIOUS])
    if before >= 0:
        fields[before * width + NEXT] = after
    else:
        ends[2 * (HEAD - before)] = max(after, -1)
    if after >= 0:
        fields[after * width + PREVIOUS] = before
    else:
        ends[2 * (-1 - after) + 1] = max(before, -1)


@helper
def pop(control, fields, width, queue):
    """Remove the best node from the open list, close it and return it; return -1 if the list is empty."""
    ends, _, entries, _ = queue
    node = first_node(control, fields, width, queue)
    if node < 0:
        return node
    if not uses_buckets(ends):
        control[q.IS_ROOT_VACANT] = 1
    else:
        remove(node, fields, width, queue)
    fields[node * width + PREVIOUS] = CLOSED
    count_popped(control, entries[0])
    return node


@helper
def first_node(control, fields, width, queue):
    """Return the best node of the open list, or -1 if the list is empty."""
    ends, _, entries, _ = queue
    while has_root(control, entries):
        item = as_index(entries[2])
        node = np.int64(item)
        if not uses_buckets(ends):
            if is_fresh(entries, item * width, fields):
                return node
        else:
            node = np.int64(ends[2 * item])
            if node >= 0:
                return node
            ends[2 * item + 1] = ABSENT
        control[q.IS_ROOT_VACANT] = 1
    return np.int64(-1)


@helper
def first_f(control, fields, width, queue):
    """Return the smallest f in the open list; infinity if the list is empty."""
    return np.inf if first_node(control, fields, width, queue) < 0 else np.int64(queue[2][0]).view(np.float64)


@helper
def is_full(control, entries):
    """Tell whether the heap has no room for another entry."""
    return control[q.IS_ROOT_VACANT] == 0 and control[q.HEAP_SIZE] * PARTS >= entries.size


@helper
def has_room(control, queue, count):
    """Tell whether this many nodes can be pushed before the arrays are full."""
    ends, _, entries, _ = queue
    if not uses_buckets(ends):
        return (control[q.HEAP_SIZE] + count) * PARTS <= entries.size
    return 2 * (control[q.BUCKETS] + count) <= ends.size


@helper
def next_rank(control, is_fifo, record, fields):
    """Return the rank of a node that is pushed, and note it in the node."""
    pushes = control[q.PUSHES]
    rank = pushes if is_fifo else _RANKS - pushes
    control[q.PUSHES] = (pushes + 1) & _RANKS
    fields[record + NEXT] = rank & _STAMP
    fields[record + PREVIOUS] = HEAD
    return rank


@helper
def is_fresh(entries, record, fields):
    """Tell whether the root is the last entry of its node, and the node is open."""
    return fields[record + PREVIOUS] == HEAD and fields[record + NEXT] == entries[1] & _STAMP


@helper
def count_popped(control, f_bits):
    """Count a popped node by the bits of its f."""
    if f_bits > control[q.LARGEST_F]:
        control[q.LARGEST_F] = f_bits
        control[q.POPPED_BELOW] = control[q.POPPED]
    control[q.LAST_F] = f_bits
    control[q.POPPED] += 1


@helper
def bucket_of(control, f_bits, tie, ends, table):
    """Return the bucket with a key, creating it if there is none; return -1 if the arrays are full."""
    slot = slot_of(f_bits, tie, table)
    if table[slot + 1] != 0:
        return (table[slot + 1] & 0xFFFFFFFF) - 1
    bucket = control[q.BUCKETS]
    if 2 * bucket == ends.size:
        return np.int64(-1)
    control[q.BUCKETS] += 1
    table[slot], table[slot + 1] = f_bits, (tie << 32) | (bucket + 1)
    ends[2 * bucket], ends[2 * bucket + 1] = -1, ABSENT
    return bucket


@helper
def slot_of(f_bits, tie, table):
    """Return the slot of the bucket with a key, or the free slot for this key."""
    last = table.size - 2
    hashed = finish(add_word(np.uint64(0), np.uint64(f_bits ^ (tie * 0x9E3779B9))))
    slot = np.int64(hashed >> np.uint64(32)) & last
    while table[slot + 1] != 0 and not (table[slot] == f_bits and table[slot + 1] >> 32 == tie):
        slot = (slot + 2) & last
    return slot


@kernel("int64(int64[::1], int64[::1])")
def move_buckets(old, table):
    """Insert the buckets of a hash table into a larger one, which is empty."""
    for at in range(0, old.size, 2):
        if old[at + 1] != 0:
            slot = slot_of(old[at], old[at + 1] >> 32, table)
            table[slot], table[slot + 1] = old[at], old[at + 1]
    return 0


@kernel(f"int64(int64[::1], int32[::1], int64, {QUEUE}, int32[::1])")
def pop_all(control, fields, width, queue, nodes):
    """Pop all nodes into an array, in order; then delete all buckets. Returns the number of nodes."""
    count = 0
    while True:
        node = pop(control, fields, width, queue)
        if node < 0:
            break
        nodes[count] = node
        count += 1
    queue[1][:] = 0
    control[q.BUCKETS] = 0
    return count


@kernel(f"int64(int64[::1], int32[::1], int64, {QUEUE}, int32[::1], int64, int64)")
def push_all(control, fields, width, queue, nodes, first, count):
    """Push the nodes of an array from index `first` on; return the index of the first that does not fit, or `count`."""
    for i in range(first, count):
        if not push(control, np.int64(nodes[i]), fields, width, queue):
            return i
    return count
