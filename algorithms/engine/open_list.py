"""Open list of best-first search: buckets of nodes with the same key, and a binary heap of the buckets.

The smallest f comes first; then the tie rule decides; then the node that was pushed last (with `fifo`: first). Nodes
with the same key (f, tie) lie in one bucket. It is a doubly linked list through `NEXT` and `PREVIOUS` of the nodes, so
removing a node takes constant time. A hash table finds the bucket of a key. The heap orders the buckets. There are few,
because costs and estimates are integers (a schedule that changes the weight often makes more). A bucket that becomes
empty leaves the heap when it reaches the root, and never leaves the table.

`ends` holds the first and the last node of every bucket. An empty bucket has -1 as first, and as last -1 while it is in
the heap, else ABSENT. In bucket b, the first node has ``HEAD - b`` as `PREVIOUS`, the last node ``-1 - b`` as `NEXT`.
For real costs, where most keys differ, the list is a heap of nodes instead (`algorithms.engine.open_heap`): its array
`entries` is not empty then.

`PREVIOUS` of a node outside the open list is CLOSED, DEAD_END (its h is infinite), PENDING (about to be pushed) or
PRUNED (too expensive to improve on the incumbent). `record` and `width` are as in `algorithms.engine.nodes`.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.binary_heap import pop_heap, push_heap
from algorithms.engine.hashing import hash_word
from algorithms.engine.nodes import NEXT, PREVIOUS, G, H, depth_of
from algorithms.engine.open_heap import count_popped, pop_entry, push_entry
from worlds.compile.errors import MAX_COST
from worlds.compile.kernel import as_index, helper, kernel
from worlds.compile.operations import bits_of

CLOSED, DEAD_END, PENDING, PRUNED, HEAD = -2, -3, -4, -5, -8
ABSENT = -2
WEIGHTED, MEETING = 0, 1
LOW_H, HIGH_H, FIFO, LIFO = range(4)
TIES = {"low_h": LOW_H, "high_h": HIGH_H, "fifo": FIFO, "lifo": LIFO}
WEIGHT_G, WEIGHT_H, WEIGHT_DEPTH, HORIZON = range(4)

QUEUE = "Tuple((float64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int64[::1], float64[::1]))"
"""Numba type of the arrays of an open list (`OpenListArrays.arrays`).

