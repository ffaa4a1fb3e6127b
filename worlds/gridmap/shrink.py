"""Simpler problems on grid maps, to shrink counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worlds.gridmap import rules
from worlds.gridmap.rules import GridCell, GridMap

Ends = tuple[GridCell, ...]
"""Starts and goals."""


def smaller(grid: GridMap, ends: Ends) -> Iterator[tuple[GridMap, Ends]]:
    """Yield maps with starts and goals that are one step simpler.

    A step removes half, or one, of the rows or columns at an edge, or an obstacle.
    """
    for cut in sorted({max(1, side // 2) for side in (grid.width, grid.height)} | {1}, reverse=True):
        for left, top, right, bottom in ((cut, 0, 0, 0), (0, cut, 0, 0), (0, 0, cut, 0), (0, 0, 0, cut)):
            if left + right < grid.width and top + bottom < grid.height:
                rows = tuple(row[left : grid.width - right] for row in grid.rows[top : grid.height - bottom])
                yield from _moved(ends, replace(grid, rows=rows), left, top)
    for y, row in enumerate(grid.rows):
        for x, terrain in enumerate(row):
            if terrain != ".":
                rows = (*grid.rows[:y], f"{row[:x]}.{row[x + 1 :]}", *grid.rows[y + 1 :])
                yield from _moved(ends, replace(grid, rows=rows), 0, 0)


def _moved(ends: Ends, grid: GridMap, left: int, top: int) -> Iterator[tuple[GridMap, Ends]]:
    """Yield a map without its first columns and rows, if starts and goals are on it."""
    moved = tuple((x - left, y - top) for x, y in ends)
    if all(rules.is_passable(grid, cell) for cell in moved):
        yield grid, moved
