"""Pictures of boards: walls as double lines, food as dots, and Pacman with his mouth towards his last step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from worlds.pacman.rules import STEP, PacmanMap, PacmanState, Square

_FLOOR, _WALL, _FOOD, _RING, _PACMAN = "#000000", "#4a6cf7", "#ffb897", "#a3968a", "#ffd83b"
_FACES = dict(zip(STEP.values(), (90, 270, 0, 180), strict=True))  # angles of the steps


def draw(board: PacmanMap, targets: Sequence[Square], states: Sequence[PacmanState], axes: Any) -> None:
    """Draw the last of the states of a plan on axes of matplotlib. A ring is where Pacman has entered a target."""
    from matplotlib.patches import Rectangle, Wedge

    width, height = board.size
    axes.set(xlim=(-0.5, width - 0.5), ylim=(-0.5, height - 0.5), aspect="equal")
    axes.set_axis_off()
    axes.add_patch(Rectangle((-0.5, -0.5), width, height, facecolor=_FLOOR, linewidth=0))
    points = 220 / max(width, height)  # side of a square in a picture of 4 inches
    _draw_walls({(x, y) for x in range(width) for y in range(height)} - board.squares.keys(), points, axes)
    (x, y), left = states[-1]
    entered = [target for target in targets if target not in (*left, (x, y))]
    for label, squares, face, edge in (("dot", left, _FOOD, _FOOD), ("dot eaten", entered, "none", _RING)):
        if squares:
            axes.scatter(*zip(*squares, strict=True), points**2 / 16, face, edgecolors=edge, zorder=3, label=label)
    from_x, from_y = states[max(-2, -len(states))].square
    mouth = _FACES.get((x - from_x, y - from_y), 0)
    axes.add_patch(Wedge((x, y), 0.42, mouth + 38, mouth - 38, fc=_PACMAN, lw=0, zorder=4, label="Pacman"))


def _draw_walls(walls: set[Square], points: float, axes: Any) -> None:
    """Draw lines through the middles of neighbouring walls: thick ones, and dark ones on them, which leave the rims."""
    from matplotlib.collections import LineCollection, PolyCollection

    lines: list[list[tuple[float, float]]] = []
    for x, y in sorted(walls):  # a line of no length would have no caps
        if (x - 1, y) not in walls:
            lines.append([(x, y), (next(to for to in count(x) if (to + 1, y) not in walls) + 0.01, y)])
        if (x, y - 1) not in walls:
            lines.append([(x, y), (x, next(to for to in count(y) if (x, to + 1) not in walls) + 0.01)])
    filled = [(x, y) for x, y in sorted(walls) if {(x + 1, y), (x, y + 1), (x + 1, y + 1)} <= walls]
    blocks = [[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)] for x, y in filled]
    for thickness, colour in ((0.5, _WALL), (0.32, _FLOOR)):
        axes.add_collection(LineCollection(lines, color=colour, lw=thickness * points, capstyle="round", zorder=1))
        axes.add_collection(PolyCollection(blocks, color=colour, lw=0.3, zorder=1))
