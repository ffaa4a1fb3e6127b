"""Boards as text and as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worlds.npuzzle.rules import Board, Puzzle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_IN_PLACE, _ELSEWHERE, _MOVED = "#cfe3d4", "#f1e4c8", "#e6a57e"


def grid(puzzle: Puzzle, board: Board) -> str:
    """Return a board as text."""
    width = len(str(len(board) - 1))
    cells = [f"{tile:>{width}}" if tile else "." * width for tile in board]
    rows = [cells[start : start + puzzle.columns] for start in range(0, len(cells), puzzle.columns)]
    return "\n".join(" ".join(row) for row in rows)


def draw(puzzle: Puzzle, board: Board, moved: int, axes: Axes) -> None:
    """Draw a board: tiles in place in green, the tile that moved last in orange."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    axes.set(xlim=(0, puzzle.columns), ylim=(puzzle.rows, 0), aspect="equal")
    axes.set_axis_off()
    tiles, colors = [], []
    size = min(22.0, 72 / max(puzzle.rows, puzzle.columns))
    for cell, tile in enumerate(board):
        y, x = divmod(cell, puzzle.columns)
        if tile:
            colors.append(_MOVED if cell == moved else _IN_PLACE if puzzle.goal[cell] == tile else _ELSEWHERE)
            tiles.append(FancyBboxPatch((x + 0.05, y + 0.05), 0.9, 0.9, boxstyle="round,pad=0,rounding_size=0.08"))
            axes.text(x + 0.5, y + 0.5, str(tile), ha="center", va="center", fontsize=size, in_layout=False)
    axes.add_collection(PatchCollection(tiles, facecolors=colors, edgecolors="0.35", linewidths=0.8))
