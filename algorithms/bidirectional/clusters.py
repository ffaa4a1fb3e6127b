"""Clusters of ready nodes with the same g, and minimum vertex covers of the pairs that they form.

An array has a row for each cluster of a direction: its g and the number of its nodes, by ascending g. The first cluster
is that of the smallest g, and often leaves: the rows before it are free. With a lower
bound L of the cost, a forward and a backward cluster are joined if the sum of their g and of the smallest step cost is
at most L: a search that proves a larger bound has to expand all nodes of one of them. A minimum vertex cover has the
first clusters of each direction. Source: Shperberg, Felner, Sturtevant, Shimony and Hayoun, "Enriching non-parametric
bidirectional search algorithms", AAAI 2019.
"""

from __future__ import annotations

import numpy as np

from algorithms.bidirectional import control_entries as e
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from worlds.compile import as_index, helper

CLUSTERS = "int64[:, :, ::1]"
"""Numba type of the clusters. Shape: direction, cluster, g and number of nodes."""


def empty_clusters(capacity: int) -> np.ndarray:
    """Allocate clusters, with room for `capacity` in each direction."""
    return np.zeros((2, capacity, 2), np.int64)


def larger_clusters(clusters: np.ndarray) -> np.ndarray:
    """Return a copy with twice the room."""
    return np.concatenate([clusters, np.zeros_like(clusters)], axis=1)


@helper
def is_cluster_full(control, clusters, direction):
    """Tell whether there is no room for another cluster, after moving all to the first rows if there is none behind."""
    begin, room = control[e.FIRST_CLUSTER + direction], clusters.shape[1]
    used = control[e.FORWARD_CLUSTERS + direction]
    if begin + used < room:
        return False
    if 4 * used > 3 * room:  # else it would soon be full again
        return True
    for i in range(used):
        move_cluster(clusters, direction, as_index(begin + i), i)
    control[e.FIRST_CLUSTER + direction] = 0
    return False


@helper
def move_cluster(clusters, direction, at, to):
    """Copy a cluster to another row."""
    clusters[direction, to, 0] = clusters[direction, at, 0]
    clusters[direction, to, 1] = clusters[direction, at, 1]


@helper
def first_g(control, clusters, direction):
    """Return the smallest g of a direction, or -2 if it has no ready node."""
    if control[e.FORWARD_CLUSTERS + direction] == 0:
        return np.int64(-2)
    return clusters[direction, as_index(control[e.FIRST_CLUSTER + direction]), 0]


@helper
def add_to_cluster(control, clusters, direction, g, change):
    """Change the number of nodes with a g. Clusters come and go with their nodes."""
    begin = as_index(control[e.FIRST_CLUSTER + direction])
    end = begin + as_index(control[e.FORWARD_CLUSTERS + direction])
    low, high = begin, end
    if begin < end and clusters[direction, begin, 0] >= g:  # the first is changed most often
        high = begin
    while low < high:
        middle = (low + high) >> 1
        if clusters[direction, middle, 0] < g:
            low = middle + 1
        else:
            high = middle
    at = as_index(low)
    if at < end and clusters[direction, at, 0] == g:
        clusters[direction, at, 1] += change
        if clusters[direction, at, 1] == 0:
            remove_cluster(control, clusters, direction, begin, at, end)
        return
    control[e.FORWARD_CLUSTERS + direction] += 1
    if begin > 0 and at - begin < end - at:
        control[e.FIRST_CLUSTER + direction] -= 1
        at -= 1
        for i in range(begin - 1, at):
            move_cluster(clusters, direction, i + 1, i)
    else:
        for i in range(end, at, -1):
            move_cluster(clusters, direction, i - 1, i)
    clusters[direction, at, 0], clusters[direction, at, 1] = g, change


@helper
def remove_cluster(control, clusters, direction, begin, at, end):
    """Remove a cluster from the rows from `begin` to `end` (excluded)."""
    control[e.FORWARD_CLUSTERS + direction] -= 1
    if at - begin < end - at:
        control[e.FIRST_CLUSTER + direction] += 1
        for i in range(at, begin, -1):
            move_cluster(clusters, direction, i - 1, i)
    else:
        for i in range(at, end - 1):
            move_cluster(clusters, direction, i + 1, i)


@helper
def side_of_cover(control, clusters):
    """Return the direction whose first cluster is next; there must be a pair of clusters that are joined.

    It is in a minimum vertex cover. If this holds for both directions, the first cluster with fewer nodes is next, or
    with as many the backward one.

    A cover has the first clusters of the direction with more of them, one more at a time, and as many of the other one
    as they leave uncovered. It is no minimum, once the former alone have more nodes than another cover.
    """
    limit = control[b.LOWER_BOUND] - control[q.MIN_STEP_COST]
    many = np.int64(control[e.BACKWARD_CLUSTERS] > control[e.FORWARD_CLUSTERS])
    few = 1 - many
    first_of_many, first_of_few = as_index(control[e.FIRST_CLUSTER + many]), as_index(control[e.FIRST_CLUSTER + few])
    end_of_many = first_of_many + as_index(control[e.FORWARD_CLUSTERS + many])
    end_of_few = first_of_few + as_index(control[e.FORWARD_CLUSTERS + few])
    before, behind = first_of_many, first_of_few
    size_before, size_behind = np.int64(0), np.int64(0)
    while behind < end_of_few and clusters[many, before, 0] + clusters[few, behind, 0] <= limit:
        size_behind += clusters[few, behind, 1]
        behind += 1
    smallest = size_behind
    has_many, has_few = False, True
    while behind > first_of_few:
        size_before += clusters[many, before, 1]
        if size_before > smallest:
            break
        before += 1
        while behind > first_of_few and (
            before == end_of_many or clusters[many, before, 0] + clusters[few, behind - 1, 0] > limit
        ):
            behind -= 1
            size_behind -= clusters[few, behind, 1]
        size = size_before + size_behind
        if size < smallest:
            smallest = size
            has_many, has_few = True, behind > first_of_few
        elif size == smallest:
            has_many, has_few = True, has_few or behind > first_of_few
    if has_many != has_few:
        return many if has_many else few
    is_forward = (
        clusters[0, as_index(control[e.FIRST_CLUSTER]), 1] < clusters[1, as_index(control[e.FIRST_CLUSTER + 1]), 1]
    )
    return np.int64(0 if is_forward else 1)
