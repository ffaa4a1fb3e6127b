"""Costs to the goal for every square and facing, without SHOOT, computed backwards from the exit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import UNREACHABLE
from worlds.compile.kernel import helper, kernel
from worlds.interface import Problem
from worlds.wumpus.search import (
    EXIT,
    GOLD,
    GRID,
    HAS_GOLD,
    HEIGHT,
    WIDTH,
    WUMPUS,
    facing_of,
    has,
    index_of,
    is_passable,
    neighbour,
    square_of,
)


def costs(problem: Problem, avoid_wumpus: bool) -> NDArray[np.int64]:
    """Return the costs of all states, shape (2, squares, 4) flattened: gold not taken or taken, square by rows, facing.

    The cost of a dead end is `UNREACHABLE`. With `avoid_wumpus` the wumpus's square is a wall, else a free square.
    """
    world = problem.world
    table = np.full((2, int(world[WIDTH] * world[HEIGHT]), 4), UNREACHABLE, np.int64)
    fill_costs.compiled(world, avoid_wumpus, table)
    return table.ravel()


@kernel("int64(int64[::1], boolean, int64[:, :, ::1])")
def fill_costs(world, avoid_wumpus, table):
    """Fill the table by breadth-first search backwards, in two stages: from the exit with the gold, then from the gold.

    The first stage begins with the cost of CLIMB. The second begins with GRAB in each facing, at the cost that the
    first stage found there, plus 1.
    """
    now, following = np.empty(table.shape[1] * 4, np.int64), np.empty(table.shape[1] * 4, np.int64)
    for stage in (1, 0):
        target = world[EXIT] if stage == 1 else world[GOLD]
        if not can_stand(world, target, avoid_wumpus):
            continue
        begin = np.ones(4, np.int64)
        if stage == 0:
            begin += table[1, index_of(world, target)]
        count, level, latest = 0, begin.min(), begin.max()
        while count > 0 or level <= latest < UNREACHABLE:
            for facing in range(4):
                if begin[facing] == level:
                    count = enter(world, table, stage, target, facing, level, now, count)
            found = 0
            for i in range(count):
                square, facing = now[i] >> 2, now[i] & 3
                found = enter(world, table, stage, square, (facing + 1) & 3, level + 1, following, found)
                found = enter(world, table, stage, square, (facing + 3) & 3, level + 1, following, found)
                behind = neighbour(world, square, (facing + 2) & 3)
                if behind >= 0 and can_stand(world, behind, avoid_wumpus):
                    found = enter(world, table, stage, behind, facing, level + 1, following, found)
            now, following = following, now
            count, level = found, level + 1
    return 0


@helper
def can_stand(world, square, avoid_wumpus):
    """Return whether the hunter may be on a square."""
    return is_passable(world, square) and not (avoid_wumpus and square == world[WUMPUS])


@helper
def enter(world, table, stage, square, facing, level, queue, count):
    """Put a state into the queue unless its cost is at most `level` already. Return the length of the queue."""
    index = index_of(world, square)
    if table[stage, index, facing] <= level:
        return count
    table[stage, index, facing] = level
    queue[count] = square << 2 | facing
    return count + 1


@helper
def cost_at(params, table, state):
    """Return the cost of a state in the table that begins at `table` of the params."""
    index = index_of(params, square_of(state)) + (params[WIDTH] * params[HEIGHT] if has(state, HAS_GOLD) else 0)
    return params[table + 4 * index + facing_of(state)]


@helper
def first_table(params):
    """Return the start of the first table, which follows the packed world."""
    return GRID + params[WIDTH] * params[HEIGHT]


@helper
def second_table(params):
    """Return the start of the second table."""
    return first_table(params) + 8 * params[WIDTH] * params[HEIGHT]
