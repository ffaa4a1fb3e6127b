"""Safe interval path planning: the earliest arrival of one agent at its goal around reserved paths.

A safe interval is a longest span of time in which no reserved path is in a cell. A state of the search is a safe
interval, reached as early as possible; waiting is implicit. It is A* with the distances on the empty map, by g + h,
the newest first among equals. Source: Phillips and Likhachev, SIPP: Safe Interval Path Planning for Dynamic
Environments, ICRA 2011.

The reservation table is the list of the safe intervals of each cell, in the order of time. An agent that leaves a cell
for another one begins a safe interval there. So exchanges need no table: who enters the interval when it begins must
not come from the cell to which that agent has gone (`LEFT_FOR`).

The open list has a stack for each f, linked through the rows of the intervals.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control_open_list as queue
from worlds.compile import helper

FOREVER = 2**31 - 2
"""Last time of an interval without end."""
NONE = -1

# Columns of the table of intervals. ROUND is the number of the search whose values the next four are.
(
    CELL, BEGIN, LAST, LEFT_FOR, FOLLOWING,
    ROUND, ARRIVAL, PARENT, ABOVE, BELOW,
    COLUMNS,
) = range(11)  # fmt: skip

# Entries of the control array. TOP: largest f in the open list. HORIZON: last time of a reserved move.
(
    INTERVALS, SEARCHES, LOWEST, TOP, HORIZON, REACHED, LOW_LEVEL_EXPANDED, LOW_LEVEL_GENERATED,
    OWN,
) = range(queue.END, queue.END + 9)  # fmt: skip


@helper
def clear_reservations(control, intervals, first):
    """Make all cells safe for ever."""
    for cell in range(first.size):
        first[cell] = cell
        intervals[cell, CELL] = cell
        intervals[cell, BEGIN] = 0
        intervals[cell, LAST] = FOREVER
        intervals[cell, LEFT_FOR] = NONE
        intervals[cell, FOLLOWING] = NONE
    control[INTERVALS] = first.size
    control[HORIZON] = 0


@helper
def begin_search(control, intervals, first, stacks, distances, agent, start):
    """Open the start. `stacks`, which is empty, has room for f up to HORIZON + 2 * cells."""
    control[SEARCHES] += 1
    control[LOWEST] = distances[agent, start]
    control[TOP] = NONE
    control[REACHED] = NONE
    interval = np.int64(first[start])  # it begins at time 0: the other agents are at their own starts then
    intervals[interval, PARENT] = NONE
    push(control, intervals, stacks, interval, np.int64(0), control[LOWEST])


@helper
def push(control, intervals, stacks, interval, arrival, f):
    """Put an interval on the stack of its f."""
    intervals[interval, ROUND] = control[SEARCHES]
    intervals[interval, ARRIVAL] = arrival
    intervals[interval, ABOVE] = NONE
    intervals[interval, BELOW] = stacks[f]
    if stacks[f] != NONE:
        intervals[stacks[f], ABOVE] = interval
    stacks[f] = interval
    control[TOP] = max(control[TOP], f)


@helper
def remove(intervals, stacks, interval, f):
    """Take an interval from the stack of its f."""
    above, below = intervals[interval, ABOVE], intervals[interval, BELOW]
    if above == NONE:
        stacks[f] = below
    else:
        intervals[above, BELOW] = below
    if below != NONE:
        intervals[below, ABOVE] = above


@helper
def search_on(control, neighbours, intervals, first, stacks, distances, agent, goal, budget):
    """Run at most `budget` expansions, and return how many are left; any are left only at the end of the search.

    REACHED is then the last interval of the goal, or NONE if it cannot be reached.
    """
    while budget > 0:
        while control[LOWEST] <= control[TOP] and stacks[control[LOWEST]] == NONE:
            control[LOWEST] += 1
        if control[LOWEST] > control[TOP]:
            return budget
        interval = np.int64(stacks[control[LOWEST]])
        remove(intervals, stacks, interval, control[LOWEST])
        cell = np.int64(intervals[interval, CELL])
        if cell == goal and intervals[interval, LAST] == FOREVER:
            control[REACHED] = interval
            for f in range(control[LOWEST], control[TOP] + 1):
                stacks[f] = NONE
            return budget
        budget -= 1
        control[LOW_LEVEL_EXPANDED] += 1
        earliest = np.int64(intervals[interval, ARRIVAL]) + 1
        latest = np.int64(intervals[interval, LAST]) + 1
        for move in range(4):
            to = neighbours[cell, move]
            if to == NONE:
                continue
            h = np.int64(distances[agent, to])
            other = np.int64(first[to])
            while other != NONE and intervals[other, BEGIN] <= latest:
                begin = np.int64(intervals[other, BEGIN])
                arrival = max(earliest, begin)
                is_exchange = arrival == begin and intervals[other, LEFT_FOR] == cell
                if arrival <= intervals[other, LAST] and arrival <= latest and not is_exchange:
                    control[LOW_LEVEL_GENERATED] += 1
                    is_new = intervals[other, ROUND] != control[SEARCHES]
                    if is_new or arrival < intervals[other, ARRIVAL]:
                        if not is_new:  # it is open, because h is consistent
                            remove(intervals, stacks, other, intervals[other, ARRIVAL] + h)
                        intervals[other, PARENT] = interval
                        push(control, intervals, stacks, other, arrival, arrival + h)
                other = np.int64(intervals[other, FOLLOWING])
    return budget


@helper
def reserve_path(control, intervals, first, path_of, agent):
    """Write the path to REACHED into the row of an agent, and take it out of the safe intervals.

    It waits in a cell until it must leave. There is room for a new interval for each on the path.
    """
    interval = control[REACHED]
    control[HORIZON] = max(control[HORIZON], intervals[interval, ARRIVAL])
    last, left_for = np.int64(FOREVER), np.int64(NONE)
    while interval != NONE:
        parent = np.int64(intervals[interval, PARENT])
        arrival, cell = np.int64(intervals[interval, ARRIVAL]), np.int64(intervals[interval, CELL])
        path_of[agent, arrival : last + 1] = cell
        reserve(control, intervals, first, interval, arrival, last, left_for)
        last, left_for, interval = arrival - 1, cell, parent


@helper
def reserve(control, intervals, first, interval, arrival, last, left_for):
    """Take the times from an arrival to a last one out of a safe interval; the agent then leaves for a cell."""
    is_safe_before = intervals[interval, BEGIN] < arrival
    is_safe_after = last < intervals[interval, LAST]
    rest = interval
    if is_safe_before and is_safe_after:
        rest = control[INTERVALS]
        control[INTERVALS] += 1
        intervals[rest, CELL] = intervals[interval, CELL]
        intervals[rest, LAST] = intervals[interval, LAST]
        intervals[rest, FOLLOWING] = intervals[interval, FOLLOWING]
        intervals[rest, ROUND] = 0
        intervals[interval, FOLLOWING] = rest
    if is_safe_before:
        intervals[interval, LAST] = arrival - 1
    if is_safe_after:
        intervals[rest, BEGIN] = last + 1
        intervals[rest, LEFT_FOR] = left_for
    if not is_safe_before and not is_safe_after:
        unlink(intervals, first, interval)


@helper
def unlink(intervals, first, interval):
    """Take an interval out of the list of its cell."""
    cell, following = intervals[interval, CELL], intervals[interval, FOLLOWING]
    if first[cell] == interval:
        first[cell] = following
        return
    before = np.int64(first[cell])
    while intervals[before, FOLLOWING] != interval:
        before = np.int64(intervals[before, FOLLOWING])
    intervals[before, FOLLOWING] = following
