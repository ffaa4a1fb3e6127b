"""One joint step of a team by priority inheritance with backtracking (PIBT): where the agents go, one after the other.

An agent takes the free cell that is nearest to its goal. If another one is there that has not chosen yet, this one must
move away first: it inherits the priority. If it cannot, the agent tries its next cell. Source: Okumura, Machida, Défago
and Tamura, Priority inheritance with backtracking for iterative multi-agent path finding, AIJ 310, 2022.

Two agents that must pass each other in a corridor push each other back and forth for ever. With `swap`, one of them
backs off, away from its goal, and pulls the other one behind it until there is a cell where they can pass. Source:
Okumura, Improving LaCAM for scalable eventually optimal multi-agent pathfinding, IJCAI 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from algorithms.engine import next_random
from algorithms.mapf.team_search import TeamSearch
from worlds.compile import helper

# Rows of `team`, an array of int64 with a column for each agent. PULLED is the agent that follows it into the cell that
# it leaves, or -1. The last rows are the cells that it can enter.
(
    NOW, NEXT, SETTLED, SETTLES, ORDER, ELAPSED, RANK, GOAL, CHOICE_COUNT, TRIED, PULLED, STACK, SCRATCH, CHOICES,
) = range(14)  # fmt: skip
ROWS = CHOICES + 5
# Rows of `places`, an array of int32 with a column for each cell: the agent there now, and after the step; or -1.
OCCUPANT, TAKEN = 0, 1
MAP = "int32[:, ::1], int32[:, ::1]"
"""Numba types of `neighbours` and `distances`."""
TEAM = "int64[:, ::1], int32[:, ::1], int64[::1]"
"""Numba types of `team`, `places` and `control`."""
SWAP = q.END
"""Entry of the control array, behind that of random numbers: whether agents swap."""
OWN = SWAP + 1
"""First entry of the control array that is free."""


def step_arrays(
    search: TeamSearch, swap: bool, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return what kernels take as `TEAM`: the agents at their starts, the one with the longest way first.

    Parameters
    ----------
    search : TeamSearch
        The search that makes the steps.
    swap : bool
        Whether one of two agents that must pass each other backs off, and pulls the other one.
    seed : int
        Seed of the random choices among equally good cells.
    """
    agents = np.arange(search.starts.size)
    team = np.zeros((ROWS, agents.size), np.int64)
    team[NOW] = search.starts
    team[GOAL] = search.goals
    team[ORDER] = np.argsort(-search.lengths_alone, kind="stable")
    team[RANK, team[ORDER]] = agents
    places = np.full((2, search.neighbours.shape[0]), -1, np.int32)
    control = np.zeros(c.SIZE, np.int64)
    control[q.RANDOM], control[SWAP] = seed, swap
    return team, places, control


@helper
def begin_step(team, places):
    """Enter where the agents are. Settled ones stay."""
    for agent in range(team.shape[1]):
        team[NEXT, agent] = -1
        team[SETTLES, agent] = 0
        places[OCCUPANT, team[NOW, agent]] = agent
    for agent in range(team.shape[1]):
        if team[SETTLED, agent] != 0:
            reserve(team, places, agent, team[NOW, agent])
            team[SETTLES, agent] = 1


@helper
def end_step(team, places):
    """Clear `places`."""
    for agent in range(team.shape[1]):
        places[OCCUPANT, team[NOW, agent]] = -1
        if team[NEXT, agent] >= 0:
            places[TAKEN, team[NEXT, agent]] = -1


@helper
def reserve(team, places, agent, cell):
    """Let an agent go to a cell, unless another one does, or they would exchange cells. Return whether it can."""
    other = places[OCCUPANT, cell]
    if places[TAKEN, cell] >= 0:
        return False
    if other >= 0 and other != agent and team[NEXT, other] == team[NOW, agent]:
        return False
    team[NEXT, agent] = cell
    places[TAKEN, cell] = agent
    return True


@helper
def order_choices(neighbours, distances, team, places, control, agent):
    """Write the cells that an agent can enter: nearest to its goal first, then those without an agent, then random."""
    here = team[NOW, agent]
    count = 0
    for move in range(5):
        cell = here if move == 4 else np.int64(neighbours[here, move])
        if cell < 0:
            continue
        is_occupied = np.int64(cell != here and places[OCCUPANT, cell] >= 0)
        tie = np.int64(next_random(control) >> np.uint64(36))
        key = ((np.int64(distances[agent, cell]) * 2 + is_occupied) << 31) | (tie << 3) | move
        at = count
        while at > 0 and team[CHOICES + at - 1, agent] > key:
            team[CHOICES + at, agent] = team[CHOICES + at - 1, agent]
            at -= 1
        team[CHOICES + at, agent] = key
        count += 1
    for choice in range(CHOICES, CHOICES + count):
        move = team[choice, agent] & 7
        team[choice, agent] = here if move == 4 else neighbours[here, move]
    team[CHOICE_COUNT, agent] = count


@helper
def advance(team):
    """Make the step, and order the agents: the longest time away from the goal first, then the longest way."""
    agents = team.shape[1]
    for agent in range(agents):
        team[NOW, agent] = team[NEXT, agent]
        team[SETTLED, agent] = team[SETTLES, agent]
        team[ELAPSED, agent] = 0 if team[NOW, agent] == team[GOAL, agent] else team[ELAPSED, agent] + 1
    for place in range(1, agents):
        agent = team[ORDER, place]
        priority = team[ELAPSED, agent] * agents - team[RANK, agent]
        at = place
        while at > 0:
            before = team[ORDER, at - 1]
            if team[ELAPSED, before] * agents - team[RANK, before] > priority:
                break
            team[ORDER, at] = before
            at -= 1
        team[ORDER, at] = agent


