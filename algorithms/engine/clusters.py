"""Clusters of ready nodes with the same g, and minimum vertex covers of the pairs that they form.

An array has a row for each cluster of a direction: its g and the number of its nodes, by ascending g. With a lower
bound L of the cost, a forward and a backward cluster are joined if the sum of their g and of the smallest step cost is
at most L: a search that proves a larger bound has to expand all nodes of one of them. A minimum vertex cover has the
first clusters of each direction. Source: Shperberg, Felner, Sturtevant, Shimony and Hayoun, "Enriching non-parametric
bidirectional search algorithms", AAAI 2019.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from worlds.compile.kernel import as_index, helper

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
    """Tell whether there is no room for another cluster."""
    return control[c.FORWARD_CLUSTERS + direction] == clusters.shape[1]


@helper
def first_g(control, clusters, direction):
    """Return the smallest g of a direction, or -2 if it has no ready node."""
    return clusters[direction, 0, 0] if control[c.FORWARD_CLUSTERS + direction] > 0 else np.int64(-2)


@helper
def add_to_cluster(control, clusters, direction, g, change):
    """Change the number of nodes with a g. Clusters come and go with their nodes."""
    used = control[c.FORWARD_CLUSTERS + direction]
    low, high = 0, used
    while low < high:
        middle = (low + high) >> 1
        if clusters[direction, middle, 0] < g:
            low = middle + 1
        else:
            high = middle
    at = as_index(low)
    if at == used or clusters[direction, at, 0] != g:
        for i in range(used, at, -1):
            clusters[direction, i, 0], clusters[direction, i, 1] = (
                clusters[direction, i - 1, 0],
                clusters[direction, i - 1, 1],
            )
        clusters[direction, at, 0], clusters[direction, at, 1] = g, change
        control[c.FORWARD_CLUSTERS + direction] += 1
        return
    clusters[direction, at, 1] += change
    if clusters[direction, at, 1] == 0:
        for i in range(at, used - 1):
            clusters[direction, i, 0], clusters[direction, i, 1] = (
                clusters[direction, i + 1, 0],
                clusters[direction, i + 1, 1],
            )
        control[c.FORWARD_CLUSTERS + direction] -= 1


@helper
def side_of_cover(control, clusters):
    """Return the direction whose first cluster is next; there must be a pair of clusters that are joined.

    It is in a minimum vertex cover. If this holds for both directions, the first cluster with fewer nodes is next, or
    with as many the backward one.
    """
    limit = control[c.LOWER_BOUND] - control[c.MIN_STEP_COST]
    last, before = control[c.FORWARD_CLUSTERS], 0
    size, behind = np.int64(0), 0  # the cover has the first `before` forward and the first `behind` backward clusters
    while behind < control[c.BACKWARD_CLUSTERS] and clusters[0, 0, 0] + clusters[1, behind, 0] <= limit:
        size += clusters[1, behind, 1]
        behind += 1
    smallest, has_forward, has_backward = size, False, True
    while behind > 0:
        size += clusters[0, before, 1]
        before += 1
        while behind > 0 and (before == last or clusters[0, before, 0] + clusters[1, behind - 1, 0] > limit):
            behind -= 1
            size -= clusters[1, behind, 1]
        if size < smallest:
            smallest, has_forward, has_backward = size, True, behind > 0
        elif size == smallest:
            has_forward, has_backward = True, has_backward or behind > 0
    is_forward = has_forward and (not has_backward or clusters[0, 0, 1] < clusters[1, 0, 1])
    return np.int64(0 if is_forward else 1)
