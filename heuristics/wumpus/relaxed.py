"""Exact cost in the cave without its wumpus, and with one that the hunter avoids or can shoot from anywhere.

Both follow from tables of the costs of all squares and facings without SHOOT, computed backwards from the exit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import UNREACHABLE, compiled_heuristic
from heuristics.wumpus.legs import SHOT, is_over, living_wumpus, value_when_over
from worlds.compile import helper, kernel
from worlds.interface import Problem
from worlds.wumpus.search import (
    ARROW_USED,
    EXIT,
    GOLD,
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


def without_wumpus(problem: Problem) -> NDArray[np.int64]:
    """Return the costs if there were no wumpus."""
    return costs(problem, avoid_wumpus=False)


def without_and_around_wumpus(problem: Problem) -> NDArray[np.int64]:
    """Return the costs if there were no wumpus, and around it."""
    return np.concatenate([costs(problem, avoid_wumpus=False), costs(problem, avoid_wumpus=True)])


@compiled_heuristic("relaxed", domain="wumpus", tables=without_wumpus, admissible=True, consistent=True)
def relaxed(constants, state):
    """Cost of an optimal plan if there were no wumpus: moves and turns around all pits and blocks, GRAB and CLIMB.

    Admissible and consistent, because it is the exact cost in a cave with one obstacle less. A state without a plan in
    that cave is a dead end. Computed once per cave by a breadth-first search backwards over squares and facings. A
    complete heuristic: combine it with others by maximum.
    """
    return value_when_over(state) if is_over(state) else cost_at(constants, constants[-1], state)


@compiled_heuristic("relaxed_shot", domain="wumpus", tables=without_and_around_wumpus, admissible=True, consistent=True)
def relaxed_shot(constants, state):
    """The cheaper of two plans: around the wumpus, or as `relaxed` plus 10 for a shot from any square.

    If the wumpus is dead, as `relaxed`. If it lives and the arrow is used, the plan around it. Never smaller than
    `relaxed`. Admissible: a plan without a shot goes around the wumpus; a plan with a shot costs 10 plus at least the
    cost in the cave without the wumpus. Consistent: a move or turn changes both costs by at most 1, and a shot leads
    from at most ``relaxed + 10`` to ``relaxed`` (or, if it misses, to the plan around the wumpus). Computed once per
    cave. A complete heuristic: combine it with others by maximum.
    """
    if is_over(state):
        return value_when_over(state)
    ignored = cost_at(constants, constants[-1], state)
    if living_wumpus(constants, state) < 0:
        return ignored
    avoided = cost_at(constants, constants[-1] + 8 * constants[WIDTH] * constants[HEIGHT], state)
    return avoided if has(state, ARROW_USED) else min(avoided, ignored + SHOT)


@helper
def cost_at(constants, table, state):
    """Return the cost of a state in the table that begins at the index `table`."""
    index = index_of(constants, square_of(state)) + (
        constants[WIDTH] * constants[HEIGHT] if has(state, HAS_GOLD) else 0
    )
    return constants[table + 4 * index + facing_of(state)]


def costs(problem: Problem, avoid_wumpus: bool) -> NDArray[np.int64]:
    """Return the costs of all states, shape (2, squares, 4) flattened: gold not taken or taken, square by rows, facing.

    The cost of a dead end is `UNREACHABLE`. With `avoid_wumpus` the wumpus's square is a wall, else a free square.
    """
    constants = problem.constants
    table = np.full((2, int(constants[WIDTH] * constants[HEIGHT]), 4), UNREACHABLE, np.int64)
    fill_costs.compiled(constants, avoid_wumpus, table)
    return table.ravel()


@kernel("int64(int64[::1], boolean, int64[:, :, ::1])")
def fill_costs(constants, avoid_wumpus, table):
    """Fill the table by breadth-first search backwards, in two stages: from the exit with the gold, then from the gold.

    The first stage begins with the cost of CLIMB. The second begins with GRAB in each facing, at the cost that the
    first stage found there, plus 1.
    """
    now, following = np.empty(table.shape[1] * 4, np.int64), np.empty(table.shape[1] * 4, np.int64)
    for stage in (1, 0):
        target = constants[EXIT] if stage == 1 else constants[GOLD]
        if not can_stand(constants, target, avoid_wumpus):
            continue
        begin = np.ones(4, np.int64)
        if stage == 0:
            begin += table[1, index_of(constants, target)]
        count, level, latest = 0, begin.min(), begin.max()
        while count > 0 or level <= latest < UNREACHABLE:
            for facing in range(4):
                if begin[facing] == level:
                    count = enter(constants, table, stage, target, facing, level, now, count)
            found = 0
            for i in range(count):
                square, facing = now[i] >> 2, now[i] & 3
                found = enter(constants, table, stage, square, (facing + 1) & 3, level + 1, following, found)
                found = enter(constants, table, stage, square, (facing + 3) & 3, level + 1, following, found)
                behind = neighbour(constants, square, (facing + 2) & 3)
                if behind >= 0 and can_stand(constants, behind, avoid_wumpus):
                    found = enter(constants, table, stage, behind, facing, level + 1, following, found)
            now, following = following, now
            count, level = found, level + 1
    return 0


@helper
def can_stand(constants, square, avoid_wumpus):
    """Return whether the hunter may be on a square."""
    return is_passable(constants, square) and not (avoid_wumpus and square == constants[WUMPUS])


@helper
def enter(constants, table, stage, square, facing, level, queue, count):
    """Put a state into the queue unless its cost is at most `level` already. Return the length of the queue."""
    index = index_of(constants, square)
    if table[stage, index, facing] <= level:
        return count
    table[stage, index, facing] = level
    queue[count] = square << 2 | facing
    return count + 1
