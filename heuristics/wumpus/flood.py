"""Flood fill over the squares of a cave."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.kernel import helper, kernel
from worlds.wumpus.search import FREE, GRID, HEIGHT, PIT, WIDTH, WUMPUS, neighbour


@kernel("int64(int64[::1], int64, boolean, boolean, boolean[::1])")
def flood(world, origin, through_wumpus, through_pit_of_wumpus, reached):
    """Mark in `reached` every square that can be walked to from `origin`; returns their number.

    `through_wumpus`: as if the wumpus were dead. `through_pit_of_wumpus`: even if it sits in a pit.
    """
    queue = np.empty(world[WIDTH] * world[HEIGHT], np.int64)
    queue[0] = origin
    reached[origin] = True
    count, done = 1, 0
    while done < count:
        square = queue[done]
        done += 1
        for direction in range(4):
            to = neighbour(world, square, direction)
            if to >= 0 and not reached[to] and can_enter(world, to, through_wumpus, through_pit_of_wumpus):
                reached[to] = True
                queue[count] = to
                count += 1
    return count


@helper
def can_enter(world, square, through_wumpus, through_pit_of_wumpus):
    """Whether the flood enters a square."""
    code = world[GRID + square]
    if square == world[WUMPUS]:
        return through_wumpus and (code == FREE or (through_pit_of_wumpus and code == PIT))
    return code == FREE


def reach(
    world: NDArray[np.int64], origin: int, *, through_wumpus: bool, through_pit_of_wumpus: bool = False
) -> NDArray[np.bool_]:
    """Squares that the flood from `origin` reaches, indexed y * width + x."""
    reached = np.zeros(int(world[WIDTH] * world[HEIGHT]), np.bool_)
    flood.compiled(world, origin, through_wumpus, through_pit_of_wumpus, reached)
    return reached
