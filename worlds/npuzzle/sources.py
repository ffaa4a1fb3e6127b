"""Sources of boards: random boards, files, and the benchmark instances of Korf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from runner.base.errors import UserError, suggest
from runner.base.files import checked_id, file_error
from worlds.interface import Instance
from worlds.npuzzle import formats, rules
from worlds.npuzzle.rules import MAX_SIDE, MIN_SIDE, Board, Puzzle
from worlds.npuzzle.world import PuzzleInstance, PuzzleWorld
from worlds.sources import (
    WORLDS,
    Count,
    SampledSource,
    Seed,
    SeededSource,
    Source,
    UserFiles,
    chosen_numbers,
    generator_of,
    sides_of,
)

INSTANCES = Path(__file__).parent / "instances"
GOALS = {"blank_last": rules.blank_last, "blank_first": rules.blank_first}

SizeParameter = int | str | list[int]
GoalParameter = str | list[int]


@dataclass(frozen=True)
class PuzzleSource(Source):
    """Base of all sources of boards."""

    domain: ClassVar[str] = PuzzleWorld.domain

    def _instance(self, puzzle: Puzzle, identifier: str, seed: int | None = None) -> PuzzleInstance:
        return Instance(PuzzleWorld(puzzle), identifier, seed, self.registered_name)


@WORLDS.register("npuzzle/random")
@dataclass(frozen=True)
class RandomBoards(PuzzleSource, SeededSource):
    """Seeded random boards.

    Attributes
    ----------
    count : int
        Number of boards.
    size : int, "RxC" or [rows, columns]
        Sides of the board, 2 to 10.
    seed : int
        Board number i has seed `seed` + i, so ``seed=17 count=1`` makes the board of that seed again.
    shuffle : {"uniform", "walk"}
        `uniform`: every solvable board is equally likely. `walk`: random legal moves from the goal.
    steps : int
        Number of moves of a walk.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"size": 3, "count": 1}

    count: Count = 100
    size: SizeParameter = 4
    seed: Seed = 0
    shuffle: Literal["uniform", "walk"] = "uniform"
    steps: Annotated[int, Meta(ge=0, le=10**9)] = 100_000
    goal: GoalParameter = "blank_last"

    def __post_init__(self) -> None:
        rows, columns = size_of(self.size)
        goal_of(self.goal, rows * columns)

    def seeded(self, seed: int) -> PuzzleInstance:
        """Make the board of a seed."""
        rows, columns = size_of(self.size)
        goal = goal_of(self.goal, rows * columns)
        solved = Puzzle(rows, columns, goal, goal)
        board = uniform(solved, seed) if self.shuffle == "uniform" else walk(solved, self.steps, seed)
        return self._instance(Puzzle(rows, columns, board, goal), f"{self.shuffle}-{rows}x{columns}-{seed}", seed)


@WORLDS.register("npuzzle/file")
@dataclass(frozen=True)
class BoardFiles(UserFiles[PuzzleInstance], PuzzleSource):
    """Boards of your own, one per line (or CSV with a column `board`).

    Attributes
    ----------
    size : int, "RxC" or [rows, columns], optional
        Sides of all boards. Unless given, every board is a square.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """

    extensions = (".txt", ".csv")
    content = "boards"

    size: SizeParameter | None = None
    goal: GoalParameter = "blank_last"

    def load(self, path: Path) -> Iterator[PuzzleInstance]:
        """Read the boards of one file."""
        size = None if self.size is None else size_of(self.size)
        for number, entry in enumerate(formats.load(path, size), 1):
            name = entry.id or checked_id(f"{path.stem}_{number}", partial(file_error, path))
            goal = goal_of(self.goal, len(entry.board))
            yield self._instance(Puzzle(entry.rows, entry.columns, entry.board, goal), name)

    def samples(self) -> Iterator[PuzzleInstance]:
        """Yield the first board of each size."""
        yield from {(i.world.puzzle.rows, i.world.puzzle.columns): i for i in reversed(self.loaded)}.values()