@helper
def is_arrived(team):
    """Return whether all agents are at their goals."""
    for agent in range(team.shape[1]):
        if team[NOW, agent] != team[GOAL, agent]:
            return False
    return True


@helper
def consider(neighbours, distances, team, places, control, agent):
    """Order the cells that an agent tries: the best first, or the worst first if it backs off and pulls another one."""
    order_choices(neighbours, distances, team, places, control, agent)
    team[TRIED, agent] = 0
    team[PULLED, agent] = -1 if control[SWAP] == 0 else partner(neighbours, distances, team, places, agent)
    if team[PULLED, agent] >= 0:
        first = CHOICES
        last = CHOICES + team[CHOICE_COUNT, agent] - 1
        while first < last:
            team[first, agent], team[last, agent] = team[last, agent], team[first, agent]
            first += 1
            last -= 1


@helper
def partner(neighbours, distances, team, places, agent):
    """Return the agent that another one pulls, because they must pass each other and can do so behind it; or -1.

    It is in the cell that the other one wants, or it is beside it and would push it back out of that cell.
    """
    here = team[NOW, agent]
    wanted = team[CHOICES, agent]
    found = np.int64(-1)
    if wanted == here:
        return found
    ahead = np.int64(places[OCCUPANT, wanted])
    is_movable = ahead >= 0 and team[NEXT, ahead] < 0
    if is_movable and must_swap(neighbours, distances, team, places, agent, ahead, here, wanted):
        found = ahead
    for move in range(4):
        cell = np.int64(neighbours[here, move])
        if found >= 0 or cell < 0 or cell == wanted:
            continue
        beside = np.int64(places[OCCUPANT, cell])
        if beside >= 0 and must_swap(neighbours, distances, team, places, beside, agent, here, wanted):
            found = beside
    is_possible = found >= 0 and can_swap(neighbours, team, places, wanted, here)
    return found if is_possible else np.int64(-1)


@helper
def exits(neighbours, team, places, cell, entry):
    """Return how many neighbours of a cell one can go to, except the entry, and the last one.

    One cannot go into a dead end of one cell with an agent that has arrived.
    """
    count = 0
    last = np.int64(-1)
    for move in range(4):
        to = np.int64(neighbours[cell, move])
        if to < 0 or to == entry:
            continue
        occupant = places[OCCUPANT, to]
        if occupant >= 0 and team[GOAL, occupant] == to and is_dead_end(neighbours, to):
            continue
        count += 1
        last = to
    return count, last


@helper
def is_dead_end(neighbours, cell):
    """Return whether a cell has one neighbour."""
    count = 0
    for move in range(4):
        if neighbours[cell, move] >= 0:
            count += 1
    return count == 1


@helper
def must_swap(neighbours, distances, team, places, pusher, pulled, rear, front):
    """Return whether an agent that pushes another one from `front` on never gets past it: their ways are opposite."""
    while distances[pusher, front] < distances[pusher, rear]:
        count, to = exits(neighbours, team, places, front, rear)
        if count >= 2:
            return False
        if count == 0:
            break
        rear = front
        front = to
    is_opposite = distances[pulled, rear] < distances[pulled, front]
    return is_opposite and (distances[pusher, rear] == 0 or distances[pusher, front] < distances[pusher, rear])


@helper
def can_swap(neighbours, team, places, rear, front):
    """Return whether two agents that go on from `rear` to `front` come to a branch, where they can pass each other."""
    start = rear
    while front != start:
        count, to = exits(neighbours, team, places, front, rear)
        if count != 1:
            return count >= 2
        rear = front
        front = to
    return False


@helper
def assign(neighbours, distances, team, places, control, first):
    """Choose the next cell of an agent, and of those that inherit its priority. Return whether that is possible."""
    consider(neighbours, distances, team, places, control, first)
    team[STACK, 0] = first
    depth = 1
    while depth > 0:
        agent = team[STACK, depth - 1]
        heir = np.int64(-1)
        while heir < 0 and team[TRIED, agent] < team[CHOICE_COUNT, agent]:
            cell = team[CHOICES + team[TRIED, agent], agent]
            team[TRIED, agent] += 1
            if reserve(team, places, agent, cell):
                heir = np.int64(places[OCCUPANT, cell])
                if heir < 0 or team[NEXT, heir] >= 0:
                    pull(team, places, depth)
                    return True
        if heir >= 0:
            consider(neighbours, distances, team, places, control, heir)
            team[STACK, depth] = heir
            depth += 1
        else:  # it stays, where the agent that wanted its cell has entered it
            team[NEXT, agent] = team[NOW, agent]
            places[TAKEN, team[NOW, agent]] = agent
            depth -= 1
    return False


@helper
def pull(team, places, depth):
    """Let the agents on the stack that go to their first cell pull others into the cells that they leave."""
    for at in range(depth - 1, -1, -1):
        agent = team[STACK, at]
        pulled = team[PULLED, agent]
        if pulled >= 0 and team[TRIED, agent] == 1 and team[NEXT, pulled] < 0:
            reserve(team, places, pulled, team[NOW, agent])


@helper
def assign_all(neighbours, distances, team, places, control):
    """Choose the next cells of all agents that have none, by priority. Return whether that is possible."""
    for at in range(team.shape[1]):
        agent = team[ORDER, at]
        if team[NEXT, agent] < 0 and not assign(neighbours, distances, team, places, control, agent):
            return False
    return True
