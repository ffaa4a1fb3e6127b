"""Where boards come from: a suite in the package, a seeded random generator, and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from runner.registry import UserError, register
from worlds.file_sources import FileSource, suite_paths
from worlds.files import find_files
from worlds.interface import IndependentSource, Instance
from worlds.snake import formats
from worlds.snake.instance import SnakeInstance
from worlds.snake.rules import MAX_SIDE, MAX_UNITS, Board, Candy, Cell

SUITES = Path(__file__).parent / "suites"

Side = Annotated[int, Meta(ge=1, le=MAX_SIDE)]


@dataclass(frozen=True)
class _Files(FileSource):
    domain: ClassVar[str] = SnakeInstance.domain

    def _load(self, path: Path) -> SnakeInstance:
        identifier, board = formats.load(path)
        return SnakeInstance(board, identifier, None, self.registered_name)

    def samples(self) -> Iterator[Instance]:
        """The board with the most units of candy."""
        yield max(self._instances, key=_units)


@register("world", "snake/static")
@dataclass(frozen=True)
class StaticBoards(_Files):
    """A suite of boards that comes with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/snake/suites``.
    """

    suite: str = "graded"

    def _paths(self) -> list[Path]:
        return suite_paths(SUITES, self.suite, "*.txt")


@register("world", "snake/file")
@dataclass(frozen=True)
class BoardFiles(_Files):
    """Boards of your own, as text files.

    Attributes
    ----------
    path : str
        A file, a folder, or a glob pattern; relative to the working directory.
    """

    path: str = field(kw_only=True)

    def _paths(self) -> list[Path]:
        return find_files(self.path, (".txt",), "boards")


@register("world", "snake/random")
@dataclass(frozen=True)
class RandomBoards(IndependentSource):
    """Seeded random boards. Head and candies lie anywhere; whether there is a solution is not checked.

    Attributes
    ----------
    count : int
        Number of boards.
    rows, columns : int
        Sides of the board, in cells.
    candies : int
        Number of candies, each on a cell of its own.
    max_capacity : int
        Each candy has 1 to so many units, all equally likely; candies * max_capacity is at most 50.
    seed : int
        Board number i has seed `seed` + i, so ``seed=17 count=1`` makes the board of that seed again.
    """

    domain: ClassVar[str] = SnakeInstance.domain

    count: Annotated[int, Meta(ge=1, le=10**9)] = 100
    rows: Side = 8
    columns: Side = 8
    candies: Annotated[int, Meta(ge=1)] = 5
    max_capacity: Annotated[int, Meta(ge=1)] = 2
    seed: Annotated[int, Meta(ge=0, lt=2**62)] = 0

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

    def instance(self, number: int) -> SnakeInstance:
        """Boards are numbered by seed."""
        seed = self.seed + number
        board = random_board(self.rows, self.columns, self.candies, self.max_capacity, seed)
        identifier = f"random-{self.rows}x{self.columns}-{self.candies}-{self.max_capacity}-{seed}"
        return SnakeInstance(board, identifier, seed, self.registered_name)

    def samples(self) -> Iterator[SnakeInstance]:
        """The first board, as if all its candies had the largest capacity."""
        first = self.instance(0)
        candies = tuple(replace(candy, capacity=self.max_capacity) for candy in first.board.candies)
        yield replace(first, board=replace(first.board, candies=candies))

    def __len__(self) -> int:
        return self.count


def random_board(rows: int, columns: int, candies: int, max_capacity: int, seed: int) -> Board:
    """A random board from numpy's PCG64.

    Only uniform doubles are drawn, whose stream numpy keeps stable: for the head, then for each candy its cell among
    those that are free yet, then for each its capacity.
    """
    draws = iter(np.random.Generator(np.random.PCG64(seed)).random(1 + 2 * candies).tolist())
    free = [(row, column) for row in range(rows) for column in range(columns)]
    cells: list[Cell] = []
    for _ in range(1 + candies):
        index = int(next(draws) * len(free))
        cells.append(free[index])
        free[index] = free[-1]
        free.pop()
    return Board(rows, columns, cells[0], tuple(Candy(cell, 1 + int(next(draws) * max_capacity)) for cell in cells[1:]))


def _units(instance: Instance) -> int:
    assert isinstance(instance, SnakeInstance)
    return instance.board.units
