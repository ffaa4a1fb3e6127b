"""Configurations of a team in memory: nodes with queues of lazy constraints, their stack, and their cheapest paths.

`joint_exploration` explains the search to which they belong. A joint step is that of PIBT in `team`
(`algorithms.mapf.priority_inheritance`).
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import add_word, finish
from algorithms.engine import control as c
from algorithms.mapf import priority_inheritance as p
from worlds.compile import helper, kernel

# Entries of the control array, behind those of PIBT.
(
    CONSTRAINTS,  # stored constraints
    TOP,  # node on top of the stack, or -1
    BEST,  # cost of the best solution
    FOUND,  # goal node to compare with it, or -1
    STAR,  # whether the search goes on after the first solution
    MAKESPAN,  # whether each step costs 1
) = range(p.OWN, p.OWN + 6)

# Fields of a node. The first and the last constraint that it has not tried make a queue. Its edges are the constraints
# that led to successors.
(PARENT, G, H, STEP_COST, HASH, FIRST, LAST, EDGES, BELOW, ABOVE, NEXT_CHANGED, FIELDS) = range(12)
OFF = -2
"""Value of `ABOVE` of a node that is not on the stack, and of `NEXT_CHANGED` of one whose g has not changed."""

# Fields of a constraint: the constraint that it extends by the choice of one more agent, the number of agents that it
# binds, the next one in the queue of the node, the successor to which it led, and the next edge of the node.
(EXTENDED, CHOICE, DEPTH, NEXT_QUEUED, SUCCESSOR, NEXT_EDGE, CONSTRAINT_FIELDS) = range(7)
MOST_CHOICES = 6
"""Moves, waiting and settling. A choice is twice the cell, and 1 more if the agent settles."""

# Parts of a record of a team: choice, place in the order and time away from the goal of each agent.
RECORD_PARTS = 3
SLOTS = 4
"""Places of the hash table for each node."""

STORE = "int64[:, ::1], int32[:, ::1], int32[::1], int32[:, ::1]"
"""Numba types of nodes, records, hash table and constraints."""


@kernel("int64(int64[:, ::1], int32[::1], int64)")
def index_nodes(nodes, table, count):
    """Fill the hash table with all nodes."""
    table[:] = 0
    for node in range(count):
        slot = nodes[node, HASH] & (table.size - 1)
        while table[slot] != 0:
            slot = (slot + 1) & (table.size - 1)
        table[slot] = node + 1
    return 0


@helper
def load(team, records, node):
    """Write the configuration of a node into `team`."""
    agents = team.shape[1]
    for agent in range(agents):
        team[p.NOW, agent] = records[node, agent] >> 1
        team[p.SETTLED, agent] = records[node, agent] & 1
        team[p.ORDER, agent] = records[node, agents + agent]
        team[p.ELAPSED, agent] = records[node, 2 * agents + agent]


@helper
def extend(neighbours, distances, team, places, control, nodes, constraints, node, constraint):
    """Append the constraints that bind one more agent to the queue of a node."""
    agent = team[p.ORDER, constraints[constraint, DEPTH]]
    here = team[p.NOW, agent]
    can_settle = control[STAR] != 0 and control[MAKESPAN] == 0 and here == team[p.GOAL, agent]
    if can_settle or team[p.SETTLED, agent] != 0:
        append(control, nodes, constraints, node, constraint, 2 * here + 1)
    if team[p.SETTLED, agent] == 0:
        p.order_choices(neighbours, distances, team, places, control, agent)
        for choice in range(team[p.CHOICE_COUNT, agent]):
            append(control, nodes, constraints, node, constraint, 2 * team[p.CHOICES + choice, agent])


@helper
def append(control, nodes, constraints, node, extended, choice):
    """Append a constraint to the queue of a node: it extends another one, or is the empty one if that is -1."""
    new = control[CONSTRAINTS]
    control[CONSTRAINTS] += 1
    constraints[new, EXTENDED] = extended
    constraints[new, CHOICE] = choice
    constraints[new, DEPTH] = 0 if extended < 0 else constraints[extended, DEPTH] + 1
    constraints[new, NEXT_QUEUED] = -1
    if nodes[node, FIRST] < 0:
        nodes[node, FIRST] = new
    else:
        constraints[nodes[node, LAST], NEXT_QUEUED] = new
    nodes[node, LAST] = new


@helper
def bind(team, places, constraints, constraint):
    """Let agents go where a constraint says. Return whether that is possible."""
    while constraints[constraint, DEPTH] > 0:
        agent = team[p.ORDER, constraints[constraint, DEPTH] - 1]
        choice = np.int64(constraints[constraint, CHOICE])
        if team[p.SETTLED, agent] == 0:
            if not p.reserve(team, places, agent, choice >> 1):
                return False
            team[p.SETTLES, agent] = choice & 1
        constraint = constraints[constraint, EXTENDED]
    return True


@helper
def settle_rest(team, constraints, constraint):
    """Settle the agents that stay at their goals, unless the constraint says that they wait there."""
    for place in range(constraints[constraint, DEPTH], team.shape[1]):
        agent = team[p.ORDER, place]
        if team[p.NOW, agent] == team[p.GOAL, agent] and team[p.NEXT, agent] == team[p.NOW, agent]:
            team[p.SETTLES, agent] = 1


@helper
def find_or_add(distances, team, control, nodes, records, table, constraints, parent):
    """Return the node of the configuration after the step in `team`; a new one has the parent, but is on no stack."""
    agents = team.shape[1]
    hashed = np.uint64(0)
    for agent in range(agents):
        hashed = add_word(hashed, np.uint64(2 * team[p.NEXT, agent] + team[p.SETTLES, agent]))
    key = np.int64(finish(hashed) >> np.uint64(2))
    slot = key & (table.size - 1)
    while table[slot] != 0:
        node = np.int64(table[slot]) - 1
        if nodes[node, HASH] == key and is_same(team, records, node):
            return node
        slot = (slot + 1) & (table.size - 1)
    node = control[c.NODES]
    control[c.NODES] += 1
    table[slot] = node + 1
    total = np.int64(0)
    largest = np.int64(0)
    moving = np.int64(0)
    for agent in range(agents):
        distance = np.int64(distances[agent, team[p.NEXT, agent]])
        total += distance
        largest = max(largest, distance)
        moving += 1 - team[p.SETTLES, agent]
        records[node, agent] = 2 * team[p.NEXT, agent] + team[p.SETTLES, agent]
    if parent >= 0:
        p.advance(team)
    for agent in range(agents):
        records[node, agents + agent] = team[p.ORDER, agent]
        records[node, 2 * agents + agent] = team[p.ELAPSED, agent]
    nodes[node, PARENT] = parent
    nodes[node, STEP_COST] = 1 if control[MAKESPAN] != 0 else moving
    nodes[node, G] = 0 if parent < 0 else nodes[parent, G] + nodes[node, STEP_COST]
    nodes[node, H] = largest if control[MAKESPAN] != 0 else total
    nodes[node, HASH] = key
    nodes[node, FIRST] = -1
    nodes[node, EDGES] = -1
    nodes[node, ABOVE] = OFF
    nodes[node, NEXT_CHANGED] = OFF
    append(control, nodes, constraints, node, np.int64(-1), np.int64(0))
    if total == 0:
        control[FOUND] = node
    return node


@helper
def is_same(team, records, node):
    """Return whether a node has the configuration after the step in `team`."""
    for agent in range(team.shape[1]):
        if records[node, agent] != 2 * team[p.NEXT, agent] + team[p.SETTLES, agent]:
            return False
    return True


@helper
def push(nodes, control, node):
    """Put a node on top of the stack. Each is there once."""
    if nodes[node, ABOVE] != OFF:
        remove(nodes, control, node)
    top = control[TOP]
    nodes[node, BELOW] = top
    nodes[node, ABOVE] = -1
    if top >= 0:
        nodes[top, ABOVE] = node
    control[TOP] = node


@helper
def remove(nodes, control, node):
    """Take a node from the stack, wherever it is there."""
    below = nodes[node, BELOW]
    above = nodes[node, ABOVE]
    if below >= 0:
        nodes[below, ABOVE] = above
    if above >= 0:
        nodes[above, BELOW] = below
    else:
        control[TOP] = below
    nodes[node, ABOVE] = OFF


@helper
def pass_on(nodes, control, constraints, node, successor):
    """Improve the path to a successor by the edge from a node, if that is cheaper, and then those behind it."""
    if not improve(nodes, control, node, successor):
        return
    first = successor
    last = successor
    nodes[successor, NEXT_CHANGED] = -1
    while first >= 0:
        edge = nodes[first, EDGES]
        while edge >= 0:
            to = np.int64(constraints[edge, SUCCESSOR])
            if improve(nodes, control, first, to) and nodes[to, NEXT_CHANGED] == OFF:
                nodes[last, NEXT_CHANGED] = to
                nodes[to, NEXT_CHANGED] = -1
                last = to
            edge = np.int64(constraints[edge, NEXT_EDGE])
        done = first
        first = nodes[first, NEXT_CHANGED]
        nodes[done, NEXT_CHANGED] = OFF


@helper
def improve(nodes, control, node, to):
    """Take the edge from a node to another one into the path to that, if it is cheaper. Return whether it is."""
    g = nodes[node, G] + nodes[to, STEP_COST]
    if g >= nodes[to, G]:
        return False
    nodes[to, G] = g
    nodes[to, PARENT] = node
    if nodes[to, H] == 0 and (control[FOUND] < 0 or g < nodes[control[FOUND], G]):
        control[FOUND] = to
    if nodes[to, FIRST] >= 0 and g + nodes[to, H] < control[BEST]:
        push(nodes, control, to)
    return True


@helper
def cost_of_path(team, control, nodes, records, goal):
    """Return the cost of the path to a goal node, by the times at which the agents arrive for the last time."""
    agents = team.shape[1]
    time = np.int64(0)
    node = nodes[goal, PARENT]
    while node >= 0:
        time += 1
        node = nodes[node, PARENT]
    if control[MAKESPAN] != 0:
        return time
    for agent in range(agents):
        team[p.SCRATCH, agent] = 0
    node = nodes[goal, PARENT]
    cost = np.int64(0)
    while node >= 0:
        for agent in range(agents):
            if team[p.SCRATCH, agent] == 0 and records[node, agent] >> 1 != team[p.GOAL, agent]:
                team[p.SCRATCH, agent] = 1
                cost += time
        time -= 1
        node = nodes[node, PARENT]
    return cost
