"""The packed rules of the n-puzzle, compared with the rules in plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import runner
from runner.base.errors import UserError
from tests.naive.npuzzle import distances
from tests.puzzles import SIZES, any_board, any_puzzle, goal_instance, instance
from tests.sampling import covering
from worlds.compile.kernels import as_index, kernel
from worlds.interface.instance import Unsolvable
from worlds.npuzzle.rules import MOVES, Puzzle, act, blank_last
from worlds.npuzzle.search import CELLS, blank_at, goal_tile, pack, tile_at, unpack

WORDS = {4: 1, 6: 1, 9: 1, 12: 1, 16: 1, 20: 2, 25: 2, 30: 3, 36: 4, 64: 6, 100: 11}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_boards_are_packed_into_the_fewest_words(size: tuple[int, int]) -> None:
    cells = size[0] * size[1]
    source = random.Random(cells)
    for _ in range(50):
        board = any_board(source, cells)
        assert unpack(pack(board), cells) == board
        assert pack(board).size == WORDS[cells]
    assert len({pack(any_board(source, cells)).tobytes() for _ in range(50)}) > 10


@kernel("int64(int64[::1], uint64[::1], int64[::1], int64[::1])")
def read_cells(constants: Any, state: Any, tiles: Any, goal_tiles: Any) -> Any:
    """Write the tiles of a board and of the goal; return the cell of the blank."""
    for cell in range(as_index(constants[CELLS])):
        tiles[cell] = tile_at(constants, state, 0, cell)
        goal_tiles[cell] = goal_tile(constants, cell)
    return blank_at(constants, state, 0)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_tiles_are_read_from_boards_of_any_size(size: tuple[int, int]) -> None:
    source = random.Random(f"tiles {size}")
    for _ in range(20):
        puzzle = any_puzzle(source, *size)
        tiles, goal_tiles = np.full((2, len(puzzle.board)), -1)
        blank = read_cells.compiled(instance(puzzle).problem().constants, pack(puzzle.board), tiles, goal_tiles)
        assert (*tiles, *goal_tiles, blank) == (*puzzle.board, *puzzle.goal, puzzle.board.index(0))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_successors_and_predecessors_equal_those_of_the_rules(size: tuple[int, int]) -> None:
    source = random.Random(str(size))
    for _ in range(40):
        puzzle = any_puzzle(source, *size)
        problem = instance(puzzle).problem()
        for board in (puzzle.board, *(any_board(source, len(puzzle.board)) for _ in range(5))):
            found = [(unpack(s, len(board)), cost, code) for s, cost, code in problem.successors(pack(board))]
            after = [(act(puzzle, board, move), 1, code) for code, move in enumerate(MOVES)]
            assert found == [step for step in after if step[0] is not None]
            for state, _, code in problem.successors(pack(board), backward=True):
                assert act(puzzle, unpack(state, len(board)), MOVES[code]) == board


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_only_the_goal_is_recognised(size: tuple[int, int]) -> None:
    puzzle = any_puzzle(random.Random(2), *size)
    problem = instance(puzzle).problem()
    assert problem.recognises(pack(puzzle.goal))
    assert problem.recognises(pack(puzzle.board)) == (puzzle.board == puzzle.goal)
    assert problem.goals is not None
    assert np.array_equal(problem.goals, pack(puzzle.goal))
    assert not any(problem.recognises(state) for state, _, _ in problem.successors(pack(puzzle.goal)))


@covering({"algorithm": ["bfs", "bidirectional", "idastar"], "size": [(2, 2), (2, 3), (3, 2)]})
def test_searches_find_the_optimal_cost_of_every_small_board(size: tuple[int, int], algorithm: str) -> None:
    puzzle = any_puzzle(random.Random(5), *size)
    for board, distance in distances(puzzle).items():
        found = runner.solve(instance(Puzzle(*size, board, puzzle.goal)), algorithm)
        assert (found.status, found.cost, found.valid) == ("solved", distance, True)


def test_a_board_of_odd_parity_is_unsolvable_without_a_search() -> None:
    where = instance(Puzzle(4, 4, (*range(1, 14), 15, 14, 0), blank_last(16)))
    result = runner.solve(where, "idastar", ["manhattan"])
    assert (result.status, result.reason, result.expanded, result.plan) == ("unsolvable", "odd parity", 0, None)
    with pytest.raises(Unsolvable, match="odd parity"):
        where.problem()
    assert runner.heuristic(where, ["manhattan"])(where.world.state(where.world.puzzle.board)) == float("inf")


def test_states_are_packed_and_described_and_invalid_ones_refused() -> None:
    where = goal_instance(any_puzzle(random.Random(1), 3, 3))
    board = (3, 1, 2, 0, 4, 5, 6, 7, 8)
    assert where.world.describe(where.world.state(board)) == board
    assert where.world.state(board).dtype == np.uint64
    array: Any = np.array(board)
    assert (where.world.state(array) == where.world.state(board)).all()
    with pytest.raises(UserError, match="not a permutation of 0 to 8"):
        where.world.state((1, 1, 2, 0, 4, 5, 6, 7, 8))


def test_plans_that_break_the_rules_are_not_valid() -> None:
    where = instance(Puzzle(2, 2, (0, 1, 3, 2), blank_last(4)))
    assert where.world.replay(["R", "D"]).reaches_goal
    assert not where.world.replay(["R"]).reaches_goal
    assert not where.world.replay(["U", "R", "D"]).reaches_goal
    assert not where.world.replay(["R", "D", "D"]).reaches_goal
