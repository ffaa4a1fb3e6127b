"""Exhaustive source: all boards of a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import factorial

from runner.base.errors import UserError
from worlds.npuzzle.rules import Puzzle, is_solvable
from worlds.npuzzle.sources import GoalParameter, PuzzleSource, SizeParameter, goal_of, size_of
from worlds.npuzzle.world import PuzzleInstance
from worlds.sources import WORLDS

MAX_CELLS = 10


@WORLDS.register("npuzzle/all")
@dataclass(frozen=True)
class AllBoards(PuzzleSource):
    """Every solvable board of a size, in lexicographic order of the tiles by rows.

    Attributes
    ----------
    size : int, "RxC" or [rows, columns]
        Sides of the boards, which have at most 10 cells.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """

    size: SizeParameter = 3
    goal: GoalParameter = "blank_last"

    def __post_init__(self) -> None:
        rows, columns = size_of(self.size)
        if rows * columns > MAX_CELLS:
            raise UserError(
                f"world.size: expected at most {MAX_CELLS} cells (there are too many larger boards), got {self.size!r}"
            )
        goal_of(self.goal, rows * columns)

    @property
    def exhaustive(self) -> str:
        """Description of the set of boards."""
        rows, columns = size_of(self.size)
        return f"solvable boards of {rows}x{columns} cells"

    def instances(self) -> Iterator[PuzzleInstance]:
        """Yield the boards in lexicographic order."""
        rows, columns = size_of(self.size)
        goal = goal_of(self.goal, rows * columns)
        for board in permutations(range(rows * columns)):
            puzzle = Puzzle(rows, columns, board, goal)
            if is_solvable(puzzle):
                yield self._instance(puzzle, f"{rows}x{columns}-{'.'.join(map(str, board))}")

    def __len__(self) -> int:
        """Number of boards: half of all permutations."""
        rows, columns = size_of(self.size)
        return factorial(rows * columns) // 2
