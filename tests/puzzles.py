"""Boards of the n-puzzle for tests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from heuristics.interface.stack import Stack
from runner.config.cell import sections
from worlds.interface.instance import Instance
from worlds.npuzzle.rules import Board, Puzzle, blank_first, blank_last, is_solvable
from worlds.npuzzle.world import PuzzleInstance, PuzzleWorld

SIZES = [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (2, 8), (4, 4), (4, 5), (5, 5), (6, 6), (3, 10), (8, 8), (10, 10)]


def any_board(source: random.Random, cells: int) -> Board:
    return tuple(source.sample(range(cells), cells))


def any_puzzle(source: random.Random, rows: int, columns: int) -> Puzzle:
    """Return a random solvable board, with one of the named goals or a random goal."""
    cells = rows * columns
    goal = source.choice([blank_last(cells), blank_first(cells), any_board(source, cells)])
    while True:
        puzzle = Puzzle(rows, columns, any_board(source, cells), goal)
        if is_solvable(puzzle):
            return puzzle


def instance(puzzle: Puzzle) -> PuzzleInstance:
    return Instance(PuzzleWorld(puzzle), "test")


def goal_instance(puzzle: Puzzle) -> PuzzleInstance:
    """Return the instance whose start is the goal of a puzzle."""
    return instance(Puzzle(puzzle.rows, puzzle.columns, puzzle.goal, puzzle.goal))


def stack(*entries: str | Mapping[str, Any], combine: str = "sum") -> Stack:
    return sections.stack_of("npuzzle", {"stack": list(entries), "combine": combine})
