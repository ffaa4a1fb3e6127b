"""The rules of the n-puzzle in plain Python."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.naive.npuzzle import distances
from tests.puzzles import any_puzzle
from worlds.npuzzle import rules
from worlds.npuzzle.rules import Puzzle, act, blank_first, blank_last, is_solvable
from worlds.npuzzle.world import PuzzleWorld


def test_a_move_names_the_direction_of_the_blank() -> None:
    puzzle = Puzzle(2, 3, (1, 0, 2, 3, 4, 5), blank_first(6))
    assert act(puzzle, puzzle.board, "U") is None
    assert act(puzzle, puzzle.board, "L") == (0, 1, 2, 3, 4, 5)
    assert act(puzzle, puzzle.board, "R") == (1, 2, 0, 3, 4, 5)
    assert act(puzzle, puzzle.board, "D") == (1, 4, 2, 3, 0, 5)
    with pytest.raises(ValueError, match="'X'"):
        act(puzzle, puzzle.board, "X")


def test_a_play_ends_before_an_impossible_move() -> None:
    puzzle = Puzzle(2, 2, (1, 2, 3, 0), blank_last(4))
    assert len(PuzzleWorld(puzzle).played(["U", "U", "L"])[0]) == 2


def test_moves_of_the_blank_are_translated_to_moves_of_tiles() -> None:
    puzzle = Puzzle(2, 2, (0, 1, 3, 2), blank_last(4))
    captions = [frame.caption for frame in PuzzleWorld(puzzle).frames(["R", "D"])]
    assert captions == ["start", "1/2: move tile 1 left (blank right)", "2/2: move tile 2 up (blank down)"]
    assert PuzzleWorld(puzzle).played(["R", "D"])[0][-1] == puzzle.goal


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 2)])
def test_boards_are_solvable_exactly_if_the_goal_can_be_reached(size: tuple[int, int]) -> None:
    cells = size[0] * size[1]
    for goal in (blank_last(cells), blank_first(cells), any_puzzle(random.Random(1), *size).goal):
        reached = distances(Puzzle(*size, goal, goal))
        for board in itertools.permutations(range(cells)):
            assert is_solvable(Puzzle(*size, board, goal)) == (board in reached)


def test_goals_have_the_blank_last_or_first() -> None:
    assert rules.blank_last(4) == (1, 2, 3, 0)
    assert rules.blank_first(4) == (0, 1, 2, 3)
