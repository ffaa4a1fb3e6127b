"""Sources of boards: a suite in the package, a seeded random generator, and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError
from worlds.interface import generator_of, source, suite_paths
from worlds.snake import formats
from worlds.snake.rules import MAX_SIDE, MAX_UNITS, Board, Candy, GridCell
from worlds.snake.world import SnakeInstance, SnakeWorld

SUITES = Path(__file__).parent / "suites"

Side = Annotated[int, Meta(ge=1, le=MAX_SIDE)]


def _with_most_candy(_: Any, boards: Iterator[SnakeInstance]) -> list[SnakeInstance]:
    """Return the board with the most units of candy."""
    return [max(boards, key=lambda board: board.world.board.units)]


@source("snake/static", sampled=True, samples=_with_most_candy)
def boards_of_suite(suite: str = "graded") -> Iterator[tuple[str, SnakeWorld]]:
    """A suite of boards that comes with the package.

    Parameters
    ----------
    suite : str
        Name of a suite: a folder in ``suites`` of the domain.
    """
    return map(loaded_board, suite_paths(SUITES, suite, "*.txt"))


@source("snake/file", files=".txt", content="boards", samples=_with_most_candy)
def loaded_board(file: Path) -> tuple[str, SnakeWorld]:
    """Boards of your own, as text files."""
    name, board = formats.load(file)
    return name, SnakeWorld(board)


def _check_room(parameters: Any) -> None:
    rows, columns, candies = parameters.rows, parameters.columns, parameters.candies
    if candies >= rows * columns:
        raise UserError(
            f"world.candies: a {rows} x {columns} board has room for at most {rows * columns - 1} beside the head, got "
            f"{candies}"
        )
    units = candies * parameters.max_capacity
    if units > MAX_UNITS:
        raise UserError(
            f"world.max_capacity: {candies} candies of up to {parameters.max_capacity} units may be {units} units; at "
            f"most {MAX_UNITS} are allowed"
        )


def _with_largest_candies(parameters: Any, boards: Iterator[SnakeInstance]) -> Iterator[SnakeInstance]:
    """Yield the first board with all candies at the largest capacity."""
    for first in boards:
        board = first.world.board
        candies = tuple(replace(candy, capacity=parameters.max_capacity) for candy in board.candies)
        yield replace(first, world=SnakeWorld(replace(board, candies=candies)))


@source(
    "snake/random", id="random-{rows}x{columns}-{candies}-{max_capacity}-{seed}", validate=_check_room,
    samples=_with_largest_candies,
)  # fmt: skip
def random_boards(
    seed: int,
    rows: Side = 8,
    columns: Side = 8,
    candies: Annotated[int, Meta(ge=1)] = 5,
    max_capacity: Annotated[int, Meta(ge=1)] = 2,
) -> SnakeWorld:
    """Seeded random boards. Head and candies lie anywhere. A board may have no solution.

    Parameters
    ----------
    rows, columns : int
        Sides of the board, in cells.
    candies : int
        Number of candies, each on a cell of its own.
    max_capacity : int
        Largest number of units of a candy. All numbers from 1 are equally likely; candies * max_capacity is at most 50.
    """
    return SnakeWorld(random_board(rows, columns, candies, max_capacity, seed))


def random_board(rows: int, columns: int, candies: int, max_capacity: int, seed: int) -> Board:
    """Return a random board.

    The generator draws the cell of the head, then the cell of each candy among the free ones, then each capacity.
    """
    draws = iter(generator_of(seed).random(1 + 2 * candies).tolist())
    free = [(row, column) for row in range(rows) for column in range(columns)]
    cells: list[GridCell] = []
    for _ in range(1 + candies):
        index = int(next(draws) * len(free))
        cells.append(free[index])
        free[index] = free[-1]
        free.pop()
    return Board(rows, columns, cells[0], tuple(Candy(cell, 1 + int(next(draws) * max_capacity)) for cell in cells[1:]))
