"""Entries of best-first search, behind those of its open list."""

from __future__ import annotations

from algorithms.engine.control_open_list import END as FIRST

(
    TO_PUSH,  # nodes in `pending`, which are to be pushed into the open list
    PUSHED,  # how many of these have been pushed
    REOPEN,  # whether closed nodes are reopened
    PRUNE_BY_F,  # 1: prune by g + h; 0: by g
    LEAST_OPEN,  # smallest g + h of the nodes that an anytime search opens again
    LOWER_BOUND,  # proven lower bound of the cost
    IS_LAZY,  # whether nodes are evaluated when they are expanded
    BATCH,  # most expansions in a batch
    BATCH_EXPANDED,  # of the batch so far
    BATCH_NEW,  # states that it has found, which are not evaluated
    HELD,  # nodes in `pending` until it is complete: these, and known ones
    END,
) = range(FIRST, FIRST + 12)
