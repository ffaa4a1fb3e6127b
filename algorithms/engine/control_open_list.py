"""Entries of an open list. Those of searches from both ends have arrays of their own."""

from __future__ import annotations

from algorithms.engine.control import OWN as FIRST

(
    PRIORITY,  # what f is
    TIES,
    HEAP_SIZE,  # buckets or entries in the heap
    IS_ROOT_VACANT,  # whether the first entry has been popped and not yet replaced
    BUCKETS,
    PUSHES,  # number of pushes, modulo 2^32
    POPPED,  # nodes popped from the open list
    POPPED_BELOW,  # of these, before the first with the largest f
    LARGEST_F,  # bits of the largest f of a popped node
    LAST_F,  # bits of the f of the node popped last
    RANDOM,  # state of the random numbers
    # of searches that improve on a solution
    INCUMBENT_COST,  # prune what costs at least as much as the incumbent
    # of searches from both ends
    MIN_STEP_COST,  # lower bound on the cost of every step
    # of focal lists
    UNSORTED,  # entries behind the heap, which are not yet in it
    LEAST_UNSORTED,  # least first key of these
    FOCAL_LIMIT,  # bits of the largest estimate of new nodes that need not wait, in explicit estimation search
    # of lists of greedy searches that explore or alternate
    EXPLORATION,  # kind of an open list that explores
    TURN,  # 1 if its next node is a random one; or the queue that has the next node
    FULL_PART,  # part of it that had no room
    USED_TYPES,  # types that have entries
    POOL_USED,  # places of the pool that belong to types
    END,
) = range(FIRST, FIRST + 22)
