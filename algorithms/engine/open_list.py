"""The open list of best-first search: a bucket queue for integer priorities, a binary heap for all others.

Both give the same order: the smallest f first; then by the tie rule; then the node that was pushed last.

- `BUCKETS`: one circular, doubly linked list of nodes for every pair (f, s), where s is the h of the tie rule. A node
  is in at most one list, through its `next` and `previous`; a cheaper path moves it.
- `HEAP`: entries (f, tie, stamp, node). A cheaper path pushes another entry; an entry is stale, and skipped, if its
  stamp is not that of its node (`next`).

`previous` of a node that is not in the open list is CLOSED, DEAD (its h is infinite) or IN_HAND (about to be pushed).
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from worlds.kernel import helper, kernel

CLOSED, DEAD, IN_HAND = -2, -3, -4
BUCKETS, HEAP = 0, 1
LOW_H, HIGH_H, FIFO, LIFO = range(4)
TIES = {"low_h": LOW_H, "high_h": HIGH_H, "fifo": FIFO, "lifo": LIFO}

LARGEST_BUCKET_TABLE = 1 << 22


@helper
def push(
    control, weights, node, g, h, next, previous, heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node
):
    """Put a node into the open list. Returns False, and changes nothing, if there is no room."""
    if control[c.OPEN_KIND] == BUCKETS:
        f = control[c.WEIGHT_G] * g[node] + control[c.WEIGHT_H] * h[node]
        s = bucket_column(control, h[node])
        if f >= control[c.ROWS] or s < 0 or s >= control[c.COLUMNS]:
            control[c.NEED_ROWS] = f + 1
            control[c.NEED_COLUMNS] = np.int64(h[node]) + 1
            return False
        push_bucket(control, node, f, s, next, previous, heads, row_low, row_count)
        return True
    size = control[c.HEAP_SIZE]
    if size >= heap_f.size:
        return False
    control[c.STAMP] += 1
    stamp = control[c.STAMP]
    next[node] = stamp
    previous[node] = 0
    ties = control[c.TIES]
    tie = np.int32(0)
    if ties == LOW_H:
        tie = h[node]
    elif ties == HIGH_H:
        tie = -h[node]
    order = stamp if ties == FIFO else -stamp
    push_heap(
        weights[0] * g[node] + weights[1] * h[node], tie, order, node, size, heap_f, heap_tie, heap_stamp, heap_node
    )
    control[c.HEAP_SIZE] = size + 1
    return True


@helper
def remove(control, node, g, h, next, previous, heads, row_count):
    """Take a node out of the open list before its g changes. In the heap its entry becomes stale by itself."""
    if control[c.OPEN_KIND] == BUCKETS:
        f = control[c.WEIGHT_G] * g[node] + control[c.WEIGHT_H] * h[node]
        remove_bucket(control, node, f, bucket_column(control, h[node]), next, previous, heads, row_count)


@helper
def pop(control, next, previous, heads, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node):
    """Take the best node out of the open list and close it; -1 if the list is empty."""
    if control[c.OPEN_KIND] == BUCKETS:
        f = control[c.LOWEST_ROW]
        rows = control[c.ROWS]
        while f < rows and row_count[f] == 0:
            f += 1
        control[c.LOWEST_ROW] = f
        if f == rows:
            return -1
        s = np.int64(row_low[f])
        columns = control[c.COLUMNS]
        while heads[f * columns + s] < 0:
            s += 1
        row_low[f] = s
        node = np.int64(heads[f * columns + s])
        remove_bucket(control, node, f, s, next, previous, heads, row_count)
        previous[node] = CLOSED
        return node
    while control[c.HEAP_SIZE] > 0:
        node = np.int64(heap_node[0])
        stamp = abs(np.int64(heap_stamp[0]))
        control[c.HEAP_SIZE] -= 1
        pop_heap(control[c.HEAP_SIZE], heap_f, heap_tie, heap_stamp, heap_node)
        if previous[node] >= 0 and next[node] == stamp:
            previous[node] = CLOSED
            return node
    return -1


@helper
def bucket_column(control, h):
    """Column of a node's bucket under the tie rule."""
    if control[c.TIES] == LOW_H:
        return np.int64(h)
    if control[c.TIES] == HIGH_H:
        return control[c.COLUMNS] - 1 - np.int64(h)
    return np.int64(0)


