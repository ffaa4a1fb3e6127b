"""One joint step of a team by priority inheritance with backtracking (PIBT): where the agents go, one after the other.

An agent takes the free cell that is nearest to its goal. If another one is there that has not chosen yet, this one must
move away first: it inherits the priority. If it cannot, the agent tries its next cell. Source: Okumura, Machida, Défago
and Tamura, Priority inheritance with backtracking for iterative multi-agent path finding, AIJ 310, 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import control as c
from algorithms.engine.control import queue as q
from algorithms.engine.random_numbers import next_random
from worlds.compile.kernel import helper

# Rows of `team`, an array of int64 with a column for each agent. The last rows are the cells that it can enter.
(NOW, NEXT, SETTLED, SETTLES, ORDER, ELAPSED, RANK, GOAL, CHOICE_COUNT, TRIED, STACK, SCRATCH, CHOICES) = range(13)
ROWS = CHOICES + 5
# Rows of `places`, an array of int32 with a column for each cell: the agent there now, and after the step; or -1.
OCCUPANT, TAKEN = 0, 1
MAP = "int32[:, ::1], int32[:, ::1]"
"""Numba types of `neighbours` and `distances`."""
TEAM = "int64[:, ::1], int32[:, ::1], int64[::1]"
"""Numba types of `team`, `places` and `control`."""
OWN = q.END
"""First entry of the control array that is free: random numbers have theirs before it."""


class StepGenerator:
    """Arrays of the generator of joint steps.

    Parameters
    ----------
    starts, goals : ndarray of int32, shape (agents,)
    distances : ndarray of int32, shape (agents, cells)
    seed : int
        Seed of the random choices among equally good cells.

    Attributes
    ----------
    arrays : tuple of ndarray
        What kernels take as `TEAM`.
    """

    def __init__(
        self, starts: NDArray[np.int32], goals: NDArray[np.int32], distances: NDArray[np.int32], seed: int
    ) -> None:
        agents = np.arange(starts.size)
        lengths = distances[agents, starts]
        team = np.zeros((ROWS, starts.size), np.int64)
        team[NOW] = starts
        team[GOAL] = goals
        team[ORDER] = np.argsort(-lengths, kind="stable")
        team[RANK, team[ORDER]] = agents
        places = np.full((2, distances.shape[1]), -1, np.int32)
        control = np.zeros(c.SIZE, np.int64)
        control[q.RANDOM] = seed
        self.can_all_arrive = bool((lengths >= 0).all())
        self.arrays = team, places, control


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
def assign(neighbours, distances, team, places, control, first):
    """Choose the next cell of an agent, and of those that inherit its priority. Return whether that is possible."""
    order_choices(neighbours, distances, team, places, control, first)
    team[TRIED, first] = 0
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
                    return True
        if heir >= 0:
            order_choices(neighbours, distances, team, places, control, heir)
            team[TRIED, heir] = 0
            team[STACK, depth] = heir
            depth += 1
        else:  # it stays, where the agent that wanted its cell has entered it
            team[NEXT, agent] = team[NOW, agent]
            places[TAKEN, team[NOW, agent]] = agent
            depth -= 1
    return False


@helper
def assign_all(neighbours, distances, team, places, control):
    """Choose the next cells of all agents that have none, by priority. Return whether that is possible."""
    for at in range(team.shape[1]):
        agent = team[ORDER, at]
        if team[NEXT, agent] < 0 and not assign(neighbours, distances, team, places, control, agent):
            return False
    return True


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
