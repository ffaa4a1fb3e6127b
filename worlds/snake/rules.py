"""The rules of snake and candies on a torus in plain Python.

A move is L, R, D or U; it costs 1, and what leaves the board on one side comes in on the other. Entering the cell of a
candy eats one unit of it, and the snake grows by one cell in that move; otherwise its tail moves up. All candies are to
be eaten. This module is the readable truth: it validates plans and is the oracle in tests; the search uses the packed
version in `worlds.snake.search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Cell = tuple[int, int]

MAX_SIDE, MAX_UNITS = 64, 50

MOVES = ("L", "R", "D", "U")
"""In the order in which successors come."""
STEP = {"L": (0, -1), "R": (0, 1), "D": (1, 0), "U": (-1, 0)}
DIRECTION = {"L": "left", "R": "right", "D": "down", "U": "up"}


@dataclass(frozen=True)
class Candy:
    """Where a candy lies, and of how many units it consists."""

    cell: Cell
    capacity: int


@dataclass(frozen=True)
class Board:
    """A torus with candies, and a snake that is only a head yet.

    Attributes
    ----------
    rows, columns : int
        1 to 64.
    head : (int, int)
        Row and column, from 0.
    candies : tuple of Candy
        On different cells, none on the head's; at most 50 units in all.
    """

    rows: int
    columns: int
    head: Cell
    candies: tuple[Candy, ...]

    def __post_init__(self) -> None:
        cells = {self.head, *(candy.cell for candy in self.candies)}
        if len(cells) <= len(self.candies):
            raise ValueError("head and candies must be on different cells")
        sides_fit = 1 <= self.rows <= MAX_SIDE and 1 <= self.columns <= MAX_SIDE
        if not sides_fit or not all(0 <= row < self.rows and 0 <= column < self.columns for row, column in cells):
            raise ValueError(f"sides must be 1 to {MAX_SIDE}, and all cells on the board")
        if any(candy.capacity < 1 for candy in self.candies) or self.units > MAX_UNITS:
            raise ValueError(f"a candy has 1 unit or more, and all together at most {MAX_UNITS}")

    @property
    def units(self) -> int:
        """How much there is to eat."""
        return sum(candy.capacity for candy in self.candies)


@dataclass(frozen=True)
class Snake:
    """A state: where the snake lies, and what is left.

    Attributes
    ----------
    head : (int, int)
    body : tuple of (int, int)
        The cells behind the head, the nearest first.
    left : tuple of int
        Units left of each candy.
    """

    head: Cell
    body: tuple[Cell, ...]
    left: tuple[int, ...]


def start(board: Board) -> Snake:
    """Before the first move."""
    return Snake(board.head, (), tuple(candy.capacity for candy in board.candies))


def destination(board: Board, cell: Cell, move: str) -> Cell | None:
    """The neighbour of a cell; None where a side is 1: the head never stays where it is.

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
    """The state after a move; None if it is not possible.

    The head may enter no cell of the body, but that of the tail if the tail moves away in this move and is not directly
    behind the head.
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


def play(board: Board, plan: Sequence[str]) -> Iterator[Snake]:
    """The states after each move of a plan; ends before the first move that is not possible."""
    snake = start(board)
    for move in plan:
        after = act(board, snake, move)
        if after is None:
            return
        yield after
        snake = after


def is_goal(snake: Snake) -> bool:
    """Nothing is left."""
    return not any(snake.left)


def fits(board: Board) -> bool:
    """Whether there is room for the snake after it has eaten everything; there is a solution exactly if there is.

    On a torus a cycle leads through all cells. A snake that follows it for ever comes to every candy again and again,
    and as long as it does not fill the cycle the cell in front of it is free.
    """
    return board.units + 1 <= board.rows * board.columns
