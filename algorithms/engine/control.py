"""Names of the entries of the control array, through which a step and the Python around it talk."""

from __future__ import annotations

(
    NODES,  # stored nodes
    GOAL,  # the goal node, once solved
    EXPANDED,
    GENERATED,
    EVALUATED,
    REOPENED,
    SIMULATED,  # 1 + primitive actions in all generated successors
    PENDING,  # number of nodes in `pending` that wait to be pushed
    PUSHED,  # how many of them have been pushed
    REOPEN,  # whether closed nodes are put back
    MAX_SUCCESSORS,
    TERM_COUNT,
    MAXIMUM,  # combine terms by maximum
    OPEN_KIND,
    TIES,
    WEIGHT_G,  # integer weights of the bucket queue
    WEIGHT_H,
    ROWS,  # size of the bucket table
    COLUMNS,
    LOWEST_ROW,
    NEED_ROWS,  # size of the bucket table that the pending push needs
    NEED_COLUMNS,
    HEAP_SIZE,
    STAMP,
    SIZE,
) = range(25)
