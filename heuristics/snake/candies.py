"""Table of the candies for the heuristics: their bits in a state, and their distances from each cell."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worlds.compile import helper
from worlds.interface import Problem
from worlds.snake.rules import Board
from worlds.snake.search import COLUMN_BITS, END, candy_bits, head_of, moves_until_eaten_again, number_of, units_of
from worlds.snake.world import SnakeWorld

Metric = Literal["torus", "plane"]

# Layout of the table, which follows the packed world: the number of candies, of rows and of columns; then an entry for
# each candy: its bits, its cell, the distances of all rows from it, and the distances of all columns from it.
COUNT, ROWS, COLUMNS, FIRST = range(4)
BITS, CELL, DISTANCES = range(3)


def board_of(problem: Problem) -> Board:
    """Return the board of a packed problem."""
    assert isinstance(problem.world, SnakeWorld)
    return problem.world.board


def candy_table(problem: Problem, metric: Metric = "torus") -> NDArray[np.int64]:
    """Return the table, which follows the packed world."""
    board = board_of(problem)
    parts: list[object] = [[len(board.candies), board.rows, board.columns]]
    for candy, bits in zip(board.candies, candy_bits(board), strict=True):
        row, column = candy.cell
        parts += [[bits, number_of(board, candy.cell)]]
        parts += [axis_distances(np.arange(board.rows), row, board.rows, metric)]
        parts += [axis_distances(np.arange(board.columns), column, board.columns, metric)]
    return np.concatenate([np.asarray(part, np.int64) for part in parts])


def axis_distances(here: NDArray[np.int64], there: int, side: int, metric: Metric) -> NDArray[np.int64]:
    """Return the distances of rows (or columns) from one of them: around the torus, or without crossing the edge."""
    straight = np.abs(here - there)
    return np.minimum(straight, side - straight) if metric == "torus" else straight


def between_candies(board: Board) -> NDArray[np.int64]:
    """Return the distances between all candies on the torus, shape (candies, candies)."""
    rows, columns = (np.array([candy.cell[axis] for candy in board.candies], np.int64) for axis in (0, 1))
    of_rows = [axis_distances(rows, row, board.rows, "torus") for row in rows.tolist()]
    of_columns = [axis_distances(columns, column, board.columns, "torus") for column in columns.tolist()]
    shape = (len(board.candies), len(board.candies))
    return (np.array(of_rows, np.int64) + np.array(of_columns, np.int64)).reshape(shape)


@helper
def entry_of(params, candy):
    """Return the place of a candy's entry in params."""
    table = params[END]
    return table + FIRST + candy * (DISTANCES + params[table + ROWS] + params[table + COLUMNS])


@helper
def units_left(params, states, at, candy):
    """Return the bits of the units of a candy that are left."""
    return units_of(params, states, at) & params[entry_of(params, candy) + BITS]


@helper
def distance_to(params, states, at, candy):
    """Return the number of rows plus columns between the head and a candy."""
    entry, head = entry_of(params, candy), head_of(params, states, at)
    row, column = head >> params[COLUMN_BITS], head & ((1 << params[COLUMN_BITS]) - 1)
    rows = params[params[END] + ROWS]
    return params[entry + DISTANCES + row] + params[entry + DISTANCES + rows + column]


@helper
def arrival(params, states, at, candy):
    """Return a lower bound on the moves until the head enters a candy's cell: the larger of its distance and its wait.

    The wait is the number of moves until the snake has left the cell. A move that does not eat this candy lowers the
    bound by at most 1. The distance drops by at most 1. The wait drops by 1, or by 0 if the snake grows. Only when the
    tail leaves the cell does the wait drop from 2 to 0. But then the distance is at least 1, because the head could
    enter the cell only by eating.
    """
    distance = distance_to(params, states, at, candy)
    entry = entry_of(params, candy)
    bits = params[entry + BITS]
    lowest = bits & -bits
    if units_of(params, states, at) & lowest == 0:  # it was eaten from, so the snake may lie there
        return max(distance, moves_until_eaten_again(params, states, at, params[entry + CELL]))
    return distance
