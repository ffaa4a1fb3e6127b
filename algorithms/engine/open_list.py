"""The open list of best-first search: a bucket queue for integer priorities, a binary heap for all others.

Both give the same order: the smallest f first; then by the tie rule; then the node that was pushed last.

- `BUCKETS`: one doubly linked list of nodes for every pair (f, s), where s is the h of the tie rule; in the table of
  lists a row stands for an f, from `BASE` on, and a column for an s. A node is in at most one list, through its `NEXT`
  and `PREVIOUS`; a cheaper path moves it. `ends` has the first and the last node of every list.
- `HEAP`: entries (f, tie, stamp, node). A cheaper path pushes another entry; an entry is stale, and skipped, if its
  stamp is not that of its node (`NEXT`).

`PREVIOUS` of a node that is not in the open list is CLOSED, DEAD (its h is infinite), IN_HAND (about to be pushed) or
DROPPED (too expensive to be of interest). In what follows `width` is the number of int32 that a record takes.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import NEXT, PREVIOUS, G, H, depth_of
from worlds.kernel import helper, kernel

FIRST, CLOSED, DEAD, IN_HAND, DROPPED = -1, -2, -3, -4, -5
BUCKETS, HEAP = 0, 1
WEIGHTED, MEETING = 0, 1
LOW_H, HIGH_H, FIFO, LIFO = range(4)
TIES = {"low_h": LOW_H, "high_h": HIGH_H, "fifo": FIFO, "lifo": LIFO}
WEIGHT_G, WEIGHT_H, WEIGHT_DEPTH, HORIZON = range(4)

LARGEST_BUCKET_TABLE = 1 << 22

QUEUE = "Tuple((int32[::1], int32[::1], int32[::1], float64[::1], int32[::1], int32[::1], int32[::1]))"
"""The arrays of an open list: ends, row_low, row_count of the buckets; f, tie, stamp, node of the heap."""


def bucket_table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Empty buckets."""
    return np.full(2 * rows * columns, -1, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int32)


def heap_arrays(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """An empty heap."""
    return np.empty(size, np.float64), np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)


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
def push(control, weights, node, fields, width, queue):
    """Put a node into the open list. Returns False, and changes nothing, if there is no room."""
    ends, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node = queue
    record = node * width
    f = priority(control, weights, fields, record)
    h = np.int64(fields[record + H])
    if control[c.OPEN_KIND] == BUCKETS:
        row, column = np.int64(f) - control[c.BASE], bucket_column(control, h)
        if row < 0 or row >= control[c.ROWS] or column < 0 or column >= control[c.COLUMNS]:
            control[c.NEED_F] = np.int64(f)
            control[c.NEED_COLUMNS] = h + 1
            return False
        push_bucket(control, node, row, column, fields, width, ends, row_low, row_count)
        return True
    size = control[c.HEAP_SIZE]
    if size >= heap_f.size:
        return False
    control[c.STAMP] += 1
    stamp = control[c.STAMP]
    fields[record + NEXT] = stamp
    fields[record + PREVIOUS] = 0
    ties = control[c.TIES]
    tie = np.int64(0)
    if ties == LOW_H:
        tie = h
    elif ties == HIGH_H:
        tie = -h
    order = stamp if ties == FIFO else -stamp
    push_heap(f, tie, order, node, size, heap_f, heap_tie, heap_stamp, heap_node)
    control[c.HEAP_SIZE] = size + 1
    return True


@helper
def remove(control, weights, node, fields, width, queue):
    """Take a node out of the open list before its g changes. In the heap its entry becomes stale by itself."""
    if control[c.OPEN_KIND] == BUCKETS:
        ends, row_count = queue[0], queue[2]
        row = np.int64(priority(control, weights, fields, node * width)) - control[c.BASE]
        column = bucket_column(control, np.int64(fields[node * width + H]))
        remove_bucket(control, node, row, column, fields, width, ends, row_count)


