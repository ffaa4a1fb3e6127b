"""Kernel of jump point search: the jump points that follow a node."""

from __future__ import annotations

import numpy as np

from algorithms.engine.jump_point_map import (
    DX,
    DY,
    FIRST_BIT,
    horizontal_part,
    is_jump_point,
    natural_moves_in,
    possible_moves,
    steps_to_stop,
    vertical_part,
)
from algorithms.engine.nodes import move_at
from worlds.gridmap.rules import DIAGONAL, STRAIGHT
from worlds.gridmap.search import goal_x_of, goal_y_of, x_of, y_of
from worlds.kernel import EXPAND, helper, kernel, trailing_zeros


@kernel(EXPAND)
def expand_jump_points(world, states, at, out, out_at, cost, action, slot):
    """Write the jump points that follow a node, and the goal if a scan meets it. The action is the last move.

    `states` is the memory of a node store, so that the last move to the node is known. A cell of a diagonal scan from
    which a straight scan finds a jump point is not written: the jump point follows directly (ICAPS 2014).
    """
    state = states[at]
    x, y = x_of(state), y_of(state)
    depth, last = move_at(states, at)
    moves = np.uint64(possible_moves(world, x, y) if depth == 0 else natural_moves_in(world, x, y, last))
    n = np.int64(0)
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        if move < 4:
            n = scan(world, state, x, y, move, 0, out, out_at, cost, action, slot, n)
        else:
            n = scan_diagonally(world, state, move, out, out_at, cost, action, slot, n)
    return n


@helper
def scan(world, state, x, y, move, spent, out, out_at, cost, action, slot, n):
    """Scan from a cell in a straight direction. Write what it finds, and return the number of successors.

    `spent` is the cost of the path from the node to the cell.
    """
    if possible_moves(world, x, y) >> move & 1 == 0:
        return n
    steps = steps_to_stop(world, x, y, move)
    dx, dy = world[DX + move], world[DY + move]
    to_goal = (goal_x_of(state) - x) * dx + (goal_y_of(state) - y) * dy
    meets_goal = 0 < to_goal <= steps and is_goal_cell(state, x + to_goal * dx, y + to_goal * dy)
    if meets_goal:
        steps = to_goal
    x += steps * dx
    y += steps * dy
    if not meets_goal and not is_jump_point(world, x, y, move):
        return n
    return write(state, x, y, move, spent + steps * STRAIGHT, out, out_at, cost, action, slot, n)


@helper
def scan_diagonally(world, state, move, out, out_at, cost, action, slot, n):
    """Scan in a diagonal direction, and from its cells in the two straight directions that it consists of."""
    x, y = x_of(state), y_of(state)
    dx, dy = world[DX + move], world[DY + move]
    spent = np.int64(0)
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
        spent += steps * DIAGONAL
        if is_goal_cell(state, x, y):
            return write(state, x, y, move, spent, out, out_at, cost, action, slot, n)
        n = scan(world, state, x, y, horizontal_part(world, move), spent, out, out_at, cost, action, slot, n)
        n = scan(world, state, x, y, vertical_part(world, move), spent, out, out_at, cost, action, slot, n)
    return n


@helper
def write(state, x, y, move, spent, out, out_at, cost, action, slot, n):
    """Write a successor, and return the number of successors."""
    out[out_at + n] = (state & np.uint64(0xFFFFFFFF00000000)) | np.uint64(x | y << 16)
    cost[slot + n] = spent
    action[slot + n] = move
    return n + 1


@helper
def is_goal_cell(state, x, y):
    """Return whether a cell is the goal."""
    return x == goal_x_of(state) and y == goal_y_of(state)
