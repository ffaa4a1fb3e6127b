"""Entries of searches from both ends, behind those of best-first search."""

from __future__ import annotations

from algorithms.engine import control_best_first as best_first

(
    ALTERNATE,  # whether BAE* alternates between the directions
    NEXT_SIDE,  # direction of its next expansion then
    HAS_PARTNER,  # whether the backward node of a pair of NBS is next
    DROPS_CLOSED,  # whether nodes that the other direction has closed are dropped
    COVER_SIDE,  # direction and g of the cluster that DVCBS expands
    COVER_G,
    FORWARD_CLUSTERS,  # number of clusters of ready nodes, per direction
    BACKWARD_CLUSTERS,
    FIRST_CLUSTER,  # row of the first of these, forward
    FIRST_BACKWARD_CLUSTER,
    FULL_QUEUE,  # the open list that had no room; their number if there is no room for a cluster
    EXPANDED_BELOW,  # expansions before the lower bound was raised to its value
    OPEN_FORWARD,  # nodes in the open list, per direction
    OPEN_BACKWARD,
    BEST_COST,  # cost of the best solution so far
    MEETING_FORWARD,  # nodes of both directions where this solution meets
    MEETING_BACKWARD,
    END,
) = range(best_first.END, best_first.END + 18)
