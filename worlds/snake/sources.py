"""Sources of boards: a suite in the package, a seeded random generator, and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from runner.base.errors import UserError
from worlds.interface import Instance
from worlds.snake import formats
from worlds.snake.rules import MAX_SIDE, MAX_UNITS, Board, Candy, GridCell
from worlds.snake.world import SnakeInstance, SnakeWorld
from worlds.sources import WORLDS, Count, FileSource, Seed, SeededSource, Source, UserFiles, generator_of, suite_paths

SUITES = Path(__file__).parent / "suites"

Side = Annotated[int, Meta(ge=1, le=MAX_SIDE)]


@dataclass(frozen=True)
class BoardSource(Source):
    """Base of all sources of boards."""

    domain: ClassVar[str] = SnakeWorld.domain

    def _instance(self, board: Board, identifier: str, seed: int | None = None) -> SnakeInstance:
        return Instance(SnakeWorld(board), identifier, seed, self.registered_name)


@dataclass(frozen=True)
class _Files(FileSource[SnakeInstance], BoardSource):
    def load(self, path: Path) -> Iterator[SnakeInstance]:
        identifier, board = formats.load(path)
        yield self._instance(board, identifier)

    def samples(self) -> Iterator[SnakeInstance]:
        """Yield the board with the most units of candy."""
        yield max(self.loaded, key=lambda instance: instance.world.board.units)


@WORLDS.register("snake/static")
@dataclass(frozen=True)
class StaticBoards(_Files):
    """A suite of boards that comes with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/snake/suites``.
    """

    suite: str = "graded"

    def paths(self) -> list[Path]:
        """Return the files of the suite."""
        return suite_paths(SUITES, self.suite, "*.txt")


@WORLDS.register("snake/file")
@dataclass(frozen=True)
class BoardFiles(UserFiles[SnakeInstance], _Files):
    """Boards of your own, as text files."""

    extensions = (".txt",)
    content = "boards"


@WORLDS.register("snake/random")
@dataclass(frozen=True)
class RandomBoards(BoardSource, SeededSource):
    """Seeded random boards. Head and candies lie anywhere. A board may have no solution.

    Attributes
    ----------
    count : int
        Number of boards.
    rows, columns : int
        Sides of the board, in cells.
    candies : int
        Number of candies, each on a cell of its own.
    max_capacity : int
        Largest number of units of a candy. All numbers from 1 are equally likely; candies * max_capacity is at most 50.
    seed : int
        Board number i has seed `seed` + i, so ``seed=17 count=1`` makes the board of that seed again.
    """

    count: Count = 100
    rows: Side = 8
    columns: Side = 8
    candies: Annotated[int, Meta(ge=1)] = 5
    max_capacity: Annotated[int, Meta(ge=1)] = 2
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.candies >= self.rows * self.columns:
            raise UserError(
                f"world.candies: a {self.rows} x {self.columns} board has room for at most "
                f"{self.rows * self.columns - 1} beside the head, got {self.candies}"
            )
        if self.candies * self.max_capacity > MAX_UNITS:
            raise UserError(
                f"world.max_capacity: {self.candies} candies of up to {self.max_capacity} units may be "
                f"{self.candies * self.max_capacity} units; at most {MAX_UNITS} are allowed"
            )

    def seeded(self, seed: int) -> SnakeInstance:
        """Make the board of a seed."""
        board = random_board(self.rows, self.columns, self.candies, self.max_capacity, seed)
        identifier = f"random-{self.rows}x{self.columns}-{self.candies}-{self.max_capacity}-{seed}"
        return self._instance(board, identifier, seed)

    def samples(self) -> Iterator[SnakeInstance]:
        """Yield the first board with all candies at the largest capacity."""
        first = self.seeded(self.seed)
        candies = tuple(replace(candy, capacity=self.max_capacity) for candy in first.world.board.candies)
        yield replace(first, world=SnakeWorld(replace(first.world.board, candies=candies)))


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
