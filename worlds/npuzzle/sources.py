"""Where boards come from: random ones, files, and the instances of Korf's that everybody compares on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from runner.registry import UserError, register, suggest
from worlds.files import checked_id, file_error, find_files
from worlds.interface import IndependentSource, Source
from worlds.npuzzle import formats, rules
from worlds.npuzzle.instance import PuzzleInstance
from worlds.npuzzle.rules import MAX_SIDE, SMALLEST_SIDE, Board, Puzzle

INSTANCES = Path(__file__).parent / "instances"
EXTENSIONS = (".txt", ".csv")
GOALS = {"blank_last": rules.blank_last, "blank_first": rules.blank_first}

SizeParameter = int | str | list[int]
GoalParameter = str | list[int]


@dataclass(frozen=True)
class PuzzleSource(Source):
    """What all sources of boards have in common."""

    domain: ClassVar[str] = PuzzleInstance.domain

    def _instance(self, puzzle: Puzzle, identifier: str, seed: int | None = None) -> PuzzleInstance:
        return PuzzleInstance(puzzle, identifier, seed, self.registered_name)


@register("world", "npuzzle/random")
@dataclass(frozen=True)
class RandomBoards(PuzzleSource, IndependentSource):
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
        Moves of a walk.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """

    count: Annotated[int, Meta(ge=1, le=10**9)] = 100
    size: SizeParameter = 4
    seed: Annotated[int, Meta(ge=0, lt=2**62)] = 0
    shuffle: Literal["uniform", "walk"] = "uniform"
    steps: Annotated[int, Meta(ge=0, le=10**9)] = 100_000
    goal: GoalParameter = "blank_last"

    def __post_init__(self) -> None:
        rows, columns = sides_of(self.size)
        goal_of(self.goal, rows * columns)

    def instance(self, number: int) -> PuzzleInstance:
        """Boards are numbered by seed."""
        rows, columns = sides_of(self.size)
        goal = goal_of(self.goal, rows * columns)
        solved = Puzzle(rows, columns, goal, goal)
        seed = self.seed + number
        board = uniform(solved, seed) if self.shuffle == "uniform" else walk(solved, self.steps, seed)
        return self._instance(Puzzle(rows, columns, board, goal), f"{self.shuffle}-{rows}x{columns}-{seed}", seed)

    def __len__(self) -> int:
        return self.count


@register("world", "npuzzle/file")
@dataclass(frozen=True)
class BoardFiles(PuzzleSource):
    """Boards of your own, one per line (or CSV with a column `board`).

    Attributes
    ----------
    path : str
        A file, a folder, or a glob pattern; relative to the working directory.
    size : int, "RxC" or [rows, columns], optional
        Unless given, every board is a square.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """

    path: str = field(kw_only=True)
    size: SizeParameter | None = None
    goal: GoalParameter = "blank_last"

    @cached_property
    def _instances(self) -> list[PuzzleInstance]:
        size = None if self.size is None else sides_of(self.size)
        instances: list[PuzzleInstance] = []
        places: dict[str, Path] = {}
        for path in find_files(self.path, EXTENSIONS, "boards"):
            for number, entry in enumerate(formats.load(path, size), 1):
                name = entry.id or checked_id(f"{path.stem}_{number}", partial(file_error, path))
                if name in places:
                    raise file_error(path, f"id: '{name}' is also that of a board in {places[name]}")
                places[name] = path
                goal = goal_of(self.goal, len(entry.board))
                instances.append(self._instance(Puzzle(entry.rows, entry.columns, entry.board, goal), name))
        return instances

    def check(self) -> None:
        """Read all files."""
        len(self._instances)

    def samples(self) -> Iterator[PuzzleInstance]:
        """The first board of each size."""
        yield from {(i.puzzle.rows, i.puzzle.columns): i for i in reversed(self._instances)}.values()

    def instances(self) -> Iterator[PuzzleInstance]:
        """The boards in the order of the files and their lines."""
        yield from self._instances

    def __len__(self) -> int:
        return len(self._instances)


