"""Sources of boards: random boards, files, and the benchmark instances of Korf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from runner.base import UserError, suggest
from worlds.interface import chosen_numbers, generator_of, sides_of, source
from worlds.npuzzle import formats, rules
from worlds.npuzzle.rules import MAX_SIDE, MIN_SIDE, Board, Puzzle
from worlds.npuzzle.world import PuzzleInstance, PuzzleWorld

INSTANCES = Path(__file__).parent / "instances"
GOALS = {"blank_last": rules.blank_last, "blank_first": rules.blank_first}

SizeParameter = int | str | list[int]
GoalParameter = str | list[int]


@source(
    "npuzzle/random", validate=lambda parameters: solved(parameters.size, parameters.goal),
    small_space={"size": 3, "count": 1},
)  # fmt: skip
def random_boards(
    seed: int,
    size: SizeParameter = 4,
    shuffle: Literal["uniform", "walk"] = "uniform",
    steps: Annotated[int, Meta(ge=0, le=10**9)] = 100_000,
    goal: GoalParameter = "blank_last",
) -> tuple[str, PuzzleWorld]:
    """Seeded random boards.

    Parameters
    ----------
    size : int, "RxC" or [rows, columns]
        Sides of the board, 2 to 10.
    shuffle : {"uniform", "walk"}
        `uniform`: every solvable board is equally likely. `walk`: random legal moves from the goal.
    steps : int
        Number of moves of a walk.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """
    puzzle = solved(size, goal)
    board = uniform(puzzle, seed) if shuffle == "uniform" else walk(puzzle, steps, seed)
    return f"{shuffle}-{puzzle.rows}x{puzzle.columns}-{seed}", PuzzleWorld(replace(puzzle, board=board))


def solved(size: SizeParameter, goal: GoalParameter) -> Puzzle:
    """Return the goal as a puzzle that is solved."""
    rows, columns = size_of(size)
    board = goal_of(goal, rows * columns)
    return Puzzle(rows, columns, board, board)


def _first_of_each_size(_: Any, boards: Iterator[PuzzleInstance]) -> list[PuzzleInstance]:
    """Return the first board of each size."""
    sizes = {}
    for board in reversed(list(boards)):
        puzzle = board.world.puzzle
        sizes[puzzle.rows, puzzle.columns] = board
    return list(sizes.values())


@source("npuzzle/file", files=(".txt", ".csv"), content="boards", samples=_first_of_each_size)
def loaded_boards(
    file: Path, size: SizeParameter | None = None, goal: GoalParameter = "blank_last"
) -> Iterator[tuple[str | None, PuzzleWorld]]:
    """Boards of your own, one per line (or CSV with a column `board`).

    Parameters
    ----------
    size : int, "RxC" or [rows, columns], optional
        Sides of all boards. Unless given, every board is a square.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """
    for entry in formats.load(file, None if size is None else size_of(size)):
        yield entry.id, PuzzleWorld(Puzzle(entry.rows, entry.columns, entry.board, goal_of(goal, len(entry.board))))


@dataclass(frozen=True)
class Numbers:
    """Choice of boards of a table.

    Attributes
    ----------
    instances_ : list of int or "a-b", optional
        Numbers of the boards from 1, and ranges of numbers with both ends included. Unless given, all boards.
    """

    instances_: list[int | str] | None = None


@source("npuzzle/korf100", sampled=True)
def korf100(numbers: Numbers) -> Iterator[tuple[str, PuzzleWorld]]:
    """The 100 random instances of the 15-puzzle of Korf, "Depth-first iterative-deepening", AI 27, 1985."""
    return _table("korf100", numbers)


@source("npuzzle/korf50_24", sampled=True)
def korf50_24(numbers: Numbers) -> Iterator[tuple[str, PuzzleWorld]]:
    """The 50 random 24-puzzles of Korf and Felner, "Disjoint pattern database heuristics", AI 134, 2002.

    The first ten were published by Korf and Taylor, "Finding optimal solutions to the twenty-four puzzle", AAAI 1996.
    """
    return _table("korf50_24", numbers)


def _table(name: str, numbers: Numbers) -> Iterator[tuple[str, PuzzleWorld]]:
    """Yield the chosen boards of a table in the package. Their goal is `blank_first`."""
    entries = formats.load(INSTANCES / f"{name}.csv")
    chosen = list(range(1, len(entries) + 1))
    if numbers.instances_ is not None:
        chosen = chosen_numbers(numbers.instances_, 1, len(entries), "world.instances")
    for number in chosen:
        entry = entries[number - 1]
        goal = rules.blank_first(len(entry.board))
        yield f"{name}_{entry.id}", PuzzleWorld(Puzzle(entry.rows, entry.columns, entry.board, goal))


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
