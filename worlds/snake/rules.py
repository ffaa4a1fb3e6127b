"""Rules of snake and candies on a torus in plain Python.

A move is L, R, D or U and costs 1. A snake that leaves the board on one side comes in on the opposite side. A head that
enters the cell of a candy eats one unit of it, and the snake grows by one cell in that move; otherwise the tail leaves
its cell. The goal is to eat all candies. This module is the reference implementation: it validates plans, and tests
compare with it. The search uses the packed version in `worlds.snake.search`.
"""

from __future__ import annotations

from dataclasses import dataclass

GridCell = tuple[int, int]

MAX_SIDE, MAX_UNITS = 64, 50

MOVES = ("L", "R", "D", "U")
"""Moves in the order of the successors."""
STEP = {"L": (0, -1), "R": (0, 1), "D": (1, 0), "U": (-1, 0)}
DIRECTION = {"L": "left", "R": "right", "D": "down", "U": "up"}


@dataclass(frozen=True)
class Candy:
    """A candy.

    Attributes
    ----------
    cell : (int, int)
        Row and column.
    capacity : int
        Number of units at the start, 1 or more.
    """

    cell: GridCell
    capacity: int


@dataclass(frozen=True)
class Board:
    """A torus with candies and the head of the snake. The snake has no body at the start.

    Attributes
    ----------
    rows, columns : int
        Sides of the board, 1 to 64.
    head : (int, int)
        Row and column of the head, from 0.
    candies : tuple of Candy
        Candies on different cells, none on the cell of the head; at most 50 units in all.
    """

    rows: int
    columns: int
    head: GridCell
    candies: tuple[Candy, ...]

    def __post_init__(self) -> None:
        cells = {self.head, *(candy.cell for candy in self.candies)}
        if len(cells) <= len(self.candies):
            raise ValueError("head and candies must be on different cells")
        sides_fit = 1 <= self.rows <= MAX_SIDE and 1 <= self.columns <= MAX_SIDE
        if not sides_fit or not all(0 <= row < self.rows and 0 <= column < self.columns for row, column in cells):
            raise ValueError(f"sides must be 1 to {MAX_SIDE}, and all cells on the board")
        if any(candy.capacity < 1 for candy in self.candies) or self.units > MAX_UNITS:
            raise ValueError(f"a candy has 1 unit or more, and all candies together have at most {MAX_UNITS}")

    @property
    def units(self) -> int:
        """Number of units of all candies."""
        return sum(candy.capacity for candy in self.candies)


@dataclass(frozen=True)
class Snake:
    """A state: the snake, and the units left.

    Attributes
    ----------
    head : (int, int)
        Row and column.
    body : tuple of (int, int)
        Cells behind the head, the nearest first.
    left : tuple of int
        Units left of each candy.
    """

    head: GridCell
    body: tuple[GridCell, ...]
    left: tuple[int, ...]


def start(board: Board) -> Snake:
    """Return the state before the first move."""
    return Snake(board.head, (), tuple(candy.capacity for candy in board.candies))


def destination(board: Board, cell: GridCell, move: str) -> GridCell | None:
    """Return the neighbour of a cell to which a move leads; None if it would be the cell itself, where a side is 1.

    Where a side is 2, both directions lead to the same cell, by two different moves.

    Raises
    ------
    ValueError
        If there is no such move.
    """
    if move not in STEP:
        raise ValueError(f"there is no move {move!r}")
    to = (cell[0] + STEP[move][0]) % board.rows, (cell[1] + STEP[move][1]) % board.columns
    return None if to == cell else to


def act(board: Board, snake: Snake, move: str) -> Snake | None:
    """Return the state after a move; None if the move is not possible.

    The head must not enter a cell of the body. Exception: the cell of the tail, if the tail leaves it in this move and
    is not directly behind the head.
    """
    to = destination(board, snake.head, move)
    if to is None:
        return None
    left = tuple(
        units - (units > 0 and candy.cell == to) for units, candy in zip(snake.left, board.candies, strict=True)
    )
    behind = (snake.head, *snake.body)
    body = behind if left != snake.left else behind[:-1]
    if to in body or to in snake.body[:1]:
        return None
    return Snake(to, body, left)


def is_goal(snake: Snake) -> bool:
    """Return whether nothing is left."""
    return not any(snake.left)


def fits(board: Board) -> bool:
    """Return whether the board has room for the snake that has eaten everything. This holds iff there is a solution.

    On a torus a cycle leads through all cells. A snake that follows this cycle reaches every candy again and again. The
    cell in front of it is free as long as the snake does not fill the cycle.
    """
    return board.units + 1 <= board.rows * board.columns
