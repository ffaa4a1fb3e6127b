"""IDA* in place visits the same nodes as the depth-first kernel with the cycle check PARENT."""

from __future__ import annotations

import random
from typing import Any

import pytest
from runner.examples.pancake import Pancake
from runner.examples.pancake_compiled import CompiledPancake

import runner
from algorithms.depth_first.depth_first import Deepening, DepthFirstSearch, IterativeDeepeningAStar
from algorithms.depth_first.factors import UNWEIGHTED, Factors
from algorithms.depth_first.in_place import InPlaceSearch, in_place_of
from algorithms.engine.search import Counts, Limits, Search, StepStatus
from heuristics.interface.stack import BoundStack
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.loaded import kernels_of
from tests.naive.npuzzle import neighbours
from worlds.interface.instance import Instance
from worlds.npuzzle.rules import Puzzle
from worlds.npuzzle.world import PuzzleWorld

SIZES = [(2, 2), (2, 5), (3, 3), (4, 3), (4, 4), (5, 5)]
CONFLICTS = ("manhattan", "linear_conflict")
STACKS: dict[str, tuple[list[Any], str]] = {
    "manhattan": (["manhattan"], "sum"),
    "manhattan + linear conflict": ([*CONFLICTS], "sum"),
    "maximum with a term that does not separate goals": (["linear_conflict", "misplaced", "manhattan"], "max"),
    "database": ([{"name": "pattern_database", "regions": False}], "sum"),
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


def start(stack: BoundStack, factors: Factors = UNWEIGHTED, ranks: tuple[int, ...] = ()) -> InPlaceSearch:
    found = in_place_of(stack, ranks)
    assert found is not None
    return InPlaceSearch(stack, found, factors)


def korf(number: int) -> BoundStack:
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    return stack.prepare(runner.load("npuzzle/korf100", instances=[number])[0].problem())


def finish(search: Search) -> Counts:
    assert run(search, Limits()) == "solved"
    return search.counts


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_in_place_is_the_same_search(name: str, size: tuple[int, int]) -> None:
    """Both searches visit the same nodes, whatever the weight and the budgets of the steps."""
    source, lengths = random.Random(f"{name} {size}"), []
    for number in range(6):
        stack = prepared(name, shuffled(source, *size))
        factors = Factors.of(source.choice([0.7, 1.2, 3])) if number > 4 else UNWEIGHTED
        ranks = tuple(random.Random(number).sample(range(4), 4)) if number % 3 else ()
        slow = DepthFirstSearch(stack, Deepening("f", cycle_check="parent", factors=factors, ranks=ranks))
        fast = start(stack, factors, ranks=ranks)
        expected = finish(slow)
        if number % 2:
            finish(fast)
        else:
            while (status := fast.step(source.randint(1, 5))) != StepStatus.SOLVED:
                assert status == StepStatus.RUNNING or fast.grow(None)
        assert [getattr(fast.counts, each) for each in COMPARED] == [getattr(expected, each) for each in COMPARED]
        assert (fast.path(), fast.cost, fast.initial_h) == (slow.path(), slow.cost, slow.initial_h)
        assert fast.expanded_before_last_layer == slow.expanded_before_last_layer
        assert fast.measured == slow.measured
        assert fast.bound == slow.bound
        assert fast.counts.simulated_actions == fast.counts.generated + 1
        assert fast.cost + 1 <= fast.counts.peak_nodes
        lengths.append(fast.cost)
    assert max(lengths) > 3


@pytest.mark.parametrize("size", [3, 4, 6, 9])
def test_a_world_of_users_is_searched_in_place(size: int) -> None:
    stack = sections.stack_of("pancake_compiled", {"stack": ["gap"]})
    for instance in CompiledPancake(size=size, count=12).instances():
        bound = stack.prepare(instance.problem())
        slow, fast = DepthFirstSearch(bound, Deepening("f", cycle_check="parent")), start(bound)
        expected = finish(slow)
        finish(fast)
        assert [getattr(fast.counts, each) for each in COMPARED] == [getattr(expected, each) for each in COMPARED]
        assert fast.path() == slow.path()


@pytest.mark.parametrize("f_limit", [0, 12, 40, 41, 42, 45, 46])
def test_a_limit_on_f_gives_one_iteration(f_limit: int) -> None:
    """Board 79 has h = 28 and an optimal cost of 42. A bound below h expands nothing."""
    bound = korf(79)
    fast = IterativeDeepeningAStar("parent", f_limit=f_limit).start(bound, None)
    slow = DepthFirstSearch(bound, Deepening("f", cycle_check="parent", f_limit=f_limit))
    assert isinstance(fast, InPlaceSearch)
    assert run(fast, Limits()) == run(slow, Limits()) == ("solved" if f_limit >= 42 else "cutoff")
    assert [getattr(fast.counts, each) for each in COMPARED] == [getattr(slow.counts, each) for each in COMPARED]
    assert fast.counts.iterations == 1
    assert (fast.expanded_before_last_layer, slow.expanded_before_last_layer) == (None, None)
    if f_limit >= 42:
        assert 42 <= fast.cost == slow.cost <= f_limit
        assert fast.bound == slow.bound == pytest.approx(fast.cost / 28)
    else:
        assert (fast.counts.expanded == 0) == (f_limit < 28)


def test_a_limit_on_f_may_be_large_and_real() -> None:
    """There is no room for a path of such a length from the beginning; sums of real costs are exact."""
    (puzzle,) = runner.load("npuzzle/random", size=3, count=1)
    algorithm = {"name": "idastar", "cycle_check": "parent", "f_limit": 50_000_000}
    result = runner.solve(puzzle, algorithm, ["manhattan"], limits={"nodes": 1000, "memory": "1MiB"})
    assert (result.status, result.expanded) == ("node_limit", 1000)
    (grid,) = runner.load("gridmap/random", size=4, kind="open", count=1, diagonal=1.1)
    cost = runner.solve(grid, "astar", ["octile"]).cost
    assert cost is not None
    for f_limit, status in ((cost, "solved"), (cost - 0.01, "cutoff")):
        found = runner.solve(grid, {"name": "idastar", "f_limit": f_limit}, ["octile"])
        assert (found.status, found.cost) == (status, cost if status == "solved" else None)


def test_an_order_of_operators_has_the_names_of_actions_first() -> None:
    """The others follow in the order of the world. Wrong names are refused, and worlds whose actions have none."""
    bound = korf(79)
    algorithm = IterativeDeepeningAStar("parent", operator_order=["R", "U"])
    assert kernels_of(bound.problem.world).action_names() == ("U", "L", "R", "D")
    assert algorithm.ranks(bound.problem) == (1, 2, 0, 3)
    first, other = (each.start(bound, None) for each in (IterativeDeepeningAStar("parent"), algorithm))
    assert finish(first).expanded != finish(other).expanded
    assert first.expanded_before_last_layer == other.expanded_before_last_layer
    orders = [IterativeDeepeningAStar(operator_order="random", seed=seed).ranks(bound.problem) for seed in range(9)]
    assert len({*orders}) > 4
    algorithm.check(bound.problem.instance)
    twice = IterativeDeepeningAStar("parent", operator_order=["R", "U", "R"])
    assert twice.effective(None)[0] == algorithm.effective(None)[0]
    with pytest.raises(UserError, match=r"'l' is no action; did you mean 'L'\?"):
        IterativeDeepeningAStar(operator_order=["l"]).check(bound.problem.instance)
    with pytest.raises(UserError, match="are not known before the search; expected random"):
        IterativeDeepeningAStar(operator_order=["flip 2"]).check(next(iter(Pancake().instances())))


def test_a_stack_that_does_not_separate_goals_is_not_searched_in_place() -> None:
    puzzle = shuffled(random.Random(1), 3, 3)
    stack = sections.stack_of("npuzzle", {"stack": ["linear_conflict"]})
    assert in_place_of(stack.prepare(Instance(PuzzleWorld(puzzle), "test").problem())) is None


def test_long_paths_enlarge_the_arrays() -> None:
    """No path within a bound is longer than the bound."""
    near, far = (prepared("manhattan", shuffled(random.Random(3), 10, 10, moves)) for moves in (5, 2000))
    small, large = start(near), start(far)
    assert large.initial_h is not None
    assert large.initial_h > 150
    assert large.counts.memory_bytes > 2 * small.counts.memory_bytes
    assert run(large, Limits(nodes=100_000)) == "node_limit"
    assert large.counts.peak_nodes > 10
    assert run(start(far), Limits(memory=small.counts.memory_bytes)) == "memory_limit"


def test_the_goal_is_not_tested_after_the_last_expansion() -> None:
    stack = prepared("manhattan", shuffled(random.Random(7), 4, 4, moves=70))
    one = start(stack)
    finish(one)
    for extra, status in ((0, "node_limit"), (1, "solved")):
        search = start(stack)
        assert run(search, Limits(nodes=one.counts.expanded + extra)) == status
        assert search.counts.expanded == one.counts.expanded


@pytest.mark.parametrize("limit", [1, 2, 1000, 543_210, 2_345_678])
def test_node_limits_are_exact(limit: int) -> None:
    search = start(korf(13))
    assert run(search, Limits(nodes=limit)) == "node_limit"
    assert search.counts.expanded == limit
