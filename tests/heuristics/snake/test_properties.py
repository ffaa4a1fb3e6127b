"""Declared properties and dominance of the heuristics for snake, and searches with them, against exact distances."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import runner
from algorithms.spaces.state_values import values
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import Stack
from runner.config.cell import sections
from tests.naive import snake as naive
from tests.snakes import NaiveState, any_board, from_naive, instance, small_boards
from worlds.interface.instance import Words
from worlds.snake.rules import Board, Candy

NAMES = HEURISTICS.names(domain="snake")
PLANE = {"name": "nearest", "metric": "plane"}


def stack(*entries: str | Mapping[str, Any], combine: str = "sum") -> Stack:
    return sections.stack_of("snake", {"stack": list(entries), "combine": combine})


@cache
def spaces() -> list[tuple[Board, dict[NaiveState, list[NaiveState]], dict[NaiveState, int], Words]]:
    """Return boards with their reachable states, the successors of each, exact distances, and the states as words.

    Dead ends lack a distance. Many boards have candies of several units.
    """
    boards = [*small_boards("properties", 30, most_units=4), *any_boards(3, 4, 4, 5)]
    found = []
    for board in boards:
        where, edges = instance(board), naive.space(board)
        snakes = (from_naive(board, state) for state in edges)
        words = np.concatenate([where.world.state(snake.head, snake.body, snake.left) for snake in snakes])
        found.append((board, edges, naive.exact(edges), words))
    return found


def any_boards(count: int, rows: int, columns: int, most_units: int) -> list[Board]:
    source = random.Random(f"{rows}x{columns}")
    return [any_board(source, rows, columns, most_units) for _ in range(count)]


STACKS = [*map(stack, NAMES), stack(PLANE), stack(*NAMES, combine="max")]


@pytest.mark.parametrize("chosen", STACKS, ids=str)
def test_declared_properties_hold(chosen: Stack) -> None:
    states = overestimates = inconsistent = 0
    for board, edges, exact, words in spaces():
        prepared = chosen.prepare(instance(board).problem())
        h = dict(zip(edges, values(prepared, words).tolist(), strict=True))
        states += len(edges)
        overestimates += sum(state in exact and h[state] > exact[state] for state in edges)
        inconsistent += sum(h[state] - 1 > h[to] for state, after in edges.items() for to in after)
        assert all(h[state] == 0 for state in edges if not state[1])  # no candies are left: a goal
    assert states > 2_000
    # an undeclared property must have a counterexample
    assert (overestimates == 0) == chosen.admissible
    assert (inconsistent == 0) == chosen.consistent


def test_each_heuristic_dominates_the_one_before() -> None:
    for board, _, _, words in spaces():
        problem = instance(board).problem()
        names = ("remaining", "nearest", "spanning_tree", "route")
        found = [values(stack(name).prepare(problem), words) for name in names]
        assert all((weak <= strong).all() for weak, strong in itertools.pairwise(found))


def test_the_plane_metric_is_inadmissible() -> None:
    """It ignores paths across the border of the board."""
    where = instance(Board(1, 6, (0, 0), (Candy((0, 5), 1), Candy((0, 2), 1))))
    assert runner.heuristic(where, [PLANE])(where.world.state((0, 0))) == 3
    where = instance(Board(1, 6, (0, 0), (Candy((0, 5), 1),)))
    assert runner.heuristic(where, ["nearest"])(where.world.state((0, 0))) == 1
    assert runner.heuristic(where, [PLANE])(where.world.state((0, 0))) == 5
    board = runner.load("snake/static")[4]
    assert runner.solve(board, "astar", ["nearest"]).cost == 9
    misled = runner.solve(board, "astar", [PLANE])
    assert (misled.cost, misled.bound, misled.valid) == (15, None, True)


@pytest.mark.parametrize("limit", ["time", "cpu"])
def test_the_limits_include_the_preparation(limit: str) -> None:
    """The preparation of `route` takes a tenth of a second on a board with seventeen single candies."""
    board = runner.load("snake/random", rows=20, columns=20, candies=17, max_capacity=1, count=1)[0]
    assert runner.solve(board, "astar", ["route"]).status == "solved"
    result = runner.solve(board, "astar", ["route"], limits={limit: 0.01})
    assert (result.status, result.expanded) == (f"{limit}_limit", 0)


def test_greedy_search_reopens_states_only_with_reopen() -> None:
    """With `reopen` it reopens so many states that it reaches the limit."""
    board = runner.load("snake/random", count=1, seed=2)[0]
    result = runner.solve(board, "greedy", ["nearest"], limits={"nodes": 100_000})
    assert (result.status, result.reopened, result.valid) == ("solved", 0, True)
    again = runner.solve(board, {"name": "greedy", "reopen": True}, ["nearest"], limits={"nodes": 100_000})
    assert again.status == "node_limit"
    assert again.reopened is not None
    assert again.reopened > 50_000