@helper
def push_bucket(control, node, f, s, next, previous, heads, row_low, row_count):
    """Link a node into bucket (f, s): at the tail for FIFO, else at the head."""
    bucket = f * control[c.COLUMNS] + s
    head = np.int64(heads[bucket])
    if head < 0:
        next[node] = node
        previous[node] = node
        heads[bucket] = node
    else:
        tail = previous[head]
        next[node] = head
        previous[node] = tail
        next[tail] = node
        previous[head] = node
        if control[c.TIES] != FIFO:
            heads[bucket] = node
    if row_count[f] == 0 or s < row_low[f]:
        row_low[f] = s
    row_count[f] += 1
    if f < control[c.LOWEST_ROW]:
        control[c.LOWEST_ROW] = f


@helper
def remove_bucket(control, node, f, s, next, previous, heads, row_count):
    """Unlink a node from bucket (f, s)."""
    bucket = f * control[c.COLUMNS] + s
    row_count[f] -= 1
    after, before = next[node], previous[node]
    if after == node:
        heads[bucket] = -1
        return
    next[before] = after
    previous[after] = before
    if heads[bucket] == node:
        heads[bucket] = after


@helper
def comes_before(f, tie, stamp, i, heap_f, heap_tie, heap_stamp):
    """Whether an entry is ahead of entry i of the heap."""
    if f != heap_f[i]:
        return f < heap_f[i]
    if tie != heap_tie[i]:
        return tie < heap_tie[i]
    return stamp < heap_stamp[i]


@helper
def push_heap(f, tie, stamp, node, size, heap_f, heap_tie, heap_stamp, heap_node):
    """Sift an entry up from the end of a binary heap of `size` entries."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if not comes_before(f, tie, stamp, up, heap_f, heap_tie, heap_stamp):
            break
        heap_f[i], heap_tie[i] = heap_f[up], heap_tie[up]
        heap_stamp[i], heap_node[i] = heap_stamp[up], heap_node[up]
        i = up
    heap_f[i], heap_tie[i], heap_stamp[i], heap_node[i] = f, tie, stamp, node


@helper
def pop_heap(size, heap_f, heap_tie, heap_stamp, heap_node):
    """Drop the root: sift the last of `size + 1` entries down into its place."""
    f, tie, stamp, node = heap_f[size], heap_tie[size], heap_stamp[size], heap_node[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and comes_before(
            heap_f[right], heap_tie[right], heap_stamp[right], child, heap_f, heap_tie, heap_stamp
        ):
            child = right
        if comes_before(f, tie, stamp, child, heap_f, heap_tie, heap_stamp):
            break
        heap_f[i], heap_tie[i] = heap_f[child], heap_tie[child]
        heap_stamp[i], heap_node[i] = heap_stamp[child], heap_node[child]
        i = child
    heap_f[i], heap_tie[i], heap_stamp[i], heap_node[i] = f, tie, stamp, node


@kernel(
    "int64(int64[::1], float64[::1], int32[::1], int32[::1], int32[::1], int32[::1],"
    "int32[::1], float64[::1], int32[::1], int32[::1], int32[::1])"
)
def buckets_to_heap(control, weights, g, h, next, previous, heads, heap_f, heap_tie, heap_stamp, heap_node):
    """Move all nodes from the bucket queue into an empty heap that has room for them, oldest of a bucket first."""
    control[c.OPEN_KIND] = HEAP
    for bucket in range(heads.size):
        head = np.int64(heads[bucket])
        if head < 0:
            continue
        fifo = control[c.TIES] == FIFO
        node = head if fifo else np.int64(previous[head])
        last = np.int64(previous[head]) if fifo else head
        while True:
            following = np.int64(next[node]) if fifo else np.int64(previous[node])
            push(
                control,
                weights,
                node,
                g,
                h,
                next,
                previous,
                heads,
                heads,
                heads,
                heap_f,
                heap_tie,
                heap_stamp,
                heap_node,
            )
            if node == last:
                break
            node = following
    return 0
