"""Entries of depth-first searches."""

from __future__ import annotations

from algorithms.engine import OWN as FIRST

(
    LEVEL,  # depth of the node whose children are next
    MAX_SLOTS,  # most slots in use
    G_FACTOR,  # factors in f
    H_FACTOR,
    BOUND,  # on f
    NEXT_BOUND,
    DEPTH_LIMIT,
    LIMIT_REACHED,  # whether a node at the depth limit was not expanded
    CYCLE_CHECK,
    LARGEST_VISITED,  # largest f of a visited node
    STORES_VISITED,
    MAX_VISITED,  # visited states that may be stored
    BY_F,  # visit the children with the smallest g + h first
    AGAIN_IF_CHEAPER,  # visit a visited state again at a smaller cost, not at a smaller depth
    END,
) = range(FIRST, FIRST + 15)