f of each bucket; tie of each bucket; ends; heap; hash table; entries of the heap of nodes; weights of the priority. A
slot of the table is two numbers: the bits of f, and tie << 32 | bucket + 1, which is 0 if the slot is free."""


@helper
def priority(control, weights, fields, record):
    """Return the f of a node, by which the open list is ordered."""
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    if control[c.PRIORITY] == MEETING:
        return np.float64(max(g + h, 2 * g + control[c.MIN_STEP_COST]))
    weight = weights[WEIGHT_H]
    if weights[WEIGHT_DEPTH] != 0.0:
        weight += weights[WEIGHT_DEPTH] * max(0.0, 1.0 - depth_of(fields, record) / weights[HORIZON])
    return weights[WEIGHT_G] * g + weight * h


@helper
def is_open(link):
    """Tell whether a node with this `PREVIOUS` is in the open list."""
    return link >= 0 or link <= HEAD


@helper
def tie_of(control, h):
    """Return the key that decides between nodes with the same f, at least 0."""
    if control[c.TIES] == LOW_H:
        return h
    return MAX_COST - h if control[c.TIES] == HIGH_H else np.int64(0)


@helper
def push(control, node, fields, width, queue):
    """Insert a node into the open list. If the arrays are full, return False and change nothing."""
    bucket_f, bucket_tie, ends, heap, index, entries, weights = queue
    record = node * width
    f = priority(control, weights, fields, record)
    tie = tie_of(control, np.int64(fields[record + H]))
    if entries.size > 0:
        is_fifo = control[c.TIES] == FIFO
        return push_entry(control, node, np.int64(bits_of(f)), tie, is_fifo, record, fields, entries, HEAD)
    bucket = bucket_of(control, f, tie, bucket_f, bucket_tie, ends, index)
    if bucket < 0:
        return False
    first = np.int64(ends[2 * bucket])
    if first < 0:
        if ends[2 * bucket + 1] == ABSENT:
            keys = (bucket_f, bucket_tie)
            control[c.HEAP_SIZE] = push_heap(heap, control[c.HEAP_SIZE], bucket, comes_before, keys)
        fields[record + NEXT] = -1 - bucket
        fields[record + PREVIOUS] = HEAD - bucket
        ends[2 * bucket] = node
        ends[2 * bucket + 1] = node
    elif control[c.TIES] == FIFO:
        last = np.int64(ends[2 * bucket + 1])
        fields[record + NEXT] = -1 - bucket
        fields[record + PREVIOUS] = last
        fields[last * width + NEXT] = node
        ends[2 * bucket + 1] = node
    else:
        fields[record + NEXT] = first
        fields[record + PREVIOUS] = HEAD - bucket
        fields[first * width + PREVIOUS] = node
        ends[2 * bucket] = node
    return True


@helper
def remove(node, fields, width, queue):
    """Remove a node from the open list."""
    ends, entries = queue[2], queue[5]
    if entries.size > 0:  # the next push makes its entry stale
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
    bucket_f, bucket_tie, ends, heap, _, entries, _ = queue
    if entries.size > 0:
        return pop_entry(control, fields, width, entries, HEAD, CLOSED)
    while control[c.HEAP_SIZE] > 0:
        bucket = as_index(heap[0])
        node = np.int64(ends[2 * bucket])
        if node >= 0:
            remove(node, fields, width, queue)
            fields[node * width + PREVIOUS] = CLOSED
            count_popped(control, np.int64(bits_of(bucket_f[bucket])))
            return node
        ends[2 * bucket + 1] = ABSENT
        control[c.HEAP_SIZE] = pop_heap(heap, control[c.HEAP_SIZE], comes_before, (bucket_f, bucket_tie))
    return np.int64(-1)


@helper
def slot_of(f, tie, index):
    """Return the slot of the bucket with a key, or the free slot for this key."""
    bits = np.int64(bits_of(f))
    last = index.size - 2
    slot = np.int64(hash_word(np.uint64(bits ^ (tie * 0x9E3779B9))) >> np.uint64(32)) & last
    while index[slot + 1] != 0 and not (index[slot] == bits and index[slot + 1] >> 32 == tie):
        slot = (slot + 2) & last
    return slot


@helper
def insert_bucket(bucket, f, tie, slot, index):
    """Write a bucket into a free slot."""
    index[slot] = np.int64(bits_of(f))
    index[slot + 1] = (tie << 32) | (bucket + 1)


@helper
def bucket_of(control, f, tie, bucket_f, bucket_tie, ends, index):
    """Return the bucket with a key, creating it if there is none; return -1 if the arrays are full."""
    slot = slot_of(f, tie, index)
    if index[slot + 1] != 0:
        return (index[slot + 1] & 0xFFFFFFFF) - 1
    bucket = control[c.BUCKETS]
    if bucket == bucket_f.size:
        return np.int64(-1)
    control[c.BUCKETS] += 1
    insert_bucket(bucket, f, tie, slot, index)
    bucket_f[bucket] = f
    bucket_tie[bucket] = tie
    ends[2 * bucket] = -1
    ends[2 * bucket + 1] = ABSENT
    return bucket


@helper
def comes_before(one, other, keys):
    """Order of the heap: by f, then by tie."""
    bucket_f, bucket_tie = keys
    if bucket_f[one] != bucket_f[other]:
        return bucket_f[one] < bucket_f[other]
    return bucket_tie[one] < bucket_tie[other]


@kernel(f"int64(int64[::1], {QUEUE})")
def insert_buckets(control, queue):
    """Insert all buckets into an empty hash table."""
    bucket_f, bucket_tie, _, _, index, _, _ = queue
    for bucket in range(control[c.BUCKETS]):
        f, tie = bucket_f[bucket], np.int64(bucket_tie[bucket])
        insert_bucket(bucket, f, tie, slot_of(f, tie, index), index)
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
    queue[4][:] = 0
    control[c.BUCKETS] = 0
    return count


@kernel(f"int64(int64[::1], int32[::1], int64, {QUEUE}, int32[::1], int64, int64)")
def push_all(control, fields, width, queue, nodes, first, count):
    """Push the nodes of an array from index `first` on; return the index of the first that does not fit, or `count`."""
    for i in range(first, count):
        if not push(control, np.int64(nodes[i]), fields, width, queue):
            return i
    return count
