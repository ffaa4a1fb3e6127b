"""Priority queue of facts for kernels: a radix heap, whose keys are the costs of the facts.

Keys that are taken never fall below those taken before. A fact lies in the bucket of the highest bit in which its key
differs from the last key that was taken, so that each fact moves to a lower bucket at most as often as keys have bits.
Source: Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem", Journal of the ACM 37,
1990. Buckets are doubly linked lists, so each fact is in the queue at most once.
"""

from __future__ import annotations

import numpy as np

from worlds.compile import helper, trailing_zeros

# Layout of a queue: the last key, a bit set of the buckets that are not empty, the first fact of each bucket (-1:
# none); then for each fact the next one and the one before in its bucket (-1: none), and its bucket (-1: not queued).
LAST, FILLED, HEADS = range(3)
BUCKETS = 33
LINKS = HEADS + BUCKETS


def queue_size(facts: int) -> int:
    """Return the length of a queue for a number of facts."""
    return LINKS + 3 * facts


@helper
def clear(table, queue, facts):
    """Empty the queue at index `queue` of a table."""
    table[queue + LAST] = table[queue + FILLED] = 0
    for bucket in range(BUCKETS):
        table[queue + HEADS + bucket] = -1
    for fact in range(queue + LINKS + 2 * facts, queue + LINKS + 3 * facts):
        table[fact] = -1


@helper
def bucket_of(table, queue, key):
    """Return the bucket of a key: the number of bits up to the highest that differs from the last key."""
    different = key ^ table[queue + LAST]
    return np.int64(0) if different == 0 else (np.float64(different).view(np.int64) >> 52) - 1022


@helper
def link(table, queue, facts, fact, bucket):
    """Put a fact in front of a bucket."""
    links = queue + LINKS
    head = table[queue + HEADS + bucket]
    table[links + fact], table[links + facts + fact] = head, -1
    table[links + 2 * facts + fact] = bucket
    if head >= 0:
        table[links + facts + head] = fact
    table[queue + HEADS + bucket] = fact
    table[queue + FILLED] |= np.int64(1) << bucket


@helper
def unlink(table, queue, facts, fact):
    """Take a fact out of its bucket."""
    links = queue + LINKS
    bucket = table[links + 2 * facts + fact]
    after, before = table[links + fact], table[links + facts + fact]
    if after >= 0:
        table[links + facts + after] = before
    if before >= 0:
        table[links + before] = after
    else:
        table[queue + HEADS + bucket] = after
        if after < 0:
            table[queue + FILLED] &= ~(np.int64(1) << bucket)
    table[links + 2 * facts + fact] = -1


@helper
def push(table, queue, facts, fact, key):
    """Put a fact into the queue, or move it there to a smaller key."""
    if table[queue + LINKS + 2 * facts + fact] >= 0:
        unlink(table, queue, facts, fact)
    link(table, queue, facts, fact, bucket_of(table, queue, key))


@helper
def pop(table, queue, facts, costs):
    """Take a fact with the smallest key out of the queue, and return it; -1 if the queue is empty.

    `costs` is the index of the keys of all facts.
    """
    if table[queue + HEADS] < 0:
        if table[queue + FILLED] == 0:
            return np.int64(-1)
        bucket = trailing_zeros(np.uint64(table[queue + FILLED]))
        fact = table[queue + HEADS + bucket]
        least = table[costs + fact]
        while fact >= 0:
            least = min(least, table[costs + fact])
            fact = table[queue + LINKS + fact]
        fact = table[queue + HEADS + bucket]
        table[queue + LAST], table[queue + HEADS + bucket] = least, -1
        table[queue + FILLED] &= ~(np.int64(1) << bucket)
        while fact >= 0:
            after = table[queue + LINKS + fact]
            link(table, queue, facts, fact, bucket_of(table, queue, table[costs + fact]))
            fact = after
    fact = table[queue + HEADS]
    unlink(table, queue, facts, fact)
    return fact
