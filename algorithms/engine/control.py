"""Names of the entries of the control array, through which a kernel and the Python around it talk."""

from __future__ import annotations

(
    # what every search counts
    EXPANDED,
    GENERATED,
    EVALUATED,
    REOPENED,
    SIMULATED,  # 1 + primitive actions in all generated successors
    # what every search is told
    WORDS,  # of a state
    MAX_SUCCESSORS,
    TERM_COUNT,
    MAXIMUM,  # combine terms by maximum
    # the node store
    NODES,  # stored nodes
    INDEX_MASK,  # see `algorithms.engine.nodes`
    GOAL,  # the goal node, once solved
    # breadth-first and beam search
    HEAD,  # the next node to expand
    LAYER_END,
    CANDIDATES,
    CANDIDATE_MASK,
    EARLY_GOAL_TEST,  # when a node is generated
    # depth-first search
    LEVEL,  # depth of the node whose children are next
    MAX_DEPTH_SLOTS,  # most slots, or in place levels, that were in use
    BOUND,  # on f
    NEXT_BOUND,
    DEPTH_LIMIT,
    CUT,  # whether the depth limit was met
    CYCLE_CHECK,
    # best-first search
    PENDING,  # number of nodes in `pending` that wait to be pushed
    PUSHED,  # how many of them have been pushed
    REOPEN,  # whether closed nodes are put back
    INCUMBENT_COST,  # only paths that cost less are of interest ...
    INCUMBENT_ON_F,  # ... and g + h tells of a node that it cannot be on one
    # the open list
    PRIORITY,
    TIES,
    BUCKETS,
    HEAP_SIZE,  # buckets in the heap
    # bidirectional search
    SLACK,  # every step costs at least so much
    BACKWARD_TERM_COUNT,
    OPEN_FORWARD,  # nodes in the open list, per direction
    OPEN_BACKWARD,
    BEST,  # cost of the best solution so far
    MEETING_FORWARD,  # the nodes where it meets
    MEETING_BACKWARD,
    SIZE,
) = range(41)

NO_INCUMBENT = NO_LIMIT = 1 << 60
"""No bound on costs; no limit on depth."""