@dataclass(frozen=True)
class _Table(PuzzleSource, SampledSource):
    """A table of boards in the package.

    Attributes
    ----------
    instances_ : list of int or "a-b", optional
        Numbers of the boards from 1, and ranges of numbers with both ends included. Unless given, all boards.
    """

    instances_: list[int | str] | None = None

    def __post_init__(self) -> None:
        self._chosen()

    @cached_property
    def _entries(self) -> list[formats.Entry]:
        return formats.load(INSTANCES / f"{self._name}.csv")

    @property
    def _name(self) -> str:
        return self.registered_name.rpartition("/")[2]

    def _chosen(self) -> list[int]:
        """Return the numbers of the chosen boards, from 1, in the order of the list."""
        count = len(self._entries)
        if self.instances_ is None:
            return self.sampled(range(1, count + 1))
        return self.sampled(chosen_numbers(self.instances_, 1, count, "world.instances"))

    def instances(self) -> Iterator[PuzzleInstance]:
        """Yield the chosen boards. Their goal is `blank_first`."""
        for number in self._chosen():
            entry = self._entries[number - 1]
            goal = rules.blank_first(len(entry.board))
            yield self._instance(Puzzle(entry.rows, entry.columns, entry.board, goal), f"{self._name}_{entry.id}")

    def __len__(self) -> int:
        return len(self._chosen())


@WORLDS.register("npuzzle/korf100")
@dataclass(frozen=True)
class Korf100(_Table):
    """The 100 random instances of the 15-puzzle of Korf, "Depth-first iterative-deepening", AI 27, 1985."""


@WORLDS.register("npuzzle/korf50_24")
@dataclass(frozen=True)
class Korf50(_Table):
    """The 50 random 24-puzzles of Korf and Felner, "Disjoint pattern database heuristics", AI 134, 2002.

    The first ten were published by Korf and Taylor, "Finding optimal solutions to the twenty-four puzzle", AAAI 1996.
    """


def uniform(solved: Puzzle, seed: int) -> Board:
    """Return a random solvable board: shuffle the tiles, and exchange two of them if the parity is odd."""
    tiles = list(solved.goal)
    draws = generator_of(seed).random(len(tiles)).tolist()
    for last in range(len(tiles) - 1, 0, -1):
        other = int(draws[last] * (last + 1))
        tiles[last], tiles[other] = tiles[other], tiles[last]
    if not rules.is_solvable(Puzzle(solved.rows, solved.columns, tuple(tiles), solved.goal)):
        first, second = [cell for cell, tile in enumerate(tiles) if tile][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return tuple(tiles)


def walk(solved: Puzzle, steps: int, seed: int) -> Board:
    """Return the board after a number of random moves from the goal. All legal moves are equally likely."""
    cells = range(len(solved.goal))
    found = [[rules.destination(solved, cell, move) for move in rules.MOVES] for cell in cells]
    neighbours = [[cell for cell in row if cell is not None] for row in found]
    generator = generator_of(seed)
    tiles = list(solved.goal)
    blank = tiles.index(0)
    for start in range(0, steps, 65_536):
        for draw in generator.random(min(65_536, steps - start)).tolist():
            choices = neighbours[blank]
            to = choices[int(draw * len(choices))]
            tiles[blank], tiles[to] = tiles[to], 0
            blank = to
    return tuple(tiles)


def size_of(size: SizeParameter) -> tuple[int, int]:
    """Return the rows and columns that `size` stands for.

    Raises
    ------
    UserError
        If no board has this size.
    """
    sides = sides_of(size)
    if sides is None or not all(MIN_SIDE <= side <= MAX_SIDE for side in sides):
        raise UserError(
            f"world.size: expected sides of {MIN_SIDE} to {MAX_SIDE}: 4, 3x5 or [3, 5] (rows, columns), got {size!r}"
        )
    return sides


def goal_of(goal: GoalParameter, cells: int) -> Board:
    """Return the board that `goal` stands for.

    Raises
    ------
    UserError
        If it is not a board with this number of cells.
    """
    if isinstance(goal, str):
        if goal not in GOALS:
            raise UserError(f"world.goal: there is no '{goal}'{suggest(goal, GOALS)}, or the tiles of a board")
        return GOALS[goal](cells)
    return formats.permutation(tuple(goal), cells, lambda message: UserError(f"world.goal: {message}"))
