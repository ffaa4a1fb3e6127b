"""IDA* in place visits the same nodes as the depth-first kernel with the cycle check PARENT."""

from __future__ import annotations

import random
from typing import Any

import pytest

import runner
from algorithms.depth_first import Deepening, DepthFirstSearch
from algorithms.engine.factors import UNWEIGHTED, Factors
from algorithms.engine.in_place_search import InPlaceSearch
from algorithms.engine.search import Counts, Limits, Search, Status, run
from heuristics.stack import BoundStack
from runner.config import sections
from tests.naive.npuzzle import neighbours
from worlds.interface import Instance
from worlds.npuzzle.rules import Puzzle
from worlds.npuzzle.world import PuzzleWorld

SIZES = [(2, 2), (2, 5), (3, 3), (4, 3), (4, 4), (5, 5)]
CONFLICTS = ("manhattan", "linear_conflict")
STACKS: dict[str, tuple[list[Any], str]] = {
    "manhattan": (["manhattan"], "sum"),
    "manhattan + linear conflict": ([*CONFLICTS], "sum"),
    "maximum with a term that does not separate goals": (["linear_conflict", "misplaced", "manhattan"], "max"),
    "database": (["pattern_database"], "sum"),
    "three terms": (["misplaced", *CONFLICTS], "sum"),
    "two databases": ([{"name": "pattern_database", "reflect": False}, "pattern_database"], "max"),
}
KINDS = [
    name if number in (1, 2, 3) else pytest.param(name, marks=pytest.mark.long) for number, name in enumerate(STACKS)
]
"""Each stack takes kernels of its own; three have all parts: sums, maxima, and tables with the places of tiles."""
COMPARED = ("expanded", "generated", "iterations", "reopened")


def prepared(name: str, puzzle: Puzzle) -> BoundStack:
    """Bind a stack of `STACKS` to a puzzle. Databases of large boards get groups of three tiles."""
    entries, combine = STACKS[name]
    if puzzle.rows * puzzle.columns >= 16:
        small = {"partition": "-".join(["3"] * (puzzle.rows * puzzle.columns // 3))}
        named = [{"name": entry} if isinstance(entry, str) else entry for entry in entries]
        entries = [{**entry, **small} if "database" in entry["name"] else entry for entry in named]
    stack = sections.stack_of("npuzzle", {"stack": entries, "combine": combine})
    return stack.prepare(Instance(PuzzleWorld(puzzle), "test").problem())


def shuffled(source: random.Random, rows: int, columns: int, moves: int = 25) -> Puzzle:
    """Return a board that is at most some moves away from a random goal."""
    goal = tuple(source.sample(range(rows * columns), rows * columns))
    board = goal
    for _ in range(moves):
        board = source.choice(neighbours(Puzzle(rows, columns, board, goal), board))
    return Puzzle(rows, columns, board, goal)


def finish(search: Search) -> Counts:
    assert run(search, Limits()) == "solved"
    return search.counts


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_in_place_is_the_same_search(name: str, size: tuple[int, int]) -> None:
    """Both searches visit the same nodes, whatever the weight and the budgets of the steps."""
    source, lengths = random.Random(f"{name} {size}"), []
    for number in range(8):
        stack = prepared(name, shuffled(source, *size))
        factors = Factors.of(source.choice([0.7, 1.2, 3])) if number > 4 else UNWEIGHTED
        slow = DepthFirstSearch(stack, Deepening("f", cycle_check="parent", factors=factors))
        fast = InPlaceSearch(stack, factors)
        expected = finish(slow)
        if number % 2:
            finish(fast)
        else:
            while (status := fast.step(source.randint(1, 5))) != Status.SOLVED:
                assert status == Status.RUNNING
        assert [getattr(fast.counts, each) for each in COMPARED] == [getattr(expected, each) for each in COMPARED]
        assert (fast.path(), fast.cost, fast.initial_h) == (slow.path(), slow.cost, slow.initial_h)
        assert fast.expanded_before_last_layer == slow.expanded_before_last_layer
        assert fast.bound == slow.bound
        assert fast.counts.simulated_actions == fast.counts.generated + 1
        assert fast.cost + 1 <= fast.counts.peak_nodes
        lengths.append(fast.cost)
    assert max(lengths) > 3


def test_a_stack_that_does_not_separate_goals_is_not_searched_in_place() -> None:
    puzzle = shuffled(random.Random(1), 3, 3)
    stack = sections.stack_of("npuzzle", {"stack": ["linear_conflict"]})
    assert stack.prepare(Instance(PuzzleWorld(puzzle), "test").problem()).in_place is None


def test_long_paths_enlarge_the_arrays() -> None:
    """No path within a bound is longer than the bound."""
    near, far = (prepared("manhattan", shuffled(random.Random(3), 10, 10, moves)) for moves in (5, 2000))
    small, large = InPlaceSearch(near), InPlaceSearch(far)
    assert large.initial_h is not None
    assert large.initial_h > 150
    assert large.counts.memory_bytes > 2 * small.counts.memory_bytes
    assert run(large, Limits(nodes=100_000)) == "node_limit"
    assert large.counts.peak_nodes > 10
    assert run(InPlaceSearch(far), Limits(memory=small.counts.memory_bytes)) == "memory_limit"


@pytest.mark.parametrize("limit", [1, 2, 1000, 54_321])
def test_node_limits_are_exact(limit: int) -> None:
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    search = InPlaceSearch(stack.prepare(runner.load("npuzzle/korf100", instances=[9])[0].problem()))
    assert run(search, Limits(nodes=limit)) == "node_limit"
    assert search.counts.expanded == limit
