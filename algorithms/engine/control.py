"""Indices into the control array, through which a kernel and the Python code around it exchange numbers."""

from __future__ import annotations

(
    # counts of every search
    EXPANDED,
    GENERATED,
    EVALUATED,
    REOPENED,
    SIMULATED,  # 1 + primitive actions in all generated successors
    # of a search that is recorded
    EXPANDED_NODE,  # node expanded last; in depth-first search its level
    # sizes of the problem
    WORDS,  # words of a state
    MAX_SUCCESSORS,
    # node store
    NODES,  # stored nodes
    INDEX_MASK,  # see `algorithms.engine.nodes`
    GOAL,  # goal node, once solved
    # breadth-first and beam search
    NEXT_NODE,  # next node to expand
    LAYER_END,
    CANDIDATES,  # candidates for the next layer of a beam
    CANDIDATE_MASK,  # index mask of their store
    EARLY_GOAL_TEST,  # test a node when it is generated
    # depth-first search
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
    # best-first search
    PENDING,  # nodes in `pending`, which are to be pushed into the open list
    PUSHED,  # how many of these have been pushed
    REOPEN,  # whether closed nodes are reopened
    INCUMBENT_COST,  # prune what costs at least as much as the incumbent
    PRUNE_BY_F,  # 1: prune by g + h; 0: by g
    LEAST_OPEN,  # smallest g + h of the nodes that an anytime search opens again
    # open list
    PRIORITY,
    TIES,
    BUCKETS,
    HEAP_SIZE,  # buckets or entries in the heap
    IS_ROOT_VACANT,  # whether the first entry has been popped and not yet replaced
    UNSORTED,  # entries behind the heap, which are not yet in it
    LEAST_UNSORTED,  # least first key of these
    PUSHES,  # number of pushes, modulo 2^32
    POPPED,  # nodes popped from the open list
    POPPED_BELOW,  # of these, with an f below the largest
    LARGEST_F,  # bits of the largest f of a popped node
    LAST_F,  # bits of the f of the node popped last
    RANDOM,  # state of the random numbers
    # exploring greedy search
    EXPLORATION,  # kind of its open list
    IS_LAZY,  # whether nodes are evaluated when they are expanded
    TURN,  # 1 if the next node is a random one; or the queue that has it
    FULL_PART,  # part of the open list that had no room
    USED_TYPES,  # types that have entries
    POOL_USED,  # places of the pool that belong to types
    # greedy search in batches
    BATCH,  # most expansions in a batch
    BATCH_EXPANDED,  # of the batch so far
    BATCH_NEW,  # states that it has found, which are not evaluated
    HELD,  # nodes in `pending` until it is complete: these, and known ones
    # bidirectional search
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
    LOWER_BOUND,  # proven lower bound of the cost, of bounded-suboptimal search, too
    EXPANDED_BELOW,  # expansions before it was raised to this value
    MIN_STEP_COST,  # lower bound on the cost of every step
    OPEN_FORWARD,  # nodes in the open list, per direction
    OPEN_BACKWARD,
    BEST_COST,  # cost of the best solution so far
    MEETING_FORWARD,  # nodes of both directions where this solution meets
    MEETING_BACKWARD,
    # real-time search
    AGENT,  # node where the agent stands
    LOOKAHEAD,  # expansions of a local search
    LOCAL_EXPANDED,  # of them so far
    LEARN_DISTANCE,  # learn distances to the frontier, not differences of f
    EXPANDED_G,  # g of the node expanded last
    WALKS,  # walks to the frontier of a local search
    MOVES,  # moves of the agent
    TRAVELLED,  # their cost
    LARGEST_LOCAL,  # most expansions before a walk
    LEARNED_STEPS,  # steps of the local search that has ended after the last expansion
    # state space and local searches
    STEPS,  # recorded steps
    SIZE,
) = range(90)

NO_INCUMBENT = NO_LIMIT = 1 << 60
"""No bound on costs; no limit on depth."""
