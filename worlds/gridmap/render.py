"""Maps and paths as text and as pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.search import terrain_of

_MARGIN = 3
_MAX_PIXELS = 600
"""Largest side of the image of a map."""
_MAX_COLUMNS = 160
"""Largest part of a map that is shown as text."""
_COLOURS = {
    ".": "#f4f1ea",
    "G": "#e6e9d8",
    "S": "#cfd8bd",
    "W": "#b9d4e6",
    "T": "#7f9a78",
    "@": "#4b5058",
    "O": "#3a3f47",
}
_PATH, _START, _GOAL = "#d1495b", "#2f6b4c", "#e39a58"


class MapText:
    """Map as text, on which cells get marks. Of a map that is wider or higher than `_MAX_COLUMNS`, it is a part.

    Parameters
    ----------
    grid : GridMap
    cells : iterable of (int, int)
        Cells that the part has.
    """

    def __init__(self, grid: GridMap, cells: Iterable[GridCell]) -> None:
        xs, ys = zip(*cells, strict=True)
        self._left, right = (0, grid.width) if grid.width <= _MAX_COLUMNS else _part(xs, grid.width)
        self._top, bottom = (0, grid.height) if grid.height <= _MAX_COLUMNS else _part(ys, grid.height)
        is_part = (right - self._left, bottom - self._top) != (grid.width, grid.height)
        size = f"x {self._left} to {right - 1}, y {self._top} to {bottom - 1} of {grid.width} x {grid.height}\n"
        self._head = size if is_part else ""
        self._rows = [row[self._left : right] for row in grid.rows[self._top : bottom]]

    def put(self, cell: GridCell, mark: str) -> None:
        """Mark a cell."""
        x, y = cell[0] - self._left, cell[1] - self._top
        self._rows[y] = f"{self._rows[y][:x]}{mark}{self._rows[y][x + 1 :]}"

    def __str__(self) -> str:
        return self._head + "\n".join(self._rows)


def texts(grid: GridMap, goal: GridCell, path: Sequence[GridCell]) -> Iterator[str]:
    """Yield the map as text at the start and after each step of a path: start s, goal g, path * and present cell x.

    Of a large map, all show the same part, around start, goal and path.
    """
    ends = path[0], goal
    shown = MapText(grid, [*path, goal])
    shown.put(path[0], "s")
    shown.put(goal, "g")
    for number, cell in enumerate(path):
        if number and path[number - 1] not in ends:
            shown.put(path[number - 1], "*")
        if cell not in ends:
            shown.put(cell, "x")
        yield str(shown)


def _part(coordinates: Sequence[int], side: int) -> tuple[int, int]:
    """Return the first and the last coordinate (excluded) of the shown part."""
    return max(0, min(coordinates) - _MARGIN), min(side, max(coordinates) + 1 + _MARGIN)


@lru_cache(4)
def _image(rows: tuple[str, ...]) -> tuple[NDArray[np.uint8], int]:
    """Return a map as an image, and the side of the block of cells whose mean colour is a pixel."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    palette = colormaps["Set3"]  # of terrains that the benchmarks do not have
    colours = np.asarray(255 * palette(np.arange(256) % palette.N)[:, :3], np.uint8)
    for terrain, colour in _COLOURS.items():
        colours[ord(terrain)] = np.multiply(to_rgb(colour), 255).round()
    terrains = terrain_of(rows)
    block = -(-max(terrains.shape) // _MAX_PIXELS)
    padded = np.pad(terrains, [(0, -side % block) for side in terrains.shape], constant_values=ord("@"))
    height, width = (side // block for side in padded.shape)
    means = colours[padded].reshape(height, block, width, block, 3).mean(axis=(1, 3), dtype=np.float32)
    return np.asarray(means.round(), np.uint8), block


def draw_map(grid: GridMap, axes: Any) -> float:
    """Draw a map as an image on axes of matplotlib. Return the side of a cell in points, in a picture of 4 inches."""
    image, block = _image(grid.rows)
    extent = (-0.5, block * image.shape[1] - 0.5, block * image.shape[0] - 0.5, -0.5)
    axes.imshow(image, interpolation="nearest", extent=extent)
    axes.set(xlim=(-0.5, grid.width - 0.5), ylim=(grid.height - 0.5, -0.5))
    axes.set_axis_off()
    return 220 / max(grid.width, grid.height)


def draw(grid: GridMap, goal: GridCell, path: Sequence[GridCell], axes: Any) -> None:
    """Draw a map as an image, and a path as a line, on axes of matplotlib."""
    points = draw_map(grid, axes)
    xs, ys = zip(*path, strict=True)
    label = "path so far" if len(path) > 1 else None
    axes.plot(xs, ys, color=_PATH, linewidth=max(1.2, 0.3 * points), solid_capstyle="round", label=label)
    size = max(4.5, 0.55 * points)
    axes.plot(*path[0], "o", color=_START, markersize=size, label="start")
    axes.plot(*goal, "o", color=_GOAL, markersize=size, label="goal")
