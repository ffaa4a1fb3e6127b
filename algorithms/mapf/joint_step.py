"""Arrays of one joint step of a team: where the agents are and go, who has chosen, and in which order they choose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import control as c
from algorithms.engine.control import queue as q
from algorithms.engine.random_numbers import next_random
from worlds.compile.kernel import helper

# Rows of `team`, an array of int64 with a column for each agent. PULLED is the agent that follows it into the cell that
# it leaves, or -1. The last rows are the cells that it can enter.
(NOW, NEXT, SETTLED, SETTLES, ORDER, ELAPSED, RANK, GOAL, CHOICE_COUNT, TRIED, PULLED, STACK, SCRATCH, CHOICES) = range(
    14
)
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


class StepGenerator:
    """Arrays of the generator of joint steps.

    Parameters
    ----------
    starts, goals : ndarray of int32, shape (agents,)
    distances : ndarray of int32, shape (agents, cells)
    seed : int
        Seed of the random choices among equally good cells.
    swap : bool
        Whether one of two agents that must pass each other backs off, and pulls the other one.

    Attributes
    ----------
    arrays : tuple of ndarray
        What kernels take as `TEAM`.
    """

    def __init__(
        self,
        starts: NDArray[np.int32],
        goals: NDArray[np.int32],
        distances: NDArray[np.int32],
        *,
        seed: int,
        swap: bool,
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
        control[q.RANDOM], control[SWAP] = seed, swap
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
