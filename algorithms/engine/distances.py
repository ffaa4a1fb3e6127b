"""Distances of all states to the nearest goal: Dijkstra's algorithm over recorded steps, backwards.

Source: Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959. A step may cost
nothing. The heap holds distance << 31 | state, and whatever it holds twice is passed over.
"""

from __future__ import annotations

import numpy as np

from worlds.kernel import COST_TOO_LARGE, MAX_COST, helper, kernel

INFINITY = 1 << 60
"""The distance of a state from which no goal can be reached."""


@kernel("int64(int64[::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1])")
def reverse_steps(first, target, cost, reverse_first, reverse_source, reverse_cost):
    """Order steps by where they lead, and for each note where it comes from and what it costs.

    `reverse_first` must be zeros; it becomes what `first` is to the steps as they were.
    """
    states = first.size - 1
    for step in range(target.size):
        reverse_first[target[step] + 1] += 1
    for state in range(states):
        reverse_first[state + 1] += reverse_first[state]
    for state in range(states - 1, -1, -1):  # each place is filled from its end
        for step in range(first[state + 1] - 1, first[state] - 1, -1):
            to = target[step]
            reverse_first[to + 1] -= 1
            reverse_source[reverse_first[to + 1]] = state
            reverse_cost[reverse_first[to + 1]] = cost[step]
    for state in range(states):  # now entry i + 1 is where the steps to i begin
        reverse_first[state] = reverse_first[state + 1]
    reverse_first[states] = target.size
    return 0


@kernel("int64(int64[::1], int32[::1], int32[::1], boolean[::1], int64[::1], int32[::1], int64[::1])")
def distances_to_goals(first, source, cost, is_goal, distance, toward, heap):
    """Fill in `distance`, which must be `INFINITY` everywhere, and the next state on a cheapest way to a goal."""
    size = 0
    for state in range(is_goal.size):
        if is_goal[state]:
            distance[state] = 0
            heap[size] = state  # in order already, all at distance 0
            size += 1
    while size > 0:
        nearest = heap[0]
        size = pop_least(heap, size)
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
                size = push_entry(heap, size, (total << 31) | before)
    return 0


@helper
def push_entry(heap, size, entry):
    """Sift an entry up from the end of a binary heap; returns the new size."""
    i = size
    while i > 0 and heap[(i - 1) >> 1] > entry:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = entry
    return size + 1


@helper
def pop_least(heap, size):
    """Drop the root of a binary heap; returns the new size."""
    size -= 1
    entry = heap[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry
    return size
