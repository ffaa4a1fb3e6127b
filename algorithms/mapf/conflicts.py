"""Conflicts between the paths of agents: a table of who is where, all conflicts of a node, and which one to resolve.

The table is `occupant` (`algorithms.mapf.single_agent`). Agents that have arrived are not in it.
"""

from __future__ import annotations

import numpy as np

from worlds.compile import helper

FIRST, SECOND, AT_TIME, IN_CELL, FROM_CELL, RANK, NUMBER, FIRST_PAIR = range(8)
"""A conflict: agents, time, cell that both enter, or, if they exchange cells, that the first one enters, and the cell
that it leaves (else -1). RANK: how many of the agents could avoid it at no cost; none if it is cardinal (Boyarski et
al., IJCAI 2015). NUMBER: number of conflicts of the node. From FIRST_PAIR on, the two agents of each conflict, as far
as there is room."""


@helper
def place_agent(state, agent, is_placed):
    """Write the path of an agent into the table, up to its arrival, or take it out."""
    for time in range(state.length[agent]):
        state.occupant[time, state.current[agent, time]] = agent + 1 if is_placed else 0


@helper
def forced(state, agent, time):
    """Return whether all shortest paths of an agent are in the same cell at a time."""
    return time >= state.length[agent] or state.single[agent, time] != 0


@helper
def consider(found, state, first, second, time, cell, before, is_ranked):
    """Count a conflict, and keep it if it is the best to resolve: cardinal ones first if ranked, then the earliest."""
    found[NUMBER] += 1
    one, two = min(first, second), max(first, second)
    pair = FIRST_PAIR + 2 * (found[NUMBER] - 1)
    if pair + 1 < found.size:
        found[pair], found[pair + 1] = one, two
    rank = np.int64(0)
    if is_ranked:
        for agent in (one, two):
            is_forced = forced(state, agent, time) and (before < 0 or forced(state, agent, time - 1))
            rank += 0 if is_forced else 1
    is_better = found[NUMBER] == 1 or (rank, time, one, two) < (
        found[RANK],
        found[AT_TIME],
        found[FIRST],
        found[SECOND],
    )
    if is_better:
        found[FIRST], found[SECOND], found[AT_TIME], found[RANK] = one, two, time, rank
        found[IN_CELL], found[FROM_CELL] = cell, before
        if before >= 0 and first != one:
            found[IN_CELL], found[FROM_CELL] = before, cell


@helper
def find_conflicts(owner, state, found, is_ranked):
    """Find the conflicts of all paths, and the one to resolve. The table is empty before and afterwards.

    If more than two agents are in a cell, some of their conflicts are found only when others are resolved.
    """
    current, length, occupant = state.current, state.length, state.occupant
    found[:FIRST_PAIR] = 0
    for agent in range(length.size):
        for time in range(length[agent] + 1):
            cell = np.int64(current[agent, time])
            resting = np.int64(owner[cell])
            if resting >= 0 and resting != agent and length[resting] <= time:
                consider(found, state, agent, resting, time, cell, np.int64(-1), is_ranked)
            known = np.int64(occupant[time, cell])
            if known != 0 and time < length[agent]:  # at the goal, the other one was found to pass it
                consider(found, state, known - 1, agent, time, cell, np.int64(-1), is_ranked)
            elif time > 0:
                before = np.int64(current[agent, time - 1])
                other = np.int64(occupant[time - 1, cell]) - 1
                if before != cell and other >= 0 and time <= length[other] and current[other, time] == before:
                    consider(found, state, agent, other, time, cell, before, is_ranked)
        place_agent(state, agent, True)
    for agent in range(length.size):
        place_agent(state, agent, False)
    return found[NUMBER]
