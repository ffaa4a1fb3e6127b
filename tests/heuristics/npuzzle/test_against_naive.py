"""Heuristics for the n-puzzle, compared with naive implementations: from scratch and from a parent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import runner
from heuristics.npuzzle.partitions import partition as groups_of
from heuristics.npuzzle.partitions import reflection
from tests.naive import npuzzle as naive
from tests.naive.npuzzle import neighbours, pattern_distances
from tests.puzzles import SIZES, any_board, any_puzzle, instance, stack
from tests.sampling import covering
from worlds.npuzzle.rules import Puzzle, blank_first, blank_last
from worlds.npuzzle.search import pack

BY_TILES = ["misplaced", "manhattan", "linear_conflict"]


@pytest.mark.parametrize("name", BY_TILES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_values_equal_those_of_the_naive_implementation(name: str, size: tuple[int, int]) -> None:
    source, positive = random.Random(f"{name} {size}"), 0
    for _ in range(30):
        puzzle = any_puzzle(source, *size)
        where = instance(puzzle)
        h, parts = runner.heuristic(where, [name]), getattr(naive, name)
        for board in (puzzle.board, puzzle.goal, *(any_board(source, len(puzzle.board)) for _ in range(3))):
            assert h(where.world.state(board)) == parts(puzzle, board), (puzzle, board)
            positive += h(where.world.state(board)) > 0
    assert positive > 0


@covering({"backward": [False, True], "size": [(2, 3), (4, 4), (5, 5), (3, 10)], "name": ["misplaced", "manhattan"]})
def test_values_from_a_parent_equal_those_from_scratch(name: str, size: tuple[int, int], backward: bool) -> None:
    source = random.Random(name)
    for _ in range(20):
        puzzle = any_puzzle(source, *size)
        problem = instance(puzzle).problem()
        bound = (stack(name).prepare_backward if backward else stack(name).prepare)(problem)
        (term,), words = bound.bound_terms, problem.initial.size
        state = pack(any_board(source, len(puzzle.board)))
        children = problem.successors(state, backward=backward)
        out = np.concatenate([child for child, _, _ in children])
        action, h = np.array([code for _, _, code in children], np.int16), np.zeros(len(children), np.int64)
        parent_h = int(bound.evaluate(state))
        term.kernel.compiled(term.params, state, 0, parent_h, out, 0, action, h, 0, len(children))
        assert h.tolist() == [bound.evaluate(out[k * words : (k + 1) * words].copy()) for k in range(len(children))]


def test_backward_values_estimate_the_distance_from_the_start() -> None:
    source = random.Random(1)
    puzzle = any_puzzle(source, 3, 4)
    backwards = Puzzle(3, 4, puzzle.goal, puzzle.board)
    for name in BY_TILES:
        bound = stack(name).prepare_backward(instance(puzzle).problem())
        for _ in range(20):
            board = any_board(source, 12)
            assert bound.evaluate(pack(board)) == getattr(naive, name)(backwards, board)


@pytest.mark.parametrize("entry", [{}, {"reflect": False}, {"regions": False}, {"partition": "3-5"}])
def test_pattern_databases_from_the_start_are_those_of_the_puzzle_with_the_start_as_goal(entry: Any) -> None:
    source = random.Random(2)
    chosen = stack({"name": "pattern_database", **entry})
    for _ in range(5):
        puzzle = any_puzzle(source, 3, 3)
        bound = chosen.prepare_backward(instance(puzzle).problem())
        backwards = chosen.prepare(instance(Puzzle(3, 3, puzzle.goal, puzzle.board)).problem())
        for _ in range(20):
            board = any_board(source, 9)
            assert bound.evaluate(pack(board)) == backwards.evaluate(pack(board))


PATTERNS = [
    (2, 3, [[1, 2], [3, 4, 5]]),
    (3, 2, "2-3"),
    (3, 3, "auto"),
    pytest.param(3, 3, "8", marks=pytest.mark.long),
    (3, 3, [[5], [1, 2, 3, 4], [6, 7, 8]]),
    (2, 4, "3-4"),
    pytest.param(2, 5, "4-5", marks=pytest.mark.long),
    (3, 4, "3-3-3-2"),
    pytest.param(3, 4, "4-4-3", marks=pytest.mark.long),
    pytest.param(4, 4, "3-3-3-3-3", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("rows", "columns", "partition"), PATTERNS, ids=str)
def test_pattern_databases_hold_exact_distances(
    rows: int, columns: int, partition: str | Sequence[Sequence[int]]
) -> None:
    """With and without reflection."""
    source = random.Random(str(partition))
    cells = rows * columns
    goals = [blank_last(cells), blank_first(cells), any_board(source, cells)] if cells < 12 else [blank_last(cells)]
    for goal in goals:
        puzzle = Puzzle(rows, columns, goal, goal)
        groups = groups_of(puzzle, partition)
        assert sorted(tile for group in groups for tile in group) == list(range(1, cells))
        sums, mirror = [groups], reflection(puzzle)
        if mirror is not None:
            sums.append([tuple(goal[mirror[goal.index(tile)]] for tile in group) for group in groups])
        tables = [[(group, pattern_distances(puzzle, group)) for group in groups] for groups in sums]
        where = instance(puzzle)
        alone, reflected = (
            runner.heuristic(where, [{"name": "pattern_database", "partition": partition, "reflect": reflect}])
            for reflect in (False, True)
        )
        board = goal
        for _ in range(400):
            blank = board.index(0)
            expected = [
                sum(table[tuple(board.index(tile) for tile in group), blank] for group, table in groups)
                for groups in tables
            ]
            assert alone(where.world.state(board)) == expected[0], (goal, board)
            assert reflected(where.world.state(board)) == max(expected), (goal, board)
            board = source.choice(neighbours(puzzle, board))


def test_the_minimum_over_the_regions_of_the_blank_is_not_consistent() -> None:
    """Published tables take this minimum. Their values may drop by more than the cost of a move."""
    puzzle = Puzzle(3, 3, blank_first(9), blank_first(9))
    groups = groups_of(puzzle, "4-4")
    least: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {group: {} for group in groups}
    for group, found in least.items():
        for (places, _), distance in pattern_distances(puzzle, group).items():
            found[places] = min(distance, found.get(places, distance))
    where = instance(puzzle)
    chosen = {"name": "pattern_database", "partition": "4-4", "reflect": False, "regions": False}
    h, source, drops = runner.heuristic(where, [chosen]), random.Random(1), set()
    board = puzzle.goal
    for _ in range(3000):
        value = h(where.world.state(board))
        assert value == sum(found[tuple(board.index(tile) for tile in group)] for group, found in least.items()), board
        board = source.choice(neighbours(puzzle, board))
        drops.add(abs(value - h(where.world.state(board))))
    assert max(drops) > 1
    assert (stack(chosen).admissible, stack(chosen).consistent) == (True, False)


def test_several_databases_may_be_maximised_but_not_added() -> None:
    where = runner.load("npuzzle/random", size=3, count=1)[0]
    entries = [{"name": "pattern_database", "partition": name} for name in ("4-4", "5-3")]
    values = [runner.heuristic(where, [entry]) for entry in entries]
    both = runner.heuristic(where, entries, combine="max")
    state = where.problem().initial
    for _ in range(50):
        assert both(state) == max(h(state) for h in values)
        state = random.Random(int(state[0])).choice(where.problem().successors(state))[0]
    with pytest.raises(runner.UserError, match="listed twice; with other parameters this is allowed under"):
        runner.heuristic(where, entries)
    with pytest.raises(runner.UserError, match="'manhattan' is listed twice"):
        runner.heuristic(where, ["manhattan", "manhattan"], combine="max")
