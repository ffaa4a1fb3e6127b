"""The rules of the n-puzzle in plain Python.

A board is a tuple of tiles by rows, 0 is the blank. A move is named after where the blank goes: U, D, L or R; it costs
1. This module is the readable truth: it validates plans and is the oracle in tests; the search uses the packed version
in `worlds.npuzzle.search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Board = tuple[int, ...]

SMALLEST_SIDE, MAX_SIDE = 2, 10

MOVES = ("U", "L", "R", "D")
"""In the order in which successors come."""
STEP = {"U": (-1, 0), "L": (0, -1), "R": (0, 1), "D": (1, 0)}
OPPOSITE = {"U": "D", "L": "R", "R": "L", "D": "U"}
DIRECTION = {"U": "up", "L": "left", "R": "right", "D": "down"}


@dataclass(frozen=True)
class Puzzle:
    """A board to solve.

    Attributes
    ----------
    rows, columns : int
    board, goal : tuple of int
        Permutations of 0 to rows * columns - 1.
    """

    rows: int
    columns: int
    board: Board
    goal: Board


def blank_last(cells: int) -> Board:
    """The goal 1 2 ... 0."""
    return (*range(1, cells), 0)


def blank_first(cells: int) -> Board:
    """The goal 0 1 2 ..., that of Korf's instances."""
    return tuple(range(cells))


def destination(puzzle: Puzzle, blank: int, move: str) -> int | None:
    """The cell to which a move takes the blank; None beyond the edge."""
    row, column = divmod(blank, puzzle.columns)
    row, column = row + STEP[move][0], column + STEP[move][1]
    inside = 0 <= row < puzzle.rows and 0 <= column < puzzle.columns
    return row * puzzle.columns + column if inside else None


def act(puzzle: Puzzle, board: Board, move: str) -> Board | None:
    """The board after a move; None if it is not possible.

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


def play(puzzle: Puzzle, plan: Sequence[str]) -> Iterator[Board]:
    """The boards after each move of a plan; ends before the first move that is not possible."""
    board = puzzle.board
    for move in plan:
        after = act(puzzle, board, move)
        if after is None:
            return
        yield after
        board = after


def tile_moves(puzzle: Puzzle, plan: Sequence[str]) -> list[str]:
    """A plan in the encoding of the tiles: "move tile 7 left" where the blank goes right."""
    before = puzzle.board
    told = []
    for move, after in zip(plan, play(puzzle, plan), strict=False):
        told.append(f"move tile {before[after.index(0)]} {DIRECTION[OPPOSITE[move]]}")
        before = after
    return told


def is_solvable(puzzle: Puzzle) -> bool:
    """Whether the goal can be reached: every move is a transposition and moves the blank by one.

    So the parity of the permutation from board to goal must be that of the blank's way. Source: Johnson and Story,
    "Notes on the '15' puzzle", American Journal of Mathematics 2, 1879.
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
