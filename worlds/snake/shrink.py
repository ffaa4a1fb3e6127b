"""Simpler boards, to shrink counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worlds.snake.rules import STEP, Board, Candy, GridCell


def smaller(board: Board) -> Iterator[Board]:
    """Yield boards that are one step simpler.

    A step removes an empty row or column, a candy or a unit of it, or moves a candy closer to the head.
    """
    occupied = [board.head, *(candy.cell for candy in board.candies)]
    for axis, side in enumerate((board.rows, board.columns)):
        for line in range(side):
            if side > 1 and all(cell[axis] != line for cell in occupied):
                yield _without_line(board, axis, line)
    for index in range(len(board.candies)):
        yield _with(board, index)
    for index, candy in enumerate(board.candies):
        if candy.capacity > 1:
            yield _with(board, index, replace(candy, capacity=candy.capacity - 1))
    for index, candy in enumerate(board.candies):
        for down, right in STEP.values():
            cell = (candy.cell[0] + down) % board.rows, (candy.cell[1] + right) % board.columns
            if cell not in occupied and _distance(board, cell) < _distance(board, candy.cell):
                yield _with(board, index, replace(candy, cell=cell))


def _without_line(board: Board, axis: int, line: int) -> Board:
    def moved(cell: GridCell) -> GridCell:
        row, column = (cell[k] - (k == axis and cell[k] > line) for k in (0, 1))
        return row, column

    candies = tuple(Candy(moved(candy.cell), candy.capacity) for candy in board.candies)
    return Board(board.rows - (axis == 0), board.columns - (axis == 1), moved(board.head), candies)


def _with(board: Board, index: int, *candies: Candy) -> Board:
    """Return the board with one candy replaced by others, or by none."""
    return replace(board, candies=(*board.candies[:index], *candies, *board.candies[index + 1 :]))


def _distance(board: Board, cell: GridCell) -> int:
    """Return the distance of a cell from the head, around the torus."""
    axes = zip(cell, board.head, (board.rows, board.columns), strict=True)
    return sum(min((one - other) % side, (other - one) % side) for one, other, side in axes)
