"""Boards and snakes as text and as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worlds.snake import rules
from worlds.snake.rules import MOVES, Board, GridCell, Snake, destination

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAD = "@"
ARROWS = {"L": "<", "R": ">", "D": "v", "U": "^"}
LEGEND = "@ head, <>v^ body (to the head), numbers: units of candy; the edges are joined"

_CELL, _SNAKE, _HEAD, _CANDY = "#f1ede4", "#5c9b78", "#2f6b4c", "#e39a58"


def grid(board: Board, snake: Snake) -> str:
    """Return a board as text. The snake covers a candy on the same cell."""
    symbols = {candy.cell: str(left) for candy, left in zip(board.candies, snake.left, strict=True) if left}
    for cell, before in zip(snake.body, (snake.head, *snake.body), strict=False):
        symbols[cell] = ARROWS[_move_between(board, cell, before)]
    symbols[snake.head] = HEAD
    width = max(map(len, symbols.values()))
    rows = [[symbols.get((row, column), ".") for column in range(board.columns)] for row in range(board.rows)]
    return "\n".join(" ".join(f"{symbol:>{width}}" for symbol in row) for row in rows)


def _move_between(board: Board, cell: GridCell, to: GridCell) -> str:
    """Return the move that leads from a cell to its neighbour; of two such moves, the one inside the board."""
    moves = [move for move in MOVES if destination(board, cell, move) == to]
    inside = [move for move in moves if (cell[0] + rules.STEP[move][0], cell[1] + rules.STEP[move][1]) == to]
    return (inside or moves)[0]


def draw(board: Board, snake: Snake, axes: Axes) -> None:
    """Draw a board: candies as discs with their units, the snake as a line that may continue at the opposite edge."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle, Rectangle

    axes.set(xlim=(0, board.columns), ylim=(board.rows, 0), aspect="equal")
    axes.set_axis_off()
    axes.add_patch(Rectangle((0, 0), board.columns, board.rows, facecolor=_CELL, edgecolor="0.5", linewidth=1.0))
    lines = [((0, row), (board.columns, row)) for row in range(1, board.rows)]
    lines += [((column, 0), (column, board.rows)) for column in range(1, board.columns)]
    axes.add_collection(LineCollection(lines, colors="white", linewidths=0.8, zorder=1))
    points = 220 / max(board.rows, board.columns)  # side of a cell in a picture of 4 inches
    for candy, left in zip(board.candies, snake.left, strict=True):
        if left:
            row, column = candy.cell
            axes.add_patch(
                Circle((column + 0.5, row + 0.5), 0.36, facecolor=_CANDY, zorder=2, label="candy (its units)")
            )
            size = min(14.0, 0.42 * points)
            axes.text(column + 0.5, row + 0.5, str(left), ha="center", va="center", fontsize=size, zorder=5)
    pairs = zip(snake.body, (snake.head, *snake.body), strict=False)
    body = [segment for cell, before in pairs for segment in _segments(board, cell, before)]
    axes.add_collection(LineCollection(body, colors=_SNAKE, linewidths=0.45 * points, capstyle="round", zorder=3))
    axes.add_patch(Circle((snake.head[1] + 0.5, snake.head[0] + 0.5), 0.34, facecolor=_HEAD, zorder=4, label="head"))


def _segments(board: Board, cell: GridCell, to: GridCell) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the line between the centres of two neighbours, as points (x, y); in two halves if it crosses the edge."""
    move = _move_between(board, cell, to)
    down, right = rules.STEP[move]
    (row, column), (to_row, to_column) = cell, to
    if (row + down, column + right) == to:
        return [((column + 0.5, row + 0.5), (to_column + 0.5, to_row + 0.5))]
    return [
        ((column + 0.5, row + 0.5), (column + 0.5 + right / 2, row + 0.5 + down / 2)),
        ((to_column + 0.5 - right / 2, to_row + 0.5 - down / 2), (to_column + 0.5, to_row + 0.5)),
    ]
