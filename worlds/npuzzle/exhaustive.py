"""Exhaustive source: all boards of a size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial
from typing import Any

from runner.base import UserError
from worlds.interface import source
from worlds.npuzzle.rules import Puzzle, is_solvable
from worlds.npuzzle.sources import GoalParameter, SizeParameter, size_of, solved
from worlds.npuzzle.world import PuzzleWorld

MAX_CELLS = 10


def _validate(parameters: Any) -> None:
    rows, columns = size_of(parameters.size)
    if rows * columns > MAX_CELLS:
        raise UserError(
            f"world.size: expected at most {MAX_CELLS} cells (there are too many larger boards), got "
            f"{parameters.size!r}"
        )
    solved(parameters.size, parameters.goal)


def _number(parameters: Any) -> int:
    """Return the number of boards: half of all permutations."""
    rows, columns = size_of(parameters.size)
    return factorial(rows * columns) // 2


def _set(parameters: Any) -> str:
    rows, columns = size_of(parameters.size)
    return f"solvable boards of {rows}x{columns} cells"


@source("npuzzle/all", validate=_validate, count=_number, exhaustive=_set)
def all_boards(size: SizeParameter = 3, goal: GoalParameter = "blank_last") -> Iterator[tuple[str, PuzzleWorld]]:
    """Every solvable board of a size, in lexicographic order of the tiles by rows.

    Parameters
    ----------
    size : int, "RxC" or [rows, columns]
        Sides of the boards, which have at most 10 cells.
    goal : {"blank_last", "blank_first"} or list of int
        1 2 ... 0, or 0 1 2 ..., or the tiles of any board by rows.
    """
    end = solved(size, goal)
    for board in permutations(range(len(end.goal))):
        puzzle = Puzzle(end.rows, end.columns, board, end.goal)
        if is_solvable(puzzle):
            yield f"{end.rows}x{end.columns}-{'.'.join(map(str, board))}", PuzzleWorld(puzzle)
