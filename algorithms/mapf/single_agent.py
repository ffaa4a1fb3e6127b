"""Low level of conflict-based search: the cheapest path of one agent that keeps constraints, with the fewest conflicts.

Time is the depth: the search fills one layer of cells for each time, and keeps a cell only if the agent can still
arrive by a bound on the cost. The bound grows until a path is found, as in iterative deepening. In each layer a cell
has the fewest conflicts with the other agents on a path to it, so that among all paths within the bound one with the
fewest conflicts is found. At the smallest bound the layers are the multi-valued decision diagram of the agent (Sharon,
Stern, Goldenberg, Felner, The Increasing Cost Tree Search for Optimal Multi-Agent Pathfinding, AIJ 195, 2013).

A constraint is a row (cell, to, before) of a time: not in `cell` if `to` is `FORBIDDEN`, in `cell` if it is `DEMANDED`,
else not from `cell` to `to`, arriving at that time. `heads` has the last row of each time, and `before` the one before
it, or -1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.compile import helper

FORBIDDEN, DEMANDED = -1, -2
CELL, TO, BEFORE, ROW_FIELDS = range(4)
NO_PATH, NO_ROOM = -1, -2
"""Results in place of a cost: the constraints leave no path; an array is too small."""
LAYER_CELL, IS_USEFUL, LAYER_CONFLICTS, LAYER_PARENT, LAYER_ROWS = range(5)
"""Rows of the array of layers: cell, whether it is on a path, fewest conflicts, place of the cell before."""
LINKS, LINKED_ROWS = 2, 7
"""A diagram has, from row LINKS on, in place of conflicts and places before: the place in the next layer to which each
move and the wait lead on a path, or -1."""
NEVER = 1 << 30


class TeamGraph(NamedTuple):
    """The map and the agents (`algorithms.mapf.team_search`), and the agent whose goal each cell is, or -1."""

    neighbours: NDArray[np.int32]
    distances: NDArray[np.int32]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    owner: NDArray[np.int32]


class State(NamedTuple):
    """Paths of the agents: cells by time, whether all cheapest paths are there, cost and lower bound of the cost.

    `occupant` has the number of an agent, plus 1, in each cell at each time; of several agents the last one. An agent
    that has arrived is not in this table.
    """

    current: NDArray[np.int32]
    single: NDArray[np.uint8]
    length: NDArray[np.int64]
    lower: NDArray[np.int64]
    occupant: NDArray[np.int32]


class Low(NamedTuple):
    """Scratch of the low level: layers, the first place of each, a place for each cell; constraints; its two counts."""

    layers: NDArray[np.int32]
    first: NDArray[np.int64]
    mark: NDArray[np.int32]
    rows: NDArray[np.int32]
    heads: NDArray[np.int32]
    counts: NDArray[np.int64]


GRAPH = "Tuple((int32[:, ::1], int32[:, ::1], int32[::1], int32[::1], int32[::1]))"
STATE = "Tuple((int32[:, ::1], uint8[:, ::1], int64[::1], int64[::1], int32[:, ::1]))"
LOW = "Tuple((int32[:, ::1], int64[::1], int32[::1], int32[:, ::1], int32[::1], int64[::1]))"


@helper
def is_forbidden(rows, heads, time, cell, to):
    """Return whether a constraint forbids to move, or to wait, arriving at a time."""
    row = heads[time]
    while row >= 0:
        kind = rows[row, TO]
        if kind == FORBIDDEN and rows[row, CELL] == to:
            return True
        if kind == DEMANDED and rows[row, CELL] != to:
            return True
        if kind >= 0 and kind == to and rows[row, CELL] == cell:
            return True
        row = rows[row, BEFORE]
    return False


@helper
def earliest_end(low, goal):
    """Return the first time from which on the constraints let the agent stay at its goal."""
    end = np.int64(low.heads.size)
    while end > 0 and not is_forbidden(low.rows, low.heads, end - 1, goal, goal):
        end -= 1
    return end


@helper
def step_conflicts(owner, current, length, occupant, horizon, time, cell, to):
    """Return 1 if a step that arrives at a time meets another agent in its cell, or exchanges cells with one; else 0.

    Beyond `horizon` all agents rest.
    """
    resting = owner[to]
    if resting >= 0 and length[resting] <= time:
        return 1
    if time > horizon:
        return 0
    if occupant[time, to] != 0:
        return 1
    if cell != to and occupant[time - 1, to] != 0:
        other = occupant[time - 1, to] - 1
        if time <= length[other] and current[other, time] == cell:
            return 1
    return 0


@helper
def fill_layers(graph, state, low, agent, bound, horizon):
    """Fill the layers of all times up to a bound on the cost.

    Returns the smallest larger bound with which more could be reached, `NEVER` if there is none, or `NO_ROOM`.
    """
    neighbours, distance, owner = graph.neighbours, graph.distances[agent], graph.owner
    current, length, occupant = state.current, state.length, state.occupant
    layers, first, mark, rows, heads, counts = low
    if bound + 2 >= first.size:
        return np.int64(NO_ROOM)
    layers[LAYER_CELL, 0] = graph.starts[agent]
    layers[LAYER_CONFLICTS, 0] = 0
    layers[LAYER_PARENT, 0] = -1
    first[0] = 0
    first[1] = 1
    size = np.int64(1)
    beyond = np.int64(NEVER)
    room = layers.shape[1]
    for time in range(1, bound + 1):
        begin = first[time]
        for place in range(first[time - 1], begin):
            counts[0] += 1
            cell = np.int64(layers[LAYER_CELL, place])
            for move in range(5):
                to = cell if move == 4 else np.int64(neighbours[cell, move])
                if to < 0 or is_forbidden(rows, heads, time, cell, to):
                    continue
                f = time + np.int64(distance[to])
                if f > bound:
                    beyond = min(beyond, f)
                    continue
                value = layers[LAYER_CONFLICTS, place]
                value += step_conflicts(owner, current, length, occupant, horizon, time, cell, to)
                known = np.int64(mark[to])
                if known < begin or known >= size or layers[LAYER_CELL, known] != to:
                    if size >= room:
                        return np.int64(NO_ROOM)
                    known = size
                    size += 1
                    counts[1] += 1
                    mark[to] = known
                    layers[LAYER_CELL, known] = to
                elif value >= layers[LAYER_CONFLICTS, known]:
                    continue
                layers[LAYER_CONFLICTS, known] = value
                layers[LAYER_PARENT, known] = place
        first[time + 1] = size
    return beyond


@helper
def mark_useful(neighbours, low, cost, are_linked):
    """Mark the places of the layers on paths that arrive at a time, which is the bound of the layers, or link them."""
    layers, first, mark, rows, heads, _ = low
    for place in range(first[cost + 1]):
        layers[IS_USEFUL, place] = 0
    for place in range(first[cost], first[cost + 1]):
        layers[IS_USEFUL, place] = 1
    for time in range(cost, 0, -1):
        begin, end = first[time], first[time + 1]
        for place in range(begin, end):
            mark[layers[LAYER_CELL, place]] = place
        for place in range(first[time - 1], begin):
            cell = np.int64(layers[LAYER_CELL, place])
            for move in range(5):
                if are_linked:
                    layers[LINKS + move, place] = -1
                to = cell if move == 4 else np.int64(neighbours[cell, move])
                if to < 0:
                    continue
                known = np.int64(mark[to])
                leads_on = begin <= known < end and layers[LAYER_CELL, known] == to and layers[IS_USEFUL, known] != 0
                if leads_on and not is_forbidden(rows, heads, time, cell, to):
                    layers[IS_USEFUL, place] = 1
                    if not are_linked:
                        break
                    layers[LINKS + move, place] = known


@helper
def only_place(low, time):
    """Return the only place of a layer that is on a path, or -1 if there are several."""
    found = np.int64(-1)
    for place in range(low.first[time], low.first[time + 1]):
        if low.layers[IS_USEFUL, place] != 0:
            if found >= 0:
                return np.int64(-1)
            found = np.int64(place)
    return found


@helper
def flag_single(graph, state, low, agent, cost):
    """Write for each time whether all cheapest paths of an agent, whose layers are filled, are in one cell."""
    mark_useful(graph.neighbours, low, cost, False)
    for time in range(cost + 1):
        state.single[agent, time] = only_place(low, time) >= 0


@helper
def shortest_cost(graph, state, low, agent, at_least, horizon):
    """Return the smallest cost of a path, `NO_PATH` or `NO_ROOM`. The layers are then those of this bound."""
    bound = max(at_least, np.int64(graph.distances[agent, graph.starts[agent]]))
    while bound < NEVER:
        beyond = fill_layers(graph, state, low, agent, bound, horizon)
        if beyond == NO_ROOM:
            return np.int64(NO_ROOM)
        if low.first[bound + 1] > low.first[bound]:
            return bound
        bound = beyond
    return np.int64(NO_PATH)


@helper
def best_arrival(goal, occupant, low, end, bound, horizon):
    """Return place and time of the arrival with the fewest conflicts, those of its stay at the goal included.

    The agent may stay from `end` on. Among equal arrivals the earliest one is taken.
    """
    layers, first = low.layers, low.first
    best, best_time, fewest = np.int64(-1), np.int64(-1), np.int64(NEVER)
    passing = np.int64(0)
    for time in range(max(bound, horizon), -1, -1):
        if end <= time <= bound:
            for place in range(first[time], first[time + 1]):
                if layers[LAYER_CELL, place] == goal and layers[LAYER_CONFLICTS, place] + passing <= fewest:
                    best, best_time = np.int64(place), np.int64(time)
                    fewest = np.int64(layers[LAYER_CONFLICTS, place]) + passing
        if time <= horizon and occupant[time, goal] != 0:
            passing += 1
    return best, best_time
