"""Kernels of the grid of the benchmarks: a state is y << 16 | x of a square, counted from 1.

`constants` holds the width of the grid with its border of walls, the goal, and 1 for each free square, else 0.
"""

# Kernels are typed by numba signatures.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from heuristics.interface import TERM
from worlds.compile import EXPAND, IS_GOAL, kernel


@kernel(EXPAND)
def expand_grid(constants, states, at, out, out_at, cost, action, slot):
    """Write the free squares to the north, east, south and west."""
    square = np.int64(states[at])
    n = 0
    for direction in range(4):
        to = square
        if direction == 0:
            to += 1 << 16
        elif direction == 1:
            to += 1
        elif direction == 2:
            to -= 1 << 16
        else:
            to -= 1
        if constants[2 + (to >> 16) * constants[0] + (to & 0xFFFF)] != 0:
            out[out_at + n] = np.uint64(to)
            cost[slot + n] = 1
            action[slot + n] = direction
            n += 1
    return n


@kernel(IS_GOAL)
def is_grid_goal(constants, states, at):
    """Return whether a square is the goal."""
    return np.int64(states[at]) == constants[1]


@kernel(TERM)
def grid_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the Manhattan distance to the goal. `params` is the array `constants`."""
    goal = params[1]
    for k in range(n):
        square = np.int64(out[out_at + k])
        h[slot + k] += abs((goal >> 16) - (square >> 16)) + abs((goal & 0xFFFF) - (square & 0xFFFF))
    return 0
