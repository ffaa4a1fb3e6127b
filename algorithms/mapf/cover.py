"""Edge-weighted vertex cover: the smallest sum of numbers of vertices that covers the weight of each edge.

Vertices are agents, and the weight of an edge is by how much both together must cost more than now
(`algorithms.mapf.node_heuristics`). The smallest sum of integers x with x_i + x_j >= w_ij for each edge is then an
admissible heuristic of a node of conflict-based search. With weights of 1 it is the size of a minimum vertex cover.

An agent with one edge needs no number: its neighbour covers the edge at the same cost. This solves trees. Components
of what remains are solved by branch and bound.

Source: Li, Felner, Boyarski, Ma, Koenig, IJCAI 2019, which solves components by branch and bound as well.
"""

from __future__ import annotations

from worlds.compile import helper

MAX_COVER_WORK = 1_000_000
"""Largest product of the assignments that are tried for a component and the square of its size, about a millisecond.
Then the lower bound of its root is taken."""

# Rows of the scratch of `cover`: the number of edges of each agent, and whether it is in a component already; and for
# each position in the order of the component the agent, its number and the largest one to try, what assigned neighbours
# need it to be, and whether its edge is in the matching of the lower bound.
DEGREE, IS_SEEN, ORDER, NUMBER, HIGHEST, NEED, IS_MATCHED, COVER_ROWS = range(8)


@helper
def cover(weights, agents, scratch):
    """Return the smallest sum, or a lower bound if a component takes more than `MAX_COVER_WORK`.

    Parameters
    ----------
    weights : ndarray of int32, shape (agents, agents)
        Symmetric; 0 without an edge. Its content is lost.
    agents : int
        Number of agents.
    scratch : ndarray of int32, shape (COVER_ROWS, agents)
    """
    total = cover_leaves(weights, agents, scratch)
    for agent in range(agents):
        scratch[IS_SEEN, agent] = 0
    for agent in range(agents):
        if scratch[IS_SEEN, agent] == 0:
            size = collect_component(weights, agents, agent, scratch)
            if size == 2:
                total += weights[scratch[ORDER, 0], scratch[ORDER, 1]]
            elif size > 2:
                total += cover_component(weights, size, scratch)
    return total


@helper
def cover_leaves(weights, agents, scratch):
    """Cover edges of agents that have no other edge by their neighbours, until there are none. Return the sum.

    The number of the neighbour reduces the weights of all its edges.
    """
    for agent in range(agents):
        degree = 0
        for other in range(agents):
            if weights[agent, other] > 0:
                degree += 1
        scratch[DEGREE, agent] = degree
    total = 0
    agent = 0
    while agent < agents:
        if scratch[DEGREE, agent] != 1:
            agent += 1
            continue
        neighbour = 0
        while weights[agent, neighbour] <= 0:
            neighbour += 1
        number = weights[agent, neighbour]
        total += number
        following = agent + 1
        for other in range(agents):
            if weights[neighbour, other] <= 0:
                continue
            rest = max(0, weights[neighbour, other] - number)
            weights[neighbour, other] = rest
            weights[other, neighbour] = rest
            if rest == 0:
                scratch[DEGREE, neighbour] -= 1
                scratch[DEGREE, other] -= 1
                following = min(following, other)
        agent = min(following, neighbour)
    return total


@helper
def collect_component(weights, agents, root, scratch):
    """Write the agents of a component to `ORDER`, those with the largest sums of weights first. Return their number."""
    scratch[ORDER, 0] = root
    scratch[IS_SEEN, root] = 1
    size = 1
    done = 0
    while done < size:
        agent = scratch[ORDER, done]
        weight_sum = 0
        for other in range(agents):
            weight_sum += weights[agent, other]
            if weights[agent, other] > 0 and scratch[IS_SEEN, other] == 0:
                scratch[IS_SEEN, other] = 1
                scratch[ORDER, size] = other
                size += 1
        position = done
        while position > 0 and scratch[NEED, position - 1] < weight_sum:
            scratch[NEED, position] = scratch[NEED, position - 1]
            scratch[ORDER, position] = scratch[ORDER, position - 1]
            position -= 1
        scratch[NEED, position] = weight_sum
        scratch[ORDER, position] = agent
        done += 1
    return size


@helper
def cover_component(weights, size, scratch):
    """Return the smallest sum of a component by depth-first branch and bound over the numbers of its agents."""
    lower = lower_bound(weights, size, 0, scratch)
    best = -1
    depth = 0
    set_range(weights, size, depth, scratch)
    for _ in range(MAX_COVER_WORK // (size * size)):
        while depth >= 0 and scratch[NUMBER, depth] == scratch[HIGHEST, depth]:
            depth -= 1
        if depth < 0:
            return best
        scratch[NUMBER, depth] += 1
        bound = lower_bound(weights, size, depth + 1, scratch)
        if best >= 0 and bound >= best:
            continue
        if depth < size - 1:
            depth += 1
            set_range(weights, size, depth, scratch)
        else:
            best = bound
            if best == lower:
                return best
    return lower


@helper
def set_range(weights, size, depth, scratch):
    """Set the range of numbers at a depth, and the number before the first one, after `lower_bound` of this depth."""
    agent = scratch[ORDER, depth]
    need = scratch[NEED, depth]
    highest = need
    for later in range(depth + 1, size):
        highest = max(highest, weights[agent, scratch[ORDER, later]])
    scratch[NUMBER, depth] = need - 1
    scratch[HIGHEST, depth] = highest


@helper
def lower_bound(weights, size, depth, scratch):
    """Return a lower bound of the sum when the first `depth` agents have numbers: needs of the others, and a matching.

    Two agents of an edge need its weight together; edges of the matching have no agent in common.
    """
    total = 0
    for position in range(depth):
        total += scratch[NUMBER, position]
    for position in range(depth, size):
        need = 0
        for earlier in range(depth):
            weight = weights[scratch[ORDER, earlier], scratch[ORDER, position]]
            need = max(need, weight - scratch[NUMBER, earlier])
        scratch[NEED, position] = need
        scratch[IS_MATCHED, position] = 0
        total += need
    for position in range(depth, size):
        if scratch[IS_MATCHED, position] != 0:
            continue
        largest = 0
        partner = -1
        for later in range(position + 1, size):
            if scratch[IS_MATCHED, later] == 0:
                weight = weights[scratch[ORDER, position], scratch[ORDER, later]]
                missing = weight - scratch[NEED, position] - scratch[NEED, later]
                if missing > largest:
                    largest = missing
                    partner = later
        if partner >= 0:
            scratch[IS_MATCHED, partner] = 1
            total += largest
    return total
