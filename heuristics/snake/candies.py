"""What the heuristics know of the candies: their bits in a state, and how far they are from each cell."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worlds.interface import Problem
from worlds.kernel import helper
from worlds.snake.instance import SnakeInstance
from worlds.snake.rules import Board
from worlds.snake.search import COLUMN_BITS, END, candy_bits, head_of, moves_until_eaten_again, number_of, units_of

Metric = Literal["torus", "plane"]

# A table behind the packed world: the number of candies, rows and columns; then for each candy its bits, its cell, and
# the distances of all rows, and of all columns, from it.
COUNT, ROWS, COLUMNS, FIRST = range(4)
BITS, CELL, DISTANCES = range(3)


def board_of(problem: Problem) -> Board:
    """The board that was packed."""
    assert isinstance(problem.instance, SnakeInstance)
    return problem.instance.board


def with_candies(problem: Problem, metric: Metric = "torus") -> NDArray[np.int64]:
    """The packed world, and behind it the table."""
    board = board_of(problem)
    parts: list[object] = [[len(board.candies), board.rows, board.columns]]
    for candy, bits in zip(board.candies, candy_bits(board), strict=True):
        row, column = candy.cell
        parts += [[bits, number_of(board, candy.cell)]]
        parts += [apart(np.arange(board.rows), row, board.rows, metric)]
        parts += [apart(np.arange(board.columns), column, board.columns, metric)]
    return np.concatenate([problem.world, *(np.asarray(part, np.int64) for part in parts)])


def apart(here: NDArray[np.int64], there: int, side: int, metric: Metric) -> NDArray[np.int64]:
    """How far rows (or columns) are from one of them: around the torus, or without crossing the edge."""
    straight = np.abs(here - there)
    return np.minimum(straight, side - straight) if metric == "torus" else straight


def between_candies(board: Board) -> NDArray[np.int64]:
    """Distances on the torus, shape (candies, candies)."""
    rows, columns = (np.array([candy.cell[axis] for candy in board.candies], np.int64) for axis in (0, 1))
    of_rows = [apart(rows, row, board.rows, "torus") for row in rows.tolist()]
    of_columns = [apart(columns, column, board.columns, "torus") for column in columns.tolist()]
    shape = (len(board.candies), len(board.candies))
    return (np.array(of_rows, np.int64) + np.array(of_columns, np.int64)).reshape(shape)


@helper
def entry_of(params, candy):
    """Where the table tells of a candy."""
    table = params[END]
    return table + FIRST + candy * (DISTANCES + params[table + ROWS] + params[table + COLUMNS])


@helper
def units_left(params, states, at, candy):
    """The bits of the units of a candy that are left."""
    return units_of(params, states, at) & params[entry_of(params, candy) + BITS]


@helper
def distance_to(params, states, at, candy):
    """Rows and columns between the head and a candy."""
    entry, head = entry_of(params, candy), head_of(params, states, at)
    row, column = head >> params[COLUMN_BITS], head & ((1 << params[COLUMN_BITS]) - 1)
    rows = params[params[END] + ROWS]
    return params[entry + DISTANCES + row] + params[entry + DISTANCES + rows + column]


@helper
def arrival(params, states, at, candy):
    """No candy that is left can be entered in fewer moves: its distance, and until the snake has left its cell.

    It drops by at most 1 with every move that does not eat this candy: so does the distance; and the snake that lies on
    the cell passes by one cell in each move, or by none, if it grows. When its tail leaves the cell the wait falls from
    2 to 0, but then the distance is 1 at least, because the head could have entered the cell only by eating.
    """
    distance = distance_to(params, states, at, candy)
    entry = entry_of(params, candy)
    bits = params[entry + BITS]
    lowest = bits & -bits
    if units_of(params, states, at) & lowest == 0:  # it was eaten from, so the snake may lie there
        return max(distance, moves_until_eaten_again(params, states, at, params[entry + CELL]))
    return distance
