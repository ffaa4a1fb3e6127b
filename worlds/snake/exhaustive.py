"""Exhaustive source: all boards of snake up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError
from worlds.interface import Instance, sizes_up_to, source
from worlds.snake.rules import Board, Candy
from worlds.snake.world import SnakeInstance, SnakeWorld

MAX_CELLS = 16


def _validate(parameters: Any) -> None:
    rows, columns = parameters.rows, parameters.columns
    if not 2 <= rows * columns <= MAX_CELLS:
        raise UserError(f"world.rows: expected boards of 2 to {MAX_CELLS} cells, got {rows} rows, {columns} columns")


def _set(parameters: Any) -> str:
    units = "1 unit" if parameters.max_capacity == 1 else f"up to {parameters.max_capacity} units"
    size = f"{parameters.rows}x{parameters.columns}"
    return f"boards of up to {size} cells with at most {parameters.candies} candies of {units}"


def _number(parameters: Any) -> int:
    """Return the number of boards: choices of cells and capacities."""
    return sum(
        comb(rows * columns - 1, count) * parameters.max_capacity**count
        for rows, columns in sizes_up_to(parameters.rows, parameters.columns)
        for count in range(1, min(parameters.candies, rows * columns - 1) + 1)
    )


def _with_most_candy(parameters: Any, _: Iterator[SnakeInstance]) -> list[SnakeInstance]:
    """Return a board with the most units of candy."""
    rows, columns = parameters.rows, parameters.columns
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    candies = tuple(Candy(cell, parameters.max_capacity) for cell in cells[1 : parameters.candies + 1])
    return [Instance(SnakeWorld(Board(rows, columns, cells[0], candies)), f"{rows}x{columns}")]


@source("snake/all", validate=_validate, count=_number, exhaustive=_set, samples=_with_most_candy, small_space={})
def all_boards(
    rows: Annotated[int, Meta(ge=1)] = 3,
    columns: Annotated[int, Meta(ge=1)] = 3,
    candies: Annotated[int, Meta(ge=1)] = 2,
    max_capacity: Annotated[int, Meta(ge=1, le=4)] = 2,
) -> Iterator[tuple[str, SnakeWorld]]:
    """Every board up to a size with the head at (0, 0). On a torus every other board is a shift of one of these.

    Parameters
    ----------
    rows, columns : int
        Sides of the largest board, which has at most 16 cells.
    candies : int
        Largest number of candies. Every board has at least one.
    max_capacity : int
        Largest number of units of a candy.
    """
    for height, width in sizes_up_to(rows, columns):
        cells = [(row, column) for row in range(height) for column in range(width)]
        for count in range(1, min(candies, height * width - 1) + 1):
            for chosen in combinations(cells[1:], count):
                for capacities in product(range(1, max_capacity + 1), repeat=count):
                    places = "-".join(f"{r}.{c}x{n}" for (r, c), n in zip(chosen, capacities, strict=True))
                    board = Board(height, width, cells[0], tuple(map(Candy, chosen, capacities)))
                    yield f"{height}x{width}-{places}", SnakeWorld(board)
