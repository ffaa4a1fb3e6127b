"""Distances of all states to the nearest goal: Dijkstra's algorithm over recorded steps, backwards.

Source: Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959. A step may cost 0.
An entry of the heap is distance << 31 | state. Entries whose distance is out of date are skipped.
"""

from __future__ import annotations

import numpy as np

from worlds.compile import COST_TOO_LARGE, MAX_COST, helper, kernel

INFINITY = 1 << 60
"""Distance of a state from which no goal can be reached."""


@kernel("int64(int64[::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1])")
def reverse_steps(first, target, cost, reverse_first, reverse_source, reverse_cost):
    """Sort the steps by the state to which they lead; write the source and the cost of each.

    Parameters
    ----------
    first, target, cost
        Steps by their source, as in `StateSpace`.
    reverse_first
        Must be zeros. Afterwards the steps to state i are numbered from ``reverse_first[i]`` to
        ``reverse_first[i + 1]`` (excluded).
    """
    states = first.size - 1
    for step in range(target.size):
        reverse_first[target[step] + 1] += 1
    for state in range(states):
        reverse_first[state + 1] += reverse_first[state]
    for state in range(states - 1, -1, -1):  # the steps to a state are written last to first
        for step in range(first[state + 1] - 1, first[state] - 1, -1):
            to = target[step]
            reverse_first[to + 1] -= 1
            reverse_source[reverse_first[to + 1]] = state
            reverse_cost[reverse_first[to + 1]] = cost[step]
    for state in range(states):  # entry i + 1 is now the first step to state i
        reverse_first[state] = reverse_first[state + 1]
    reverse_first[states] = target.size
    return 0


@kernel("int64(int64[::1], int32[::1], int32[::1], boolean[::1], int64[::1], int32[::1], int64[::1])")
def distances_to_goals(first, source, cost, is_goal, distance, toward, heap):
    """Fill in the distances, which must be `INFINITY`, and the next state on an optimal path to a goal."""
    size = 0
    for state in range(is_goal.size):
        if is_goal[state]:
            distance[state] = 0
            heap[size] = state  # a sorted array is a heap; all are at distance 0
            size += 1
    while size > 0:
        nearest = heap[0]
        size = pop_heap(heap, size)
        state, so_far = nearest & ((1 << 31) - 1), nearest >> 31
        if so_far > distance[state]:
            continue
        for step in range(first[state], first[state + 1]):
            before, total = np.int64(source[step]), so_far + cost[step]
            if total < distance[before]:
                if total > MAX_COST:
                    return COST_TOO_LARGE
                distance[before] = total
                toward[before] = state
                size = push_heap(heap, size, (total << 31) | before)
    return 0


@helper
def push_heap(heap, size, entry):
    """Add an entry to a binary heap of `size` entries; return the new size."""
    at = size
    while at > 0 and entry < heap[(at - 1) >> 1]:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry
    return size + 1


@helper
def pop_heap(heap, size):
    """Remove the root from a binary heap of `size` entries; return the new size."""
    size -= 1
    entry, at, child = heap[size], 0, 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if entry < heap[child]:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = entry
    return size
