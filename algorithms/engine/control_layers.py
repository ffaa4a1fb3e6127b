"""Entries of breadth-first and beam search."""

from __future__ import annotations

from algorithms.engine.control import OWN as FIRST

(
    NEXT_NODE,  # next node to expand
    LAYER_END,
    CANDIDATES,  # candidates for the next layer of a beam
    CANDIDATE_MASK,  # index mask of their store
    EARLY_GOAL_TEST,  # test a node when it is generated
    DEPTH_LIMIT,
    LIMIT_REACHED,  # whether a node at the depth limit was not expanded
    END,
) = range(FIRST, FIRST + 8)
