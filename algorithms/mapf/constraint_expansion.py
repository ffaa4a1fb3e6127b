"""Expansion of nodes of a tree of constraints, and the kernel that expands the tree."""

from __future__ import annotations

import numpy as np

from algorithms.engine import StepStatus
from algorithms.mapf import constraint_tree as t
from algorithms.mapf import single_agent as s
from algorithms.mapf.conflicts import (
    AT_TIME,
    FIRST,
    FIRST_PAIR,
    FROM_CELL,
    IN_CELL,
    SECOND,
    find_conflicts,
    place_agent,
)
from worlds.compile import helper, kernel

UNGUIDED = 100
"""Result of `expand_tree`, beside those of `StepStatus`: the selected node needs a heuristic."""


@helper
def plan_agent(graph, state, low, tree, node, agent, planned, factor, control):
    """Plan the path of an agent under the constraints of a node, around the first `planned` of the others, and keep it.

    Returns its cost, `NO_PATH` or `NO_ROOM`.
    """
    current, _, length, lower, occupant = state
    if t.collect_rows(tree.nodes, node, agent, low) == s.NO_ROOM:
        return np.int64(s.NO_ROOM)
    horizon = np.int64(0)
    for other in range(planned):
        if other != agent:
            horizon = max(horizon, np.int64(length[other]))
            place_agent(state, other, True)
    length[agent] = s.NEVER  # it does not meet itself
    goal = graph.goals[agent]
    end = s.earliest_end(low, goal)
    cost = s.shortest_cost(graph, state, low, agent, max(lower[agent], end), horizon)
    place, time = np.int64(-1), np.int64(-1)
    if cost >= 0:
        lower[agent] = cost
        bound = np.int64(factor * cost + 1e-9)
        if control[t.PRIORITIZES] != 0:
            s.flag_single(graph, state, low, agent, cost)
        if bound > cost and s.fill_layers(graph, state, low, agent, bound, horizon) == s.NO_ROOM:
            cost = np.int64(s.NO_ROOM)
        else:
            place, time = s.best_arrival(goal, occupant, low, end, bound, horizon)
    for other in range(planned):
        if other != agent:
            place_agent(state, other, False)
    control[t.LOW_EXPANDED] += low.counts[0]
    control[t.LOW_GENERATED] += low.counts[1]
    low.counts[:] = 0
    if cost < 0:
        return cost
    length[agent] = time
    while place >= 0:
        current[agent, time] = low.layers[s.LAYER_CELL, place]
        place = np.int64(low.layers[s.LAYER_PARENT, place])
        time -= 1
    return cost if t.store_path(tree, control, node, agent, state) else np.int64(s.NO_ROOM)


@helper
def is_in_the_way(state, agent, time, cell, to):
    """Return whether the path of an agent breaks the demand that another one is in a cell, or moves from it to `to`."""
    current, last = state.current, state.length[agent]
    here = np.int64(current[agent, min(time, last)])
    if to < 0:
        return here == cell
    before = np.int64(current[agent, min(time - 1, last)])
    return here == to or before == cell or (before == to and here == cell)


@helper
def evaluate(graph, state, tree, found, node, parent, control):
    """Write the cost, the lower bound and the number of conflicts of a node whose paths are those of the state."""
    nodes = tree.nodes
    cost, bound = np.int64(0), np.int64(0)
    for agent in range(state.length.size):
        if control[t.IS_MAKESPAN] != 0:
            cost, bound = max(cost, state.length[agent]), max(bound, state.lower[agent])
        else:
            cost, bound = cost + state.length[agent], bound + state.lower[agent]
    if parent >= 0:
        bound = max(bound, np.int64(nodes[parent, t.BOUND]))
    nodes[node, t.COST], nodes[node, t.BOUND], nodes[node, t.KEY] = cost, bound, max(cost, bound)
    nodes[node, t.CONFLICTS] = find_conflicts(graph.owner, state, found, False)


@helper
def make_root(graph, state, low, tree, found, factor, control):
    """Plan all agents, one after the other. Return 0, or `NO_ROOM`."""
    root = t.add_node(tree.nodes, control, -1)
    state.lower[:] = 0
    state.length[:] = s.NEVER
    state.single[:] = 0
    for agent in range(state.length.size):
        if plan_agent(graph, state, low, tree, root, agent, agent, factor, control) < 0:
            return np.int64(s.NO_ROOM)
    evaluate(graph, state, tree, found, root, -1, control)
    control[t.CONFLICTS_OF_ROOT] = tree.nodes[root, t.CONFLICTS]
    t.open_node(tree, control, root)
    return np.int64(0)


@helper
def make_child(graph, state, low, tree, found, node, agent, is_demand, chosen, factor, control):
    """Make the child in which an agent avoids its part of a conflict, or in which it takes part and others avoid it.

    Returns the child, `NO_PATH` or `NO_ROOM`. The paths of the state are then those of the child.
    """
    child = t.add_node(tree.nodes, control, node)
    time, cell, before = chosen[AT_TIME], chosen[IN_CELL], chosen[FROM_CELL]
    at, to = cell, np.int64(s.FORBIDDEN)
    if before >= 0:
        at, to = (before, cell) if agent == chosen[FIRST] else (cell, before)
    fields = tree.nodes[child]
    fields[t.CONSTRAINED], fields[t.CONSTRAINT_TIME], fields[t.IS_DEMAND] = agent, time, is_demand
    fields[t.CONSTRAINT_CELL], fields[t.CONSTRAINT_TO] = at, to
    for other in range(state.length.size):
        changes = other == agent
        if is_demand:
            changes = not changes and is_in_the_way(state, other, time, at, to)
        if changes:
            cost = plan_agent(graph, state, low, tree, child, other, state.length.size, factor, control)
            if cost < 0:
                return cost
    evaluate(graph, state, tree, found, child, node, control)
    return child


