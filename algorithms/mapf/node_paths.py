"""Paths of the nodes of a tree of constraints: those of the root, and those that change in a child."""

from __future__ import annotations

import numpy as np

from algorithms.mapf.conflicts import AT_TIME, FIRST, FROM_CELL, IN_CELL, find_conflicts, place_agent
from algorithms.mapf.constraint_tree import (
    CONFLICTS_OF_ROOT,
    IS_MAKESPAN,
    LOW_EXPANDED,
    LOW_GENERATED,
    NEXT,
    PATH_AGENT,
    PATH_CELLS,
    PATH_COST,
    PRIORITIZES,
    add_node,
    open_node,
    store_path,
)
from algorithms.mapf.constraints import (
    BOUND,
    CONFLICTS,
    CONSTRAINED,
    CONSTRAINT_CELL,
    CONSTRAINT_TIME,
    CONSTRAINT_TO,
    COST,
    IS_DEMAND,
    KEY,
    PATHS,
    collect_rows,
)
from algorithms.mapf.single_agent import (
    FORBIDDEN,
    IS_USEFUL,
    LAYER_CELL,
    LAYER_PARENT,
    NEVER,
    NO_ROOM,
    best_arrival,
    fill_layers,
    mark_useful,
    shortest_cost,
    time_of,
)
from worlds.compile.kernel import helper


@helper
def flag_single(cost, layers, first, single, agent):
    """Write for each time whether all shortest paths of an agent are in one cell."""
    for time in range(cost + 1):
        useful = 0
        for place in range(first[time], first[time + 1]):
            useful += layers[IS_USEFUL, place]
        single[agent, time] = 1 if useful == 1 else 0


@helper
def plan_agent(graph, state, low, tree, node, agent, planned, factor, control):
    """Plan the path of an agent under the constraints of a node, around the first `planned` of the others.

    Returns its cost, `NO_PATH` or `NO_ROOM`.
    """
    neighbours, distances, starts, goals, owner = graph
    current, single, length, lower, occupant = state
    layers, first, mark, raw, rows, row_first, counts = low
    nodes, _, _ = tree
    latest = collect_rows(nodes, node, agent, raw, rows, row_first)
    if latest == NO_ROOM:
        return np.int64(NO_ROOM)
    at_least = lower[agent]
    length[agent] = 0  # for the horizon
    horizon = np.int64(0)
    for other in range(planned):
        horizon = max(horizon, np.int64(length[other]))
    for other in range(planned):
        if other != agent:
            place_agent(occupant, current, length, other, True)
    length[agent] = NEVER  # it does not meet itself
    traffic = (occupant, owner, current, length, horizon)
    distance = distances[agent]
    cost = shortest_cost(
        neighbours, distance, starts[agent], goals[agent], at_least, rows, row_first, latest, traffic, layers, first,
        mark, counts,
    )  # fmt: skip
    place = np.int64(-1)
    if cost >= 0:
        lower[agent] = cost
        bound = np.int64(factor * cost + 1e-9)
        if control[PRIORITIZES] != 0:
            mark_useful(neighbours, cost, rows, row_first, latest, layers, first, mark)
            flag_single(cost, layers, first, single, agent)
        if bound > cost:
            beyond = fill_layers(
                neighbours, distance, starts[agent], bound, rows, row_first, latest, traffic, layers, first, mark,
                counts,
            )  # fmt: skip
            cost = beyond if beyond == NO_ROOM else cost
        if cost >= 0:
            place = best_arrival(goals[agent], bound, rows, row_first, latest, traffic, layers, first)
    for other in range(planned):
        if other != agent:
            place_agent(occupant, current, length, other, False)
    if cost >= 0:
        time = time_of(place, first)
        length[agent] = time
        while place >= 0:
            current[agent, time] = layers[LAYER_CELL, place]
            place = np.int64(layers[LAYER_PARENT, place])
            time -= 1
    control[LOW_EXPANDED] += counts[0]
    control[LOW_GENERATED] += counts[1]
    counts[:] = 0
    return cost


@helper
def is_in_the_way(current, length, agent, time, cell, to):
    """Return whether the path of an agent breaks the demand that another one is in a cell, or moves from it to `to`."""
    here = np.int64(current[agent, min(time, length[agent])])
    if to < 0:
        return here == cell
    before = np.int64(current[agent, min(time - 1, length[agent])])
    return here == to or before == cell or (before == to and here == cell)


