"""Seeded random maps, and random problems on maps."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from worlds.gridmap.rules import GridCell
from worlds.gridmap.world import SharedMap
from worlds.interface import generator_of

Kind = Literal["obstacles", "rooms", "maze", "open"]
KINDS: tuple[str, ...] = get_args(Kind)

Free = NDArray[np.bool_]
_ROOM = 8
"""Distance between the walls of two rooms."""


def random_rows(kind: Kind, width: int, height: int, density: float, seed: int) -> tuple[str, ...]:
    """Return the rows of a random map.

    Parameters
    ----------
    kind : {"obstacles", "rooms", "maze", "open"}
        `obstacles`: each cell is an obstacle with the probability `density`. `rooms`: rooms of 7 x 7 cells with doors
        in random places, and obstacles in them. `maze`: a maze without cycles. `open`: no obstacles.
    """
    generator = generator_of(seed)
    free = np.ones((height, width), np.bool_)
    if kind == "maze":
        free = _maze(width, height, generator)
    elif kind == "rooms":
        free = _rooms(width, height, generator)
    if kind in ("obstacles", "rooms"):
        free &= generator.random((height, width)) >= density
    if not free.any():
        free[0, 0] = True
    return tuple(row.tobytes().decode() for row in np.where(free, b".", b"@"))


def random_problem(shared: SharedMap, seed: int) -> tuple[GridCell, GridCell]:
    """Return a random passable start, and a goal drawn among the cells that can be reached from it."""
    generator, cells, ends = generator_of(seed), shared.passable, shared.component_ends
    start = int(cells[int(generator.random() * cells.size)])
    component = int(shared.components[start])
    first = ends[component - 1] if component else 0
    goal = int(cells[first + int(generator.random() * (ends[component] - first))])
    width = shared.grid.width
    return (start % width, start // width), (goal % width, goal // width)


def _rooms(width: int, height: int, generator: np.random.Generator) -> Free:
    """Return rooms between walls; each wall of a room has a door."""
    inside = np.arange(max(width, height)) % _ROOM != _ROOM - 1
    free: Free = inside[:height, None] & inside[None, :width]
    for wall in range(_ROOM - 1, width, _ROOM):
        for top in range(0, height, _ROOM):
            free[top + int(generator.random() * min(_ROOM - 1, height - top)), wall] = True
    for wall in range(_ROOM - 1, height, _ROOM):
        for left in range(0, width, _ROOM):
            free[wall, left + int(generator.random() * min(_ROOM - 1, width - left))] = True
    return free


def _maze(width: int, height: int, generator: np.random.Generator) -> Free:
    """Return a maze by depth-first search over the cells with even coordinates."""
    free = np.zeros((height, width), np.bool_)
    cells = np.zeros((height + 3, width + 3), np.bool_)
    cells[:height:2, :width:2] = True
    unseen = cells.tolist()  # faster than an array, cell by cell; row and column -2 are beyond the edge, too
    unseen[0][0] = False
    draws = iter(generator.random(width * height).tolist())
    free[0, 0], path = True, [(0, 0)]
    while path:
        x, y = path[-1]
        ways = [(dx, dy) for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2)) if unseen[y + dy][x + dx]]
        if not ways:
            path.pop()
            continue
        dx, dy = ways[int(next(draws) * len(ways))]
        free[y + dy // 2, x + dx // 2] = free[y + dy, x + dx] = True
        unseen[y + dy][x + dx] = False
        path.append((x + dx, y + dy))
    return free
