"""Flood fill over the squares of a cave."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import helper, kernel
from worlds.wumpus.search import FREE, HEIGHT, PIT, WIDTH, WUMPUS, code_at, column_of, neighbour, row_of


@kernel("int64(int64[::1], int64, boolean, boolean, boolean[:, ::1])")
def flood(world, origin, through_wumpus, through_pit_of_wumpus, reached):
    """Mark in `reached` every square that is reachable from `origin`, and return their number.

    With `through_wumpus` the flood enters the wumpus's square, as if the wumpus were dead. With `through_pit_of_wumpus`
    it does so even if this square is a pit.
    """
    queue = np.empty(world[WIDTH] * world[HEIGHT], np.int64)
    queue[0] = origin
    reached[row_of(origin), column_of(origin)] = True
    count, done = 1, 0
    while done < count:
        square = queue[done]
        done += 1
        for direction in range(4):
            to = neighbour(world, square, direction)
            if to < 0 or reached[row_of(to), column_of(to)]:
                continue
            if can_enter(world, to, through_wumpus, through_pit_of_wumpus):
                reached[row_of(to), column_of(to)] = True
                queue[count] = to
                count += 1
    return count


@helper
def can_enter(world, square, through_wumpus, through_pit_of_wumpus):
    """Return whether the flood enters a square."""
    code = code_at(world, square)
    if square == world[WUMPUS]:
        return through_wumpus and (code == FREE or (through_pit_of_wumpus and code == PIT))
    return code == FREE


def can_reach(
    world: NDArray[np.int64],
    origin: int,
    targets: tuple[int, ...],
    *,
    through_wumpus: bool,
    through_pit_of_wumpus: bool = False,
) -> bool:
    """Return whether the flood from a packed square reaches all target squares."""
    reached = np.zeros((world[HEIGHT], world[WIDTH]), np.bool_)
    flood.compiled(world, origin, through_wumpus, through_pit_of_wumpus, reached)
    return all(reached[row_of(target), column_of(target)] for target in targets)
