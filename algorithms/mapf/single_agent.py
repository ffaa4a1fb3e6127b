"""Low level of conflict-based search: the cheapest path of one agent that keeps constraints, with the fewest conflicts.

Time is the depth: the search fills one layer of cells for each time, and keeps a cell only if the agent can still
arrive by a bound on the cost. The bound grows until a path is found, as in iterative deepening. In each layer a cell
has the fewest conflicts with the other agents on a path to it, so that among all paths within the bound one with the
fewest conflicts is found. At the smallest bound the layers are the multi-valued decision diagram of the agent.

A constraint is a row (time, cell, to): not in `cell` at `time` if `to` is `FORBIDDEN`, in `cell` at `time` if it is
`DEMANDED`, else not from `cell` to `to` arriving at `time`. Rows are sorted by time; those of time t begin at
`row_first[t]`, up to a last time.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import helper

FORBIDDEN, DEMANDED = -1, -2
TIME, CELL, TO = range(3)
NO_PATH, NO_ROOM = -1, -2
"""Results in place of a cost: the constraints leave no path; an array is too small."""
LAYER_CELL, LAYER_CONFLICTS, LAYER_PARENT, IS_USEFUL, LAYER_ROWS = range(5)
"""Rows of the array of layers: cell, fewest conflicts, place of the cell before, whether it is on a path."""
NEVER = 1 << 30


@helper
def is_forbidden(rows, first, last, cell, to):
    """Return whether one of the constraints `first` to `last` (exclusive), of one time, forbids to move, or to wait."""
    for row in range(first, last):
        kind = rows[row, TO]
        if kind == FORBIDDEN and rows[row, CELL] == to:
            return True
        if kind == DEMANDED and rows[row, CELL] != to:
            return True
        if kind >= 0 and kind == to and rows[row, CELL] == cell:
            return True
    return False


@helper
def is_allowed(rows, row_first, latest, time, cell, to):
    """Return whether the constraints allow a step that arrives at a time."""
    return time > latest or not is_forbidden(rows, row_first[time], row_first[time + 1], cell, to)


@helper
def earliest_end(rows, latest, row_first, goal):
    """Return the first time from which on the constraints let the agent stay at its goal."""
    end = np.int64(0)
    for row in range(row_first[latest + 1] if latest >= 0 else 0):
        is_goal = rows[row, CELL] == goal
        if (rows[row, TO] == FORBIDDEN and is_goal) or (rows[row, TO] == DEMANDED and not is_goal):
            end = np.int64(rows[row, TIME]) + 1
    return end


@helper
def step_conflicts(occupant, owner, current, length, horizon, time, cell, to):
    """Return 1 if a step that arrives at a time meets another agent in its cell, or exchanges cells with one; else 0.

    `occupant` has the number of an agent in each cell at each time, plus 1; beyond `horizon` all agents rest.
    `owner` has the agent whose goal a cell is, or -1, and `length` when it arrives there.
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
def fill_layers(neighbours, distance, start, bound, rows, row_first, latest, traffic, layers, first, mark, counts):
    """Fill the layers of all times up to a bound on the cost.

    Returns the smallest larger bound with which more could be reached, `NEVER` if there is none, or `NO_ROOM`.
    """
    occupant, owner, current, length, horizon = traffic
    if bound + 2 >= first.size:
        return np.int64(NO_ROOM)
    layers[LAYER_CELL, 0] = start
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
                if to < 0 or not is_allowed(rows, row_first, latest, time, cell, to):
                    continue
                f = time + np.int64(distance[to])
                if f > bound:
                    beyond = min(beyond, f)
                    continue
                value = layers[LAYER_CONFLICTS, place]
                value += step_conflicts(occupant, owner, current, length, horizon, time, cell, to)
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
def mark_useful(neighbours, cost, rows, row_first, latest, layers, first, mark):
    """Mark the cells of the layers on paths that arrive at a time, which is the bound of the layers."""
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
                to = cell if move == 4 else np.int64(neighbours[cell, move])
                if to < 0:
                    continue
                known = np.int64(mark[to])
                leads_on = begin <= known < end and layers[LAYER_CELL, known] == to and layers[IS_USEFUL, known] != 0
                if leads_on and is_allowed(rows, row_first, latest, time, cell, to):
                    layers[IS_USEFUL, place] = 1
                    break


@helper
def shortest_cost(
    neighbours, distance, start, goal, at_least, rows, row_first, latest, traffic, layers, first, mark, counts
):
    """Return the smallest cost of a path, `NO_PATH` or `NO_ROOM`. The layers are then those of this bound."""
    end = earliest_end(rows, latest, row_first, goal)
    bound = max(np.int64(at_least), np.int64(distance[start]), end)
    while bound < NEVER:
        beyond = fill_layers(
            neighbours, distance, start, bound, rows, row_first, latest, traffic, layers, first, mark, counts
        )
        if beyond == NO_ROOM:
            return np.int64(NO_ROOM)
        if first[bound + 1] > first[bound]:
            return bound
        bound = beyond
    return np.int64(NO_PATH)


@helper
def best_arrival(goal, bound, rows, row_first, latest, traffic, layers, first):
    """Return the place of the arrival with the fewest conflicts, those of its stay at the goal included.

    The layers reach up to `bound`. Among equal arrivals the earliest one is taken.
    """
    occupant, _, _, _, horizon = traffic
    end = earliest_end(rows, latest, row_first, goal)
    best, fewest = np.int64(-1), np.int64(NEVER)
    passing = np.int64(0)
    for time in range(max(bound, horizon), -1, -1):
        if time <= bound and time >= end:
            for place in range(first[time], first[time + 1]):
                if layers[LAYER_CELL, place] == goal and layers[LAYER_CONFLICTS, place] + passing <= fewest:
                    best, fewest = np.int64(place), np.int64(layers[LAYER_CONFLICTS, place]) + passing
        if time <= horizon and occupant[time, goal] != 0:
            passing += 1
    return best


@helper
def time_of(place, first):
    """Return the time of the layer of a place."""
    time = np.int64(0)
    while first[time + 1] <= place:
        time += 1
    return time
