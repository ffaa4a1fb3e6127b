"""Exhaustive source: all boards of snake up to a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from runner.base.errors import UserError
from worlds.snake.rules import Board, Candy
from worlds.snake.sources import BoardSource
from worlds.snake.world import SnakeInstance
from worlds.sources import WORLDS, sizes_up_to

MAX_CELLS = 16


@WORLDS.register("snake/all")
@dataclass(frozen=True)
class AllBoards(BoardSource):
    """Every board up to a size with the head at (0, 0). On a torus every other board is a shift of one of these.

    Attributes
    ----------
    rows, columns : int
        Sides of the largest board, which has at most 16 cells.
    candies : int
        Largest number of candies. Every board has at least one.
    max_capacity : int
        Largest number of units of a candy.
    """

    small_space: ClassVar[Mapping[str, Any]] = {}

    rows: Annotated[int, Meta(ge=1)] = 3
    columns: Annotated[int, Meta(ge=1)] = 3
    candies: Annotated[int, Meta(ge=1)] = 2
    max_capacity: Annotated[int, Meta(ge=1, le=4)] = 2

    def __post_init__(self) -> None:
        if not 2 <= self.rows * self.columns <= MAX_CELLS:
            raise UserError(
                f"world.rows: expected boards of 2 to {MAX_CELLS} cells, got {self.rows} rows, {self.columns} columns"
            )

    @property
    def exhaustive(self) -> str:
        """Description of the set of boards."""
        units = "1 unit" if self.max_capacity == 1 else f"up to {self.max_capacity} units"
        return f"boards of up to {self.rows}x{self.columns} cells with at most {self.candies} candies of {units}"

    def instances(self) -> Iterator[SnakeInstance]:
        """Yield the boards by size and number of candies."""
        for rows, columns in sizes_up_to(self.rows, self.columns):
            cells = [(row, column) for row in range(rows) for column in range(columns)]
            for count in range(1, self._most(rows * columns) + 1):
                for chosen in combinations(cells[1:], count):
                    for capacities in product(range(1, self.max_capacity + 1), repeat=count):
                        board = Board(rows, columns, cells[0], tuple(map(Candy, chosen, capacities)))
                        places = "-".join(f"{r}.{c}x{n}" for (r, c), n in zip(chosen, capacities, strict=True))
                        yield self._instance(board, f"{rows}x{columns}-{places}")

    def samples(self) -> Iterator[SnakeInstance]:
        """Yield a board with the most units of candy."""
        rows, columns = self.rows, self.columns
        cells = [(row, column) for row in range(rows) for column in range(columns)]
        chosen = cells[1 : self._most(rows * columns) + 1]
        board = Board(rows, columns, cells[0], tuple(Candy(cell, self.max_capacity) for cell in chosen))
        yield self._instance(board, f"{rows}x{columns}")

    def __len__(self) -> int:
        """Number of boards: choices of cells and capacities."""
        return sum(
            comb(rows * columns - 1, count) * self.max_capacity**count
            for rows, columns in sizes_up_to(self.rows, self.columns)
            for count in range(1, self._most(rows * columns) + 1)
        )

    def _most(self, cells: int) -> int:
        return min(self.candies, cells - 1)