@helper
def pop(control, fields, width, queue):
    """Take the best node out of the open list and close it; -1 if the list is empty."""
    ends, row_low, row_count, heap_f, heap_tie, heap_stamp, heap_node = queue
    if control[c.OPEN_KIND] == BUCKETS:
        row = control[c.LOWEST_ROW]
        rows = control[c.ROWS]
        while row < rows and row_count[row] == 0:
            row += 1
        control[c.LOWEST_ROW] = row
        if row == rows:
            return -1
        column = np.int64(row_low[row])
        columns = control[c.COLUMNS]
        while ends[2 * (row * columns + column)] < 0:
            column += 1
        row_low[row] = column
        node = np.int64(ends[2 * (row * columns + column)])
        remove_bucket(control, node, row, column, fields, width, ends, row_count)
        fields[node * width + PREVIOUS] = CLOSED
        return node
    while control[c.HEAP_SIZE] > 0:
        node = np.int64(heap_node[0])
        stamp = abs(np.int64(heap_stamp[0]))
        control[c.HEAP_SIZE] -= 1
        pop_heap(control[c.HEAP_SIZE], heap_f, heap_tie, heap_stamp, heap_node)
        if is_current(fields, node * width, stamp):
            fields[node * width + PREVIOUS] = CLOSED
            return node
    return -1


@helper
def is_current(fields, record, stamp):
    """Whether a heap entry with this stamp is its node's last one."""
    return fields[record + PREVIOUS] >= 0 and fields[record + NEXT] == stamp


@helper
def bucket_column(control, h):
    """Column of a node's bucket under the tie rule."""
    if control[c.TIES] == LOW_H:
        return h
    if control[c.TIES] == HIGH_H:
        return control[c.COLUMNS] - 1 - h
    return np.int64(0)


@helper
def push_bucket(control, node, row, column, fields, width, ends, row_low, row_count):
    """Link a node into a bucket: at the end for FIFO, else at the beginning."""
    bucket = 2 * (row * control[c.COLUMNS] + column)
    record = node * width
    head = np.int64(ends[bucket])
    if head < 0:
        fields[record + NEXT] = -1
        fields[record + PREVIOUS] = FIRST
        ends[bucket] = node
        ends[bucket + 1] = node
    elif control[c.TIES] == FIFO:
        tail = np.int64(ends[bucket + 1])
        fields[record + NEXT] = -1
        fields[record + PREVIOUS] = tail
        fields[tail * width + NEXT] = node
        ends[bucket + 1] = node
    else:
        fields[record + NEXT] = head
        fields[record + PREVIOUS] = FIRST
        fields[head * width + PREVIOUS] = node
        ends[bucket] = node
    if row_count[row] == 0 or column < row_low[row]:
        row_low[row] = column
    row_count[row] += 1
    if row < control[c.LOWEST_ROW]:
        control[c.LOWEST_ROW] = row


@helper
def remove_bucket(control, node, row, column, fields, width, ends, row_count):
    """Unlink a node from its bucket."""
    bucket = 2 * (row * control[c.COLUMNS] + column)
    record = node * width
    row_count[row] -= 1
    after, before = np.int64(fields[record + NEXT]), np.int64(fields[record + PREVIOUS])
    if before >= 0:
        fields[before * width + NEXT] = after
    else:
        ends[bucket] = after
    if after >= 0:
        fields[after * width + PREVIOUS] = before
    else:
        ends[bucket + 1] = before


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


@kernel(f"int64(int64[::1], float64[::1], int32[::1], int64, {QUEUE})")
def buckets_to_heap(control, weights, fields, width, queue):
    """Move all nodes from the bucket queue into an empty heap that has room for them, oldest of a bucket first."""
    control[c.OPEN_KIND] = HEAP
    ends = queue[0]
    fifo = control[c.TIES] == FIFO
    for bucket in range(ends.size // 2):
        node = np.int64(ends[2 * bucket] if fifo else ends[2 * bucket + 1])
        if ends[2 * bucket] < 0:
            continue
        while node >= 0:
            following = np.int64(fields[node * width + (NEXT if fifo else PREVIOUS)])
            push(control, weights, node, fields, width, queue)
            node = following
    return 0


@kernel(f"int64(int64[::1], float64[::1], int32[::1], int64, {QUEUE})")
def requeue(control, weights, fields, width, queue):
    """Order the heap anew after the weights changed; stale entries are dropped."""
    heap_f, heap_tie, heap_stamp, heap_node = queue[3:]
    entries = control[c.HEAP_SIZE]
    kept = 0
    for i in range(entries):
        node, tie, stamp = np.int64(heap_node[i]), heap_tie[i], heap_stamp[i]
        if is_current(fields, node * width, abs(np.int64(stamp))):
            f = priority(control, weights, fields, node * width)
            push_heap(f, tie, stamp, node, kept, heap_f, heap_tie, heap_stamp, heap_node)
            kept += 1
    control[c.HEAP_SIZE] = kept
    return 0
