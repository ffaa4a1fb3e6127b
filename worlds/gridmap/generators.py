"""Seeded random maps, and random problems on maps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal, get_args

from worlds.gridmap import rules
from worlds.gridmap.rules import Cell, GridMap
from worlds.sources import generator_of

Kind = Literal["obstacles", "rooms", "maze", "open"]
KINDS: tuple[str, ...] = get_args(Kind)

Draw = Callable[[], float]
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
    draw = _draws(seed)
    free = [[True] * width for _ in range(height)]
    if kind == "maze":
        free = _maze(width, height, draw)
    elif kind == "rooms":
        free = _rooms(width, height, draw)
    if kind in ("obstacles", "rooms"):
        free = [[cell and draw() >= density for cell in row] for row in free]
    if not any(map(any, free)):
        free[0][0] = True
    return tuple("".join("." if cell else "@" for cell in row) for row in free)


def random_problem(grid: GridMap, seed: int) -> tuple[Cell, Cell]:
    """Return a random start, and a goal that can be reached from it, drawn among the passable cells."""
    draw = _draws(seed)
    cells = [(x, y) for y in range(grid.height) for x in range(grid.width) if rules.is_passable(grid, (x, y))]
    start = cells[int(draw() * len(cells))]
    reached = sorted(component(grid, start))
    return start, reached[int(draw() * len(reached))]


def component(grid: GridMap, start: Cell) -> set[Cell]:
    """Return the cells that can be reached from a cell."""
    found, waiting = {start}, deque([start])
    while waiting:
        for _, cell, _ in rules.successors(grid, waiting.popleft()):
            if cell not in found:
                found.add(cell)
                waiting.append(cell)
    return found


def _draws(seed: int) -> Draw:
    generator = generator_of(seed)

    def batches() -> Iterator[float]:
        while True:
            yield from generator.random(1024).tolist()

    return batches().__next__


def _rooms(width: int, height: int, draw: Draw) -> list[list[bool]]:
    """Return rooms between walls; each wall of a room has a door."""
    free = [[x % _ROOM != _ROOM - 1 and y % _ROOM != _ROOM - 1 for x in range(width)] for y in range(height)]
    for wall in range(_ROOM - 1, width, _ROOM):
        for top in range(0, height, _ROOM):
            free[top + int(draw() * min(_ROOM - 1, height - top))][wall] = True
    for wall in range(_ROOM - 1, height, _ROOM):
        for left in range(0, width, _ROOM):
            free[wall][left + int(draw() * min(_ROOM - 1, width - left))] = True
    return free


def _maze(width: int, height: int, draw: Draw) -> list[list[bool]]:
    """Return a maze by depth-first search over the cells with even coordinates."""
    free = [[False] * width for _ in range(height)]
    free[0][0], path = True, [(0, 0)]
    while path:
        x, y = path[-1]
        ways = [
            (dx, dy)
            for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2))
            if 0 <= x + dx < width and 0 <= y + dy < height and not free[y + dy][x + dx]
        ]
        if not ways:
            path.pop()
            continue
        dx, dy = ways[int(draw() * len(ways))]
        free[y + dy // 2][x + dx // 2] = free[y + dy][x + dx] = True
        path.append((x + dx, y + dy))
    return free
