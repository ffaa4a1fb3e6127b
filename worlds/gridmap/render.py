"""Maps and paths as text and as pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from worlds.gridmap import rules
from worlds.gridmap.rules import Cell
from worlds.interface import Frame

if TYPE_CHECKING:
    from worlds.gridmap.instance import GridInstance

_MARGIN = 3
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


def cells_of(instance: GridInstance, plan: Sequence[str] | None) -> list[Cell]:
    """Return the cells of the path of a plan, the start first."""
    return [instance.start, *(cell for cell, _ in rules.play(instance.grid, instance.start, plan or ()))]


def text(instance: GridInstance, plan: Sequence[str] | None = None) -> str:
    """Return a map as text with the start s, the goal g and the path *.

    Of a map that is wider or higher than `_MAX_COLUMNS`, only the part around start, goal and path.
    """
    path = cells_of(instance, plan)
    lines = [_grid(instance, path)]
    if plan is not None:
        lines.append(f"plan ({len(plan)} moves): {' '.join(plan)}")
    return "\n".join(lines)


def _grid(instance: GridInstance, path: Sequence[Cell]) -> str:
    grid = instance.grid
    marks = {**dict.fromkeys(path, "*"), instance.start: "s", instance.goal: "g", path[-1]: "x"}
    marks[instance.goal] = "g"
    marks[instance.start] = "s" if len(path) > 1 or instance.start != instance.goal else "g"
    xs, ys = zip(*path, instance.goal, strict=True)
    left, right = (0, grid.width) if grid.width <= _MAX_COLUMNS else _part(xs, grid.width)
    top, bottom = (0, grid.height) if grid.height <= _MAX_COLUMNS else _part(ys, grid.height)
    part = (right - left, bottom - top) != (grid.width, grid.height)
    rows = ["".join(marks.get((x, y), grid.rows[y][x]) for x in range(left, right)) for y in range(top, bottom)]
    where = [f"x {left} to {right - 1}, y {top} to {bottom - 1} of {grid.width} x {grid.height}"] if part else []
    return "\n".join([*where, *rows])


def _part(coordinates: Sequence[int], side: int) -> tuple[int, int]:
    """Return the first and the last coordinate (excluded) of the shown part."""
    return max(0, min(coordinates) - _MARGIN), min(side, max(coordinates) + 1 + _MARGIN)


def frames(instance: GridInstance, plan: Sequence[str]) -> Iterator[Frame]:
    """Yield the map before and after each move."""
    path = cells_of(instance, plan)
    for number in range(len(path)):
        caption = f"{number}/{len(plan)}: {plan[number - 1]}" if number else "start"
        done = path[: number + 1]
        yield Frame(caption, _grid(instance, done), partial(draw, instance, done))


def picture(instance: GridInstance, plan: Sequence[str]) -> Callable[[Any], None]:
    """Return a function that draws the map and the path of a plan."""
    return partial(draw, instance, cells_of(instance, plan))


def draw(instance: GridInstance, path: Sequence[Cell], axes: Any) -> None:
    """Draw a map as an image, and a path as a line, on axes of matplotlib."""
    from matplotlib.colors import to_rgb

    grid = instance.grid
    colours = np.zeros((256, 3), np.float32)
    for terrain, colour in _COLOURS.items():
        colours[ord(terrain)] = to_rgb(colour)
    terrains = np.frombuffer("".join(grid.rows).encode("latin-1"), np.uint8).reshape(grid.height, grid.width)
    axes.imshow(colours[terrains], interpolation="nearest" if max(terrains.shape) <= 400 else "antialiased")
    axes.set_axis_off()
    points = 220 / max(grid.width, grid.height)  # side of a cell in a picture of 4 inches
    xs, ys = zip(*path, strict=True)
    axes.plot(xs, ys, color=_PATH, linewidth=max(1.2, 0.3 * points), solid_capstyle="round")
    size = max(3.0, 0.55 * points)
    axes.plot(*instance.start, "o", color=_START, markersize=size)
    axes.plot(*instance.goal, "o", color=_GOAL, markersize=size)
