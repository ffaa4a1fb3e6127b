"""Rules of several agents packed for the search engine, for as many agents as a joint step can have successors for.

A state has two agents to a word, 32 bits each: the number of the cell, whether the agent is settled (the highest bit),
and whether it leaves again (the second one).
Cells are numbered row by row, the passable ones alone (`Roadmap`).

The code of a joint action has a digit to the base 6 for each agent, the first one lowest: its index in `LETTERS`.
Successors come in the order of `worlds.mapf.rules`: the letters of the first agent change last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, error_code, helper, kernel
from worlds.gridmap import rules as gridmap
from worlds.gridmap.rules import GridCell
from worlds.gridmap.search import moves_of, passable_cells, terrain_of
from worlds.gridmap.world import SharedMap
from worlds.mapf.rules import LETTERS, STEP

MOST_JOINT_AGENTS = 5
"""Largest number of agents whose joint actions have codes of the engine."""
DIGIT = len(LETTERS)
WAIT_CODE, SETTLE_CODE = 4, 5
SETTLED = 1 << 31
LEAVING = 1 << 30

# Layout of `constants`: a header; the goals; from GOALS + agents on, the cells to which the four moves lead from each
# cell, or -1.
AGENTS, IS_MAKESPAN, GOALS = range(3)
TOO_MANY = error_code(f"joint states of more than {MOST_JOINT_AGENTS} agents cannot be expanded")


@dataclass(frozen=True, eq=False)
class Roadmap:
    """Passable cells of a map by their numbers, and the moves between them. All instances on the map share it.

    Attributes
    ----------
    shared : SharedMap
        The map, with straight moves that all cost 1.
    """

    shared: SharedMap

    @cached_property
    def numbers(self) -> NDArray[np.int32]:
        """Number of each cell, shape (height, width); -1 for obstacles."""
        passable = passable_cells(self.shared.grid)
        numbers = np.full(passable.shape, -1, np.int32)
        numbers[passable] = np.arange(np.count_nonzero(passable))
        return numbers

    @cached_property
    def cells(self) -> list[GridCell]:
        """The passable cells (x, y), row by row."""
        rows, columns = np.nonzero(self.numbers >= 0)
        return list(zip(columns.tolist(), rows.tolist(), strict=True))

    @cached_property
    def neighbours(self) -> NDArray[np.int32]:
        """Cell to which each move leads, or -1, shape (cells, 4), in the order u d l r."""
        grid, numbers = self.shared.grid, self.numbers
        possible = moves_of(grid, terrain_of(grid.rows))
        rows, columns = np.nonzero(numbers >= 0)
        table = np.full((rows.size, 4), -1, np.int32)
        for move, (dx, dy) in enumerate(list(STEP.values())[:4]):
            bit = list(gridmap.STEP.values()).index((dx, dy))
            starts = np.flatnonzero((possible[rows, columns] >> bit) & 1)
            table[starts, move] = numbers[rows[starts] + dy, columns[starts] + dx]
        return table

    def numbered(self, cells: Sequence[GridCell]) -> NDArray[np.int32]:
        """Return the numbers of passable cells."""
        columns, rows = np.array(cells).T
        numbers: NDArray[np.int32] = self.numbers[rows, columns]
        return numbers


@helper
def word_of(states, at, agent):
    """Return the 32 bits of an agent."""
    return np.int64((states[at + (agent >> 1)] >> np.uint64(32 * (agent & 1))) & np.uint64(0xFFFFFFFF))


@helper
def cell_of(states, at, agent):
    """Return the number of the cell of an agent."""
    return word_of(states, at, agent) & (LEAVING - 1)


@helper
def is_settled(states, at, agent):
    """Return whether an agent is settled."""
    return word_of(states, at, agent) & SETTLED != 0


@helper
def is_leaving(states, at, agent):
    """Return whether an agent has to leave its goal again."""
    return word_of(states, at, agent) & LEAVING != 0


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the joint steps without conflict: an odometer over the letters of the agents, the last one fastest."""
    agents = constants[AGENTS]
    if agents > MOST_JOINT_AGENTS:
        return TOO_MANY
    words = (agents + 1) >> 1
    moves = GOALS + agents
    letters = np.full(agents + 1, -1, np.int64)
    to = np.zeros(agents, np.int64)
    n = np.int64(0)
    agent = np.int64(0)
    while agent >= 0:
        letters[agent] += 1
        letter = letters[agent]
        if letter > SETTLE_CODE:
            letters[agent] = -1
            agent -= 1
            continue
        cell = cell_of(states, at, agent)
        if is_settled(states, at, agent) and letter != SETTLE_CODE:
            continue
        if letter < WAIT_CODE:
            to[agent] = constants[moves + 4 * cell + letter]
            if to[agent] < 0:
                continue
        else:
            to[agent] = cell
            if letter == SETTLE_CODE and (constants[IS_MAKESPAN] != 0 or cell != constants[GOALS + agent]):
                continue
            if letter == SETTLE_CODE and is_leaving(states, at, agent):
                continue
        is_free = True
        for other in range(agent):
            if to[other] == to[agent] or (to[other] == cell and to[agent] == cell_of(states, at, other)):
                is_free = False
        if not is_free:
            continue
        if agent < agents - 1:
            agent += 1
            continue
        first = out_at + n * words
        for word in range(words):
            out[first + word] = 0
        code = np.int64(0)
        total = np.int64(0)
        for each in range(agents - 1, -1, -1):
            code = code * DIGIT + letters[each]
            packed = np.uint64(to[each])
            if letters[each] == SETTLE_CODE:
                packed |= np.uint64(SETTLED)
            else:
                total += 1
            if letters[each] == WAIT_CODE and constants[IS_MAKESPAN] == 0 and to[each] == constants[GOALS + each]:
                packed |= np.uint64(LEAVING)
            out[first + (each >> 1)] |= packed << np.uint64(32 * (each & 1))
        cost[slot + n] = total if constants[IS_MAKESPAN] == 0 else 1
        action[slot + n] = code
        n += 1
    return n


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether all agents are at their goals to stay."""
    for agent in range(constants[AGENTS]):
        if cell_of(states, at, agent) != constants[GOALS + agent] or is_leaving(states, at, agent):
            return False
    return True


@kernel("int64(int32[:, ::1], int64, int32[::1], int32[::1])")
def fill_distances(neighbours, goal, distances, queue):
    """Write the distance of each cell to a goal, or -1, by breadth-first search. Return the number of cells reached."""
    distances[:] = -1
    distances[goal] = 0
    queue[0] = goal
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        for move in range(4):
            to = neighbours[cell, move]
            if to >= 0 and distances[to] < 0:
                distances[to] = distances[cell] + 1
                queue[last] = to
                last += 1
    return last


def distances_to(roadmap: Roadmap, goals: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the number of moves from each cell to each goal alone on the map, or -1, shape (goals, cells)."""
    neighbours = roadmap.neighbours
    table = np.empty((goals.size, neighbours.shape[0]), np.int32)
    queue = np.empty(neighbours.shape[0], np.int32)
    for number, goal in enumerate(goals.tolist()):
        fill_distances.compiled(neighbours, goal, table[number], queue)
    return table
