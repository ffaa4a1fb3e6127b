"""Kernel of jump point search: the jump points that follow a node."""

from __future__ import annotations

import numpy as np

from algorithms.engine.jump_point_map import BIT_X, BIT_Y, DX, DY, FIRST_BIT, MOVES, NATURAL, WIDTH
from algorithms.engine.nodes import move_at
from worlds.gridmap.rules import DIAGONAL, STRAIGHT
from worlds.gridmap.search import byte_of, goal_x_of, goal_y_of, x_of, y_of
from worlds.kernel import EXPAND, helper, kernel, trailing_zeros


@kernel(EXPAND)
def expand_jump_points(world, states, at, out, out_at, cost, action, slot):
    """Write the jump points that follow a node, with the last move of the scan that finds them as action.

    `states` is the memory of the node store: the move that leads to the node stands before its state. Cells of a
    diagonal scan from which a straight scan finds a jump point are not written; the jump point follows directly.
    """
    state = states[at]
    x, y = x_of(state), y_of(state)
    directions = possible_moves(world, x, y)
    depth, arrival = move_at(states, at)
    if depth > 0:
        directions = natural_moves_of(world, arrival, directions)
    left, n = np.uint64(directions), np.int64(0)
    while left != 0:
        move = trailing_zeros(left)
        left &= left - np.uint64(1)
        if move < 4:
            n = scan(world, state, x, y, move, 0, out, out_at, cost, action, slot, n)
        else:
            n = scan_diagonal(world, state, move, out, out_at, cost, action, slot, n)
    return n


@helper
def scan(world, state, x, y, move, spent, out, out_at, cost, action, slot, n):
    """Scan from a cell in a straight direction; write the goal or the jump point that it meets, and return the count."""
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
    if not meets_goal and natural_moves_of(world, move, possible_moves(world, x, y)) & ~(1 << move) == 0:
        return n
    return write(state, x, y, move, spent + steps * STRAIGHT, out, out_at, cost, action, slot, n)


@helper
def scan_diagonal(world, state, move, out, out_at, cost, action, slot, n):
    """Scan in a diagonal direction, and from its cells in both straight parts of the direction; return the count."""
    x, y = x_of(state), y_of(state)
    dx, dy = world[DX + move], world[DY + move]
    horizontal, vertical = (1 - dx) // 2, 2 + (1 - dy) // 2
    total = 0
    while possible_moves(world, x, y) >> move & 1 != 0:
        steps = np.int64(1)
        if world[FIRST_BIT + move] != 0:
            steps = steps_to_stop(world, x, y, move)
            # The first cell of the scan in the row or the column of the goal.
            to_goal = min((goal_x_of(state) - x) * dx, (goal_y_of(state) - y) * dy)
            if to_goal > 0:
                steps = min(steps, to_goal)
        x += steps * dx
        y += steps * dy
        total += steps
        spent = total * DIAGONAL
        if is_goal_cell(state, x, y):
            return write(state, x, y, move, spent, out, out_at, cost, action, slot, n)
        n = scan(world, state, x, y, horizontal, spent, out, out_at, cost, action, slot, n)
        n = scan(world, state, x, y, vertical, spent, out, out_at, cost, action, slot, n)
    return n


@helper
def write(state, x, y, move, spent, out, out_at, cost, action, slot, n):
    """Write a successor, and return the count."""
    out[out_at + n] = (state & np.uint64(0xFFFFFFFF00000000)) | np.uint64(x | y << 16)
    cost[slot + n] = spent
    action[slot + n] = move
    return n + 1


@helper
def possible_moves(world, x, y):
    """Return the moves that are possible from a cell, as a set of bits."""
    return byte_of(world, MOVES, y * world[WIDTH] + x)


@helper
def natural_moves_of(world, move, possible):
    """Return the moves to follow after a straight move (`algorithms.engine.jump_point_map.natural_moves`)."""
    return byte_of(world, NATURAL, move << 8 | possible)


@helper
def steps_to_stop(world, x, y, move):
    """Return the number of moves, at least 1, after which a scan stops. The move must be possible."""
    here = world[FIRST_BIT + move] + x * world[BIT_X + move] + y * world[BIT_Y + move]
    first = here + 1
    at = first >> 6
    stops = np.uint64(world[at]) >> np.uint64(first & 63)
    if stops != 0:
        return first + trailing_zeros(stops) - here
    at += 1
    while world[at] == 0:
        at += 1
    return (at << 6) + trailing_zeros(np.uint64(world[at])) - here


@helper
def is_goal_cell(state, x, y):
    """Return whether a cell is the goal."""
    return x == goal_x_of(state) and y == goal_y_of(state)
