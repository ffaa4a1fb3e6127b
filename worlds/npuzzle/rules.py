"""Rules of the n-puzzle in plain Python.

A board is a tuple of tiles by rows; 0 is the blank. A move is named after the direction of the blank (U, D, L or R) and
costs 1. This module is the reference implementation: it validates plans, and tests compare with it. The search uses the
packed version in `worlds.npuzzle.search`.
"""

from __future__ import annotations

from dataclasses import dataclass

Board = tuple[int, ...]

MIN_SIDE, MAX_SIDE = 2, 10

MOVES = ("U", "L", "R", "D")
"""Moves in the order of the successors."""
STEP = {"U": (-1, 0), "L": (0, -1), "R": (0, 1), "D": (1, 0)}
OPPOSITE = {"U": "D", "L": "R", "R": "L", "D": "U"}
DIRECTION = {"U": "up", "L": "left", "R": "right", "D": "down"}


@dataclass(frozen=True)
class Puzzle:
    """A board to solve.

    Attributes
    ----------
    rows, columns : int
        Sides of the board.
    board, goal : tuple of int
        Permutations of 0 to rows * columns - 1.
    """

    rows: int
    columns: int
    board: Board
    goal: Board


def blank_last(cells: int) -> Board:
    """Return the goal 1 2 ... 0."""
    return (*range(1, cells), 0)


def blank_first(cells: int) -> Board:
    """Return the goal 0 1 2 ..., which Korf's instances have."""
    return tuple(range(cells))


def destination(puzzle: Puzzle, blank: int, move: str) -> int | None:
    """Return the cell to which a move takes the blank; None if it is beyond the edge."""
    row, column = divmod(blank, puzzle.columns)
    row, column = row + STEP[move][0], column + STEP[move][1]
    inside = 0 <= row < puzzle.rows and 0 <= column < puzzle.columns
    return row * puzzle.columns + column if inside else None


def act(puzzle: Puzzle, board: Board, move: str) -> Board | None:
    """Return the board after a move; None if the move is not possible.

    Raises
    ------
    ValueError
        If there is no such move.
    """
    if move not in STEP:
        raise ValueError(f"there is no move {move!r}")
    blank = board.index(0)
    to = destination(puzzle, blank, move)
    if to is None:
        return None
    tiles = list(board)
    tiles[blank], tiles[to] = tiles[to], 0
    return tuple(tiles)


def is_solvable(puzzle: Puzzle) -> bool:
    """Return whether the goal can be reached.

    Every move is a transposition and moves the blank by one cell. So the permutation from the board to the goal must
    have the same parity as the Manhattan distance of the blank. Source: Johnson and Story, "Notes on the '15' puzzle",
    American Journal of Mathematics 2, 1879.
    """
    where = {tile: cell for cell, tile in enumerate(puzzle.goal)}
    target = [where[tile] for tile in puzzle.board]
    transpositions, seen = 0, [False] * len(target)
    for start in range(len(target)):
        length, cell = 0, start
        while not seen[cell]:
            seen[cell] = True
            cell = target[cell]
            length += 1
        transpositions += max(0, length - 1)
    (row, column), (goal_row, goal_column) = (divmod(b.index(0), puzzle.columns) for b in (puzzle.board, puzzle.goal))
    return (transpositions - abs(row - goal_row) - abs(column - goal_column)) % 2 == 0
