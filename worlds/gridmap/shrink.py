"""Simpler problems on grid maps, to shrink counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from worlds.gridmap import rules
from worlds.gridmap.rules import GridMap

if TYPE_CHECKING:
    from worlds.gridmap.instance import GridInstance


def smaller(instance: GridInstance) -> Iterator[GridInstance]:
    """Yield problems without half, and without one, of the rows and columns at an edge, and with an obstacle less."""
    grid = instance.grid
    for cut in sorted({max(1, side // 2) for side in (grid.width, grid.height)} | {1}, reverse=True):
        for left, top, right, bottom in ((cut, 0, 0, 0), (0, cut, 0, 0), (0, 0, cut, 0), (0, 0, 0, cut)):
            if left + right < grid.width and top + bottom < grid.height:
                rows = tuple(row[left : grid.width - right] for row in grid.rows[top : grid.height - bottom])
                yield from _moved(instance, replace(grid, rows=rows), left, top)
    for y, row in enumerate(grid.rows):
        for x, terrain in enumerate(row):
            if terrain != ".":
                rows = (*grid.rows[:y], f"{row[:x]}.{row[x + 1 :]}", *grid.rows[y + 1 :])
                yield from _moved(instance, replace(grid, rows=rows), 0, 0)


def _moved(instance: GridInstance, grid: GridMap, left: int, top: int) -> Iterator[GridInstance]:
    """Yield the problem on a map without its first columns and rows, if start and goal are on it."""
    from worlds.gridmap.instance import SharedMap

    start, goal = ((x - left, y - top) for x, y in (instance.start, instance.goal))
    if rules.is_passable(grid, start) and rules.is_passable(grid, goal):
        shared = SharedMap(grid)
        yield replace(instance, shared=shared, start=start, goal=goal, seed=None, published_length=None, bucket=None)