@helper
def bypass(graph, state, low, tree, node, child, control):
    """Give the constraint of a child up, and keep its paths: it has the cost of its parent and fewer conflicts.

    Its flags of single cells depended on the constraint. Returns 0, or `NO_ROOM`.
    """
    tree.nodes[child, t.CONSTRAINED] = -1
    if control[t.PRIORITIZES] == 0:
        return np.int64(0)
    record = np.int64(tree.nodes[child, t.PATHS])
    while record >= 0:
        agent = tree.pool[record + t.PATH_AGENT]
        cost = state.length[agent]
        if t.collect_rows(tree.nodes, node, agent, low) == s.NO_ROOM:
            return np.int64(s.NO_ROOM)
        if s.fill_layers(graph, state, low, agent, cost, np.int64(-1)) == s.NO_ROOM:
            return np.int64(s.NO_ROOM)
        s.flag_single(graph, state, low, agent, cost)
        t.write_cells(tree.pool, record, state)
        record = np.int64(tree.pool[record + t.NEXT])
    return np.int64(0)


@helper
def expand_node(graph, state, low, tree, found, chosen, node, factor, control):
    """Resolve a conflict of a node whose paths are those of the state. Return 0, or `NO_ROOM`."""
    nodes = tree.nodes
    is_disjoint = control[t.IS_DISJOINT] != 0
    children = (np.int64(-1), np.int64(-1))
    for number in range(2):
        agent = chosen[FIRST] if number == 0 or is_disjoint else chosen[SECOND]
        if number > 0:
            t.load_paths(tree, node, state)
        nodes_before, pool_before = control[t.NODES], control[t.POOL]
        is_demand = is_disjoint and number == 0
        child = make_child(graph, state, low, tree, found, node, agent, is_demand, chosen, factor, control)
        if child == s.NO_ROOM:
            return np.int64(s.NO_ROOM)
        control[t.GENERATED] += 1
        if child == s.NO_PATH:
            control[t.NODES], control[t.POOL] = nodes_before, pool_before
            continue
        is_as_cheap = nodes[child, t.KEY] == nodes[node, t.KEY] and nodes[child, t.COST] == nodes[node, t.COST]
        if control[t.BYPASSES] != 0 and is_as_cheap and nodes[child, t.CONFLICTS] < nodes[node, t.CONFLICTS]:
            if children[0] >= 0:
                nodes[children[0], t.IS_CLOSED] = 1  # it is given up, too
            if bypass(graph, state, low, tree, node, child, control) == s.NO_ROOM:
                return np.int64(s.NO_ROOM)
            children = (child, np.int64(-1))
            break
        children = (child, np.int64(-1)) if number == 0 else (children[0], child)
    for child in children:
        if child >= 0:
            t.open_node(tree, control, child)
    nodes[node, t.IS_CLOSED] = 1
    return np.int64(0)


@kernel(f"int64({s.GRAPH}, {s.STATE}, {s.LOW}, {t.TREE}, int64[::1], int64[::1], float64)")
def expand_tree(graph, state, low, tree, found, control, factor):
    """Expand nodes until the budget ends. A node without conflicts ends the search.

    Returns a `StepStatus`, or `UNGUIDED` after it has taken a node that needs a heuristic first.
    """
    graph, state, low, tree = s.TeamGraph(*graph), s.State(*state), s.Low(*low), t.ConstraintTree(*tree)
    is_new = control[t.BUDGET] > 0 and control[t.NODES] == 0
    if is_new and make_root(graph, state, low, tree, found, factor, control) == s.NO_ROOM:
        control[t.NODES], control[t.POOL] = 0, 0
        return StepStatus.OUT_OF_MEMORY.value
    while control[t.BUDGET] > 0:
        node = t.select(tree, control, factor)
        if node < 0:
            return StepStatus.EXHAUSTED.value
        control[t.SELECTED] = node
        t.load_paths(tree, node, state)
        if find_conflicts(graph.owner, state, found, control[t.PRIORITIZES] != 0) == 0:
            return StepStatus.SOLVED.value
        chosen = found[:FIRST_PAIR].copy()
        before = control.copy()
        is_full = control[t.NODES] + 2 > tree.nodes.shape[0]
        if control[t.HEURISTIC] != 0 and tree.nodes[node, t.IS_GUIDED] == 0 and not is_full:
            return UNGUIDED
        if is_full or expand_node(graph, state, low, tree, found, chosen, node, factor, control) == s.NO_ROOM:
            control[:] = before
            t.push(tree, control, t.FOCAL, node)
            return StepStatus.OUT_OF_MEMORY.value
        control[t.EXPANDED] += 1
        control[t.BUDGET] -= 1
    return StepStatus.RUNNING.value