@helper
def evaluate(tree, state, found, owner, node, parent, control):
    """Write the cost, the lower bound and the number of conflicts of a node whose paths are those of the state."""
    nodes, _, _ = tree
    current, single, length, lower, occupant = state
    cost, bound = np.int64(0), np.int64(0)
    for agent in range(length.size):
        if control[IS_MAKESPAN] != 0:
            cost, bound = max(cost, np.int64(length[agent])), max(bound, np.int64(lower[agent]))
        else:
            cost, bound = cost + length[agent], bound + lower[agent]
    if parent >= 0:
        bound = max(bound, np.int64(nodes[parent, BOUND]))
    nodes[node, COST], nodes[node, BOUND], nodes[node, KEY] = cost, bound, max(cost, bound)
    nodes[node, CONFLICTS] = find_conflicts(occupant, owner, current, length, single, found, False)


@helper
def make_root(graph, state, low, tree, found, factor, control):
    """Plan all agents, one after the other. Return 0, or `NO_ROOM`."""
    nodes, pool, heaps = tree
    current, single, length, lower, _ = state
    root = add_node(nodes, control, -1)
    lower[:] = 0
    length[:] = NEVER
    single[:] = 0
    for agent in range(length.size):
        cost = plan_agent(graph, state, low, tree, root, agent, agent, factor, control)
        if cost < 0 or not store_path(nodes, pool, control, root, agent, current, single, length, lower):
            return np.int64(NO_ROOM)
    evaluate(tree, state, found, graph[4], root, -1, control)
    control[CONFLICTS_OF_ROOT] = nodes[root, CONFLICTS]
    open_node(nodes, heaps, control, root)
    return np.int64(0)


@helper
def make_child(graph, state, low, tree, found, node, agent, is_demand, chosen, factor, control):
    """Make the child in which an agent avoids its part of a conflict, or in which it takes part and others avoid it.

    Returns the child, `NO_PATH` or `NO_ROOM`. The paths of the state are then those of the child.
    """
    nodes, pool, _ = tree
    current, single, length, lower, _ = state
    child = add_node(nodes, control, node)
    time, cell, before = chosen[AT_TIME], chosen[IN_CELL], chosen[FROM_CELL]
    nodes[child, CONSTRAINED], nodes[child, CONSTRAINT_TIME] = agent, time
    nodes[child, IS_DEMAND] = 1 if is_demand else 0
    if before < 0:
        nodes[child, CONSTRAINT_CELL], nodes[child, CONSTRAINT_TO] = cell, FORBIDDEN
    elif agent == chosen[FIRST]:
        nodes[child, CONSTRAINT_CELL], nodes[child, CONSTRAINT_TO] = before, cell
    else:
        nodes[child, CONSTRAINT_CELL], nodes[child, CONSTRAINT_TO] = cell, before
    for other in range(length.size):
        if is_demand:
            at, to = np.int64(nodes[child, CONSTRAINT_CELL]), np.int64(nodes[child, CONSTRAINT_TO])
            changes = other != agent and is_in_the_way(current, length, other, time, at, to)
        else:
            changes = other == agent
        if not changes:
            continue
        cost = plan_agent(graph, state, low, tree, child, other, length.size, factor, control)
        if cost < 0:
            return cost
        if not store_path(nodes, pool, control, child, other, current, single, length, lower):
            return np.int64(NO_ROOM)
    evaluate(tree, state, found, graph[4], child, node, control)
    return child


@helper
def bypass(graph, state, low, tree, node, child, factor, control):
    """Give the constraint of a child up, and keep its paths: it has the cost of its parent and fewer conflicts.

    Its flags of single cells depended on the constraint. Returns 0, or `NO_ROOM`.
    """
    nodes, pool, _ = tree
    current, single, length, _lower, _ = state
    neighbours, distances, starts, _goals, owner = graph
    layers, first, mark, raw, rows, row_first, counts = low
    nodes[child, CONSTRAINED] = -1
    if control[PRIORITIZES] == 0:
        return np.int64(0)
    record = np.int64(nodes[child, PATHS])
    while record >= 0:
        agent = pool[record + PATH_AGENT]
        latest = collect_rows(nodes, node, agent, raw, rows, row_first)
        if latest == NO_ROOM:
            return np.int64(NO_ROOM)
        cost = np.int64(pool[record + PATH_COST])
        traffic = (state[4], owner, current, length, np.int64(-1))
        if fill_layers(
            neighbours, distances[agent], starts[agent], cost, rows, row_first, latest, traffic, layers, first, mark,
            counts,
        ) == NO_ROOM:  # fmt: skip
            return np.int64(NO_ROOM)
        mark_useful(neighbours, cost, rows, row_first, latest, layers, first, mark)
        flag_single(cost, layers, first, single, agent)
        for time in range(cost + 1):
            pool[record + PATH_CELLS + time] = (pool[record + PATH_CELLS + time] >> 1) * 2 + single[agent, time]
        record = np.int64(pool[record + NEXT])
    return np.int64(0)
