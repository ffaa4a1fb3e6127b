"""The open list of best-first search: buckets of nodes of equal priority, and a heap of the buckets.

The order is: the smallest f first; then by the tie rule; then the node that was pushed last (`fifo`: first). Nodes with
the same key (f, tie) lie in one bucket, a doubly linked list through their `NEXT` and `PREVIOUS`, so a cheaper path
moves a node at once. A hash table finds the bucket of a key; a binary heap orders those buckets that are not empty, of
which there are few, because costs and estimates are integers (a schedule that changes the weight often makes more). A
bucket that runs empty stays in the heap until it comes to its top, and in the table for good. Each bucket counts the
nodes that were popped from it, so the buckets are also a histogram of the popped nodes by f.

`ends` has the first and the last node of every bucket; of an empty one -1, and -1 if it is in the heap, else ABSENT.
The first node of bucket b has HEAD - b for `PREVIOUS`, and the last -1 - b for `NEXT`. `PREVIOUS` of a node that is not
in the open list is CLOSED, DEAD_END (its h is infinite), PENDING (about to be pushed) or PRUNED (too expensive to be of
interest). In what follows `width` is the number of int32 that a record takes.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import NEXT, PREVIOUS, G, H, depth_of
from worlds.kernel import bits_of, helper, kernel

CLOSED, DEAD_END, PENDING, PRUNED, HEAD = -2, -3, -4, -5, -8
ABSENT = -2
WEIGHTED, MEETING = 0, 1
LOW_H, HIGH_H, FIFO, LIFO = range(4)
TIES = {"low_h": LOW_H, "high_h": HIGH_H, "fifo": FIFO, "lifo": LIFO}
WEIGHT_G, WEIGHT_H, WEIGHT_DEPTH, HORIZON = range(4)

QUEUE = "Tuple((float64[::1], int32[::1], int32[::1], int32[::1], int64[::1], int64[::1]))"
"""The arrays of an open list: f and tie of each bucket; ends; the heap; the number of nodes popped from each;
the hash table, a slot of which has the bits of f, and then tie << 32 | bucket + 1, or 0 if it is free."""


@helper
def priority(control, weights, fields, record):
    """The f of a node: what the open list is ordered by."""
    g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
    if control[c.PRIORITY] == MEETING:
        return np.float64(max(g + h, 2 * g + control[c.SLACK]))
    weight = weights[WEIGHT_H]
    if weights[WEIGHT_DEPTH] != 0.0:
        weight += weights[WEIGHT_DEPTH] * max(0.0, 1.0 - depth_of(fields, record) / weights[HORIZON])
    return weights[WEIGHT_G] * g + weight * h


@helper
def is_open(link):
    """Whether a node with this `PREVIOUS` is in the open list."""
    return link >= 0 or link <= HEAD


@helper
def push(control, weights, node, fields, width, queue):
    """Put a node into the open list. Returns False, and changes nothing, if there is no room."""
    bucket_f, bucket_tie, ends, heap, popped, index = queue
    record = node * width
    f = priority(control, weights, fields, record)
    tie = np.int64(0)
    if control[c.TIES] == LOW_H:
        tie = np.int64(fields[record + H])
    elif control[c.TIES] == HIGH_H:
        tie = -np.int64(fields[record + H])
    bucket = bucket_of(control, f, tie, bucket_f, bucket_tie, ends, popped, index)
    if bucket < 0:
        return False
    first = np.int64(ends[2 * bucket])
    if first < 0:
        if ends[2 * bucket + 1] == ABSENT:
            push_heap(control, bucket, bucket_f, bucket_tie, heap)
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
    """Take a node out of the open list, because it is expanded or its priority changes."""
    ends = queue[2]
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
    """Take the best node out of the open list and close it; -1 if the list is empty.

    Until the next push or pop, the root of the heap is the bucket from which the node came.
    """
    bucket_f, bucket_tie, ends, heap, popped, _ = queue
    while control[c.HEAP_SIZE] > 0:
        bucket = np.int64(heap[0])
        node = np.int64(ends[2 * bucket])
        if node >= 0:
            remove(node, fields, width, queue)
            fields[node * width + PREVIOUS] = CLOSED
            popped[bucket] += 1
            return node
        ends[2 * bucket + 1] = ABSENT
        pop_heap(control, bucket_f, bucket_tie, heap)
    return -1


@helper
def slot_of(f, tie, index):
    """Slot of the hash table that holds the bucket of a key, or the free slot for it."""
    bits = np.int64(bits_of(f))
    last = index.size - 2
    hashed = np.uint64(bits ^ (tie * 0x9E3779B9)) * np.uint64(0xFF51AFD7ED558CCD)
    hashed = (hashed ^ (hashed >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)  # a small integer has zeros below
    slot = np.int64(hashed >> np.uint64(32)) & last
    while index[slot + 1] != 0 and not (index[slot] == bits and index[slot + 1] >> 32 == tie):
        slot = (slot + 2) & last
    return slot


@helper
def enter_bucket(bucket, f, tie, slot, index):
    """Put a bucket into a free slot."""
    index[slot] = np.int64(bits_of(f))
    index[slot + 1] = (tie << 32) | (bucket + 1)


@helper
def bucket_of(control, f, tie, bucket_f, bucket_tie, ends, popped, index):
    """The bucket of a key, which is made if need be; -1 if there is no room."""
    slot = slot_of(f, tie, index)
    if index[slot + 1] != 0:
        return (index[slot + 1] & 0xFFFFFFFF) - 1
    bucket = control[c.BUCKETS]
    if bucket == bucket_f.size:
        return np.int64(-1)
    control[c.BUCKETS] += 1
    enter_bucket(bucket, f, tie, slot, index)
    bucket_f[bucket] = f
    bucket_tie[bucket] = tie
    ends[2 * bucket] = -1
    ends[2 * bucket + 1] = ABSENT
    popped[bucket] = 0
    return bucket


@helper
def comes_before(one, other, bucket_f, bucket_tie):
    """Whether a bucket is ahead of another."""
    if bucket_f[one] != bucket_f[other]:
        return bucket_f[one] < bucket_f[other]
    return bucket_tie[one] < bucket_tie[other]


@helper
def push_heap(control, bucket, bucket_f, bucket_tie, heap):
    """Sift a bucket up from the end of the heap."""
    i = control[c.HEAP_SIZE]
    control[c.HEAP_SIZE] += 1
    while i > 0:
        up = (i - 1) >> 1
        if not comes_before(bucket, np.int64(heap[up]), bucket_f, bucket_tie):
            break
        heap[i] = heap[up]
        i = up
    heap[i] = bucket


@helper
def pop_heap(control, bucket_f, bucket_tie, heap):
    """Drop the root: sift the last bucket down into its place."""
    control[c.HEAP_SIZE] -= 1
    size = control[c.HEAP_SIZE]
    bucket = np.int64(heap[size])
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and comes_before(np.int64(heap[child + 1]), np.int64(heap[child]), bucket_f, bucket_tie):
            child += 1
        if comes_before(bucket, np.int64(heap[child]), bucket_f, bucket_tie):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = bucket


@kernel(f"int64(int64[::1], {QUEUE})")
def enter_all(control, queue):
    """Enter all buckets into an empty hash table."""
    bucket_f, bucket_tie, _, _, _, index = queue
    for bucket in range(control[c.BUCKETS]):
        f, tie = bucket_f[bucket], np.int64(bucket_tie[bucket])
        enter_bucket(bucket, f, tie, slot_of(f, tie, index), index)
    return 0


@kernel(f"int64(int64[::1], int32[::1], int64, {QUEUE}, int32[::1])")
def drain(control, fields, width, queue, nodes):
    """Empty the open list into an array, in its order, and forget all buckets and what was popped from them.

    Returns the number of nodes.
    """
    count = 0
    while True:
        node = pop(control, fields, width, queue)
        if node < 0:
            break
        nodes[count] = node
        count += 1
    queue[5][:] = 0
    control[c.BUCKETS] = 0
    return count


@kernel(f"int64(int64[::1], float64[::1], int32[::1], int64, {QUEUE}, int32[::1], int64, int64)")
def refill(control, weights, fields, width, queue, nodes, first, count):
    """Push the nodes of an array from `first` on; returns where it ran out of room, or `count`."""
    for i in range(first, count):
        if not push(control, weights, np.int64(nodes[i]), fields, width, queue):
            return i
    return count
