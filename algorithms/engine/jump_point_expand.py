"""Kernel of jump point search: the jump points that follow a node."""

from __future__ import annotations

import numpy as np

from algorithms.engine.jump_point_map import (
    DX,
    DY,
    FIRST_BIT,
    has_turn,
    horizontal_part,
    natural_moves_in,
    possible_moves,
    steps_to_stop,
    vertical_part,
)
from algorithms.engine.nodes import move_at
from worlds.compile.kernel import EXPAND, helper, kernel
from worlds.compile.operations import trailing_zeros
from worlds.gridmap.rules import DIAGONAL, STRAIGHT
from worlds.gridmap.search import goal_x_of, goal_y_of, x_of, y_of


@kernel(EXPAND)
def expand_jump_points(world, states, at, out, out_at, cost, action, slot):
    """Write the next jump point, or the goal, in each direction to follow from a node.

    `states` is the memory of a node store, so that the last move to the node is known.
    """
    state = states[at]
    x, y = x_of(state), y_of(state)
    depth, last = move_at(states, at)
    moves = np.uint64(possible_moves(world, x, y) if depth == 0 else natural_moves_in(world, x, y, last))
    n = 0
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        steps = scan(world, state, x, y, move) if move < 4 else scan_diagonally(world, state, x, y, move)
        if steps > 0:
            to_x, to_y = x + steps * world[DX + move], y + steps * world[DY + move]
            out[out_at + n] = (state & np.uint64(0xFFFFFFFF00000000)) | np.uint64(to_x | to_y << 16)
            cost[slot + n] = steps * (STRAIGHT if move < 4 else DIAGONAL)
            action[slot + n] = move
            n += 1
    return n


@helper
def scan(world, state, x, y, move):
    """Return the number of straight moves to the goal or to a cell where one can turn, or 0 if there is none."""
    if possible_moves(world, x, y) >> move & 1 == 0:
        return np.int64(0)
    steps = steps_to_stop(world, x, y, move)
    dx, dy = world[DX + move], world[DY + move]
    to_goal = (goal_x_of(state) - x) * dx + (goal_y_of(state) - y) * dy
    if 0 < to_goal <= steps and is_goal_cell(state, x + to_goal * dx, y + to_goal * dy):
        return to_goal
    return steps if has_turn(world, x + steps * dx, y + steps * dy, move) else np.int64(0)


@helper
def scan_diagonally(world, state, x, y, move):
    """Return the number of diagonal moves to the goal or to a cell from which `scan` finds something, or 0."""
    dx, dy = world[DX + move], world[DY + move]
    total = np.int64(0)
    while possible_moves(world, x, y) >> move & 1 != 0:
        steps = np.int64(1)
        if world[FIRST_BIT + move] != 0:  # preprocessed
            steps = steps_to_stop(world, x, y, move)
            # The bits do not know the goal: also stop at the first cell in its row or column.
            to_goal = min((goal_x_of(state) - x) * dx, (goal_y_of(state) - y) * dy)
            if to_goal > 0:
                steps = min(steps, to_goal)
        x += steps * dx
        y += steps * dy
        total += steps
        if is_goal_cell(state, x, y):
            return total
        if scan(world, state, x, y, horizontal_part(world, move)) or scan(
            world, state, x, y, vertical_part(world, move)
        ):
            return total
    return np.int64(0)


@helper
def is_goal_cell(state, x, y):
    """Return whether a cell is the goal."""
    return x == goal_x_of(state) and y == goal_y_of(state)