@dataclass(frozen=True)
class _Table(PuzzleSource):
    """A table of the package, of which some instances may be chosen.

    Attributes
    ----------
    instances_ : list of int or "a-b", optional
        In YAML `instances`: numbers and ranges, ends included; all unless given.
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
        """Numbers of the instances, from 1, in the order in which they were listed."""
        count = len(self._entries)
        if self.instances_ is None:
            return list(range(1, count + 1))
        numbers: dict[int, None] = {}
        for item in self.instances_:
            match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", str(item))
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            if not 1 <= first <= last <= count:
                raise UserError(
                    f"world.instances: expected numbers of 1 to {count} or ranges such as 3-7, got {item!r}"
                )
            numbers.update(dict.fromkeys(range(first, last + 1)))
        if not numbers:
            raise UserError("world.instances: the list is empty; leave it out for all instances")
        return list(numbers)

    def instances(self) -> Iterator[PuzzleInstance]:
        """The chosen boards; their goal is `blank_first`."""
        for number in self._chosen():
            entry = self._entries[number - 1]
            goal = rules.blank_first(len(entry.board))
            yield self._instance(Puzzle(entry.rows, entry.columns, entry.board, goal), f"{self._name}_{entry.id}")

    def __len__(self) -> int:
        return len(self._chosen())


@register("world", "npuzzle/korf100")
@dataclass(frozen=True)
class Korf100(_Table):
    """The 100 random instances of the 15-puzzle of Korf, "Depth-first iterative-deepening", AI 27, 1985."""


@register("world", "npuzzle/korf50_24")
@dataclass(frozen=True)
class Korf50(_Table):
    """The 50 random 24-puzzles of Korf and Felner, "Disjoint pattern database heuristics", AI 134, 2002.

    The first ten were published by Korf and Taylor, "Finding optimal solutions to the twenty-four puzzle", AAAI 1996.
    """


def uniform(solved: Puzzle, seed: int) -> Board:
    """A random solvable board: a shuffle, of which two tiles are exchanged if its parity is odd.

    Only uniform doubles are drawn from numpy's PCG64, whose stream numpy keeps stable.
    """
    tiles = list(solved.goal)
    draws = np.random.Generator(np.random.PCG64(seed)).random(len(tiles)).tolist()
    for last in range(len(tiles) - 1, 0, -1):
        other = int(draws[last] * (last + 1))
        tiles[last], tiles[other] = tiles[other], tiles[last]
    if not rules.is_solvable(Puzzle(solved.rows, solved.columns, tuple(tiles), solved.goal)):
        first, second = [cell for cell, tile in enumerate(tiles) if tile][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return tuple(tiles)


def walk(solved: Puzzle, steps: int, seed: int) -> Board:
    """The board after a number of random moves from the goal, each legal one equally likely."""
    cells = range(len(solved.goal))
    found = [[rules.destination(solved, cell, move) for move in rules.MOVES] for cell in cells]
    neighbours = [[cell for cell in row if cell is not None] for row in found]
    generator = np.random.Generator(np.random.PCG64(seed))
    tiles = list(solved.goal)
    blank = tiles.index(0)
    for start in range(0, steps, 65_536):
        for draw in generator.random(min(65_536, steps - start)).tolist():
            choices = neighbours[blank]
            to = choices[int(draw * len(choices))]
            tiles[blank], tiles[to] = tiles[to], 0
            blank = to
    return tuple(tiles)


def sides_of(size: SizeParameter) -> tuple[int, int]:
    """Rows and columns that `size` stands for; raises `UserError` if they are no size of a board."""
    text = "x".join(map(str, size)) if isinstance(size, list) else str(size)
    match = re.fullmatch(r"(\d{1,9})(?:x(\d{1,9}))?", text)
    sides = (int(match[1]), int(match[2] or match[1])) if match and size != [] else (0, 0)
    if not all(SMALLEST_SIDE <= side <= MAX_SIDE for side in sides):
        raise UserError(
            f"world.size: expected sides of {SMALLEST_SIDE} to {MAX_SIDE}: 4, 3x5 or [3, 5] (rows, columns), "
            f"got {size!r}"
        )
    return sides


def goal_of(goal: GoalParameter, cells: int) -> Board:
    """The board that `goal` stands for; raises `UserError` if it is none of so many cells."""
    if isinstance(goal, str):
        if goal not in GOALS:
            raise UserError(f"world.goal: there is no '{goal}'{suggest(goal, GOALS)}, or the tiles of a board")
        return GOALS[goal](cells)
    return formats.permutation(tuple(goal), cells, lambda message: UserError(f"world.goal: {message}"))
