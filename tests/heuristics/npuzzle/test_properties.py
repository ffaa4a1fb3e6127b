"""Declared properties of heuristics on all 181,440 boards of the 8-puzzle and all moves between them."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest

import runner
from heuristics.interface import HEURISTICS
from heuristics.stack import Stack
from runner.base.parameters import changed_parameters
from runner.config import sections
from tests.puzzles import stack
from worlds.npuzzle.instance import PuzzleInstance
from worlds.npuzzle.rules import Puzzle, blank_first
from worlds.npuzzle.search import pack

GOAL = blank_first(9)
WHERE = PuzzleInstance(Puzzle(3, 3, GOAL, GOAL), "8-puzzle")
STACKS = [
    *(sections.stack_of("npuzzle", {"stack": sections.documented_stack("npuzzle", name)})
      for name in HEURISTICS.names(domain="npuzzle")),
    stack({"name": "pattern_database", "partition": "8"}),
    stack({"name": "pattern_database", "partition": "5-3", "reflect": False}),
    stack("linear_conflict"),
    stack("manhattan", "linear_conflict", {"name": "pattern_database", "partition": "4-4"}, combine="max"),
]  # fmt: skip


@cache
def space() -> tuple[np.ndarray, list[list[int]], np.ndarray]:
    """Return all boards as packed words, the numbers of their successors, and h_star."""
    problem = WHERE.problem()
    numbers = {int(pack(GOAL)[0]): 0}
    states, edges, distance = [pack(GOAL)], [], [0]
    for at, state in enumerate(states):
        following = []
        for successor, _, _ in problem.successors(state):
            word = int(successor[0])
            if word not in numbers:
                numbers[word] = len(states)
                states.append(successor.copy())
                distance.append(distance[at] + 1)
            following.append(numbers[word])
        edges.append(following)
    return np.concatenate(states), edges, np.array(distance)


def values(chosen: Stack) -> np.ndarray:
    """Return the stack's values at all boards."""
    bound = chosen.prepare(WHERE.problem())
    return np.array([bound.evaluate(word) for word in space()[0].reshape(-1, 1)])


def test_the_state_space_has_the_published_size_and_depth() -> None:
    states, edges, distance = space()
    assert (len(states), distance.max(), sum(map(len, edges))) == (181_440, 31, 483_840)


@pytest.mark.parametrize("chosen", STACKS, ids=str)
def test_declared_properties_hold(chosen: Stack) -> None:
    _, edges, distance = space()
    h = values(chosen)
    assert chosen.admissible is True
    assert (h <= distance).all()
    assert h[0] == 0
    drops = max(abs(h[at] - h[to]) for at, following in enumerate(edges) for to in following)
    if chosen.consistent:
        assert drops <= 1
    else:
        assert str(chosen) in ("linear_conflict", "max(manhattan+linear_conflict+pattern_database(partition=4-4))")
        assert chosen.consistent is None
        assert (drops > 1) == (chosen.combine == "sum")


def test_each_heuristic_is_stronger_than_the_one_before_on_average() -> None:
    names = ["misplaced", "manhattan", "linear_conflict", "pattern_database"]
    means = [
        values(sections.stack_of("npuzzle", {"stack": sections.documented_stack("npuzzle", n)})).mean() for n in names
    ]
    assert means == sorted(means)
    exact = values(stack({"name": "pattern_database", "partition": "8"}))
    assert (exact == space()[2]).all()


@pytest.mark.parametrize("chosen", STACKS, ids=str)
@pytest.mark.parametrize("algorithm", ["astar", "idastar", "bidirectional"])
def test_searches_find_optimal_plans_on_a_sample_of_boards(chosen: Stack, algorithm: str) -> None:
    """`python -m benchmarks.npuzzle --only eight` checks all boards."""
    states, _, distance = space()
    entries = [{"name": h.registered_name, **changed_parameters(h)} for h in chosen.heuristics]
    for number in random.Random(str(chosen)).sample(range(181_440), 2 if algorithm == "idastar" else 25):
        board = WHERE.describe(states[number : number + 1])
        where = PuzzleInstance(Puzzle(3, 3, board, GOAL), f"board {number}")
        result = runner.solve(where, algorithm, entries, combine=chosen.combine)
        assert (result.cost, result.bound, result.valid) == (distance[number], 1.0, True)


def test_a_database_of_all_tiles_detects_boards_of_odd_parity() -> None:
    h = runner.heuristic(WHERE, [{"name": "pattern_database", "partition": "8"}])
    assert h(WHERE.state((0, 2, 1, 3, 4, 5, 6, 7, 8))) == math.inf
