"""All boards of snake up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Annotated, ClassVar

from msgspec import Meta

from runner.registry import UserError, register
from worlds.interface import Source
from worlds.snake.instance import SnakeInstance
from worlds.snake.rules import Board, Candy

MAX_CELLS = 16


@register("world", "snake/all")
@dataclass(frozen=True)
class AllBoards(Source):
    """Every board up to a size, the head at (0, 0): on a torus all others are like these.

    Attributes
    ----------
    rows, columns : int
        Sides of the largest board, in cells; at most 16 cells.
    candies : int
        At most so many, and at least one.
    max_capacity : int
        Each candy has 1 to so many units.
    """

    domain: ClassVar[str] = SnakeInstance.domain

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
        """All boards up to the size."""
        units = "1 unit" if self.max_capacity == 1 else f"up to {self.max_capacity} units"
        return f"boards of up to {self.rows}x{self.columns} cells with at most {self.candies} candies of {units}"

    def instances(self) -> Iterator[SnakeInstance]:
        """Boards by size and number of candies."""
        for rows, columns in self._sizes():
            cells = [(row, column) for row in range(rows) for column in range(columns)]
            for count in range(1, self._most(rows * columns) + 1):
                for chosen in combinations(cells[1:], count):
                    for capacities in product(range(1, self.max_capacity + 1), repeat=count):
                        board = Board(rows, columns, cells[0], tuple(map(Candy, chosen, capacities)))
                        places = "-".join(f"{r}.{c}x{n}" for (r, c), n in zip(chosen, capacities, strict=True))
                        yield SnakeInstance(board, f"{rows}x{columns}-{places}", None, self.registered_name)

    def samples(self) -> Iterator[SnakeInstance]:
        """The board with the most units of candy, which is the last."""
        rows, columns = self._sizes()[-1]
        cells = [(row, column) for row in range(rows) for column in range(columns)]
        chosen = cells[1 : self._most(rows * columns) + 1]
        board = Board(rows, columns, cells[0], tuple(Candy(cell, self.max_capacity) for cell in chosen))
        yield SnakeInstance(board, f"{rows}x{columns}", None, self.registered_name)

    def __len__(self) -> int:
        """Choices of cells and capacities."""
        return sum(
            comb(rows * columns - 1, count) * self.max_capacity**count
            for rows, columns in self._sizes()
            for count in range(1, self._most(rows * columns) + 1)
        )

    def _most(self, cells: int) -> int:
        return min(self.candies, cells - 1)

    def _sizes(self) -> list[tuple[int, int]]:
        sizes = [(r, c) for r in range(1, self.rows + 1) for c in range(1, self.columns + 1) if r * c > 1]
        return sorted(sizes, key=lambda size: (size[0] * size[1], size))
