"""Heuristics for snake, compared with naive implementations on all states of small boards and on random walks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

import runner
from heuristics.interface.heuristic import HEURISTICS
from tests.naive import snake as naive
from tests.snakes import NaiveState, any_board, from_naive, instance, random_walk, small_boards
from worlds.snake.rules import Board

Entry = str | Mapping[str, Any]
Naive = Callable[[Board, NaiveState], int]
NAIVE: dict[str, tuple[Entry, Naive]] = {
    "remaining": ("remaining", naive.remaining),
    "nearest": ("nearest", naive.nearest),
    "nearest plane": ({"name": "nearest", "metric": "plane"}, lambda b, s: naive.nearest(b, s, "plane")),
    "spanning_tree": ("spanning_tree", naive.spanning_tree),
    "route": ("route", naive.route),
}


def test_every_heuristic_is_compared() -> None:
    assert {name.split()[0] for name in NAIVE} == set(HEURISTICS.names(domain="snake"))


@pytest.mark.parametrize("name", NAIVE)
def test_values_are_equal_in_all_states_of_small_boards(name: str) -> None:
    entry, expected = NAIVE[name]
    for board in small_boards("twins", 40, most_units=4):
        compare(board, entry, expected, naive.space(board))


@pytest.mark.parametrize("name", NAIVE)
def test_values_are_equal_on_random_walks_on_larger_boards(name: str) -> None:
    source = random.Random(name)
    entry, expected = NAIVE[name]
    units = 6 if name == "route" else 30
    for size in [(6, 6), (5, 11), (1, 30), (30, 30), (64, 64)]:
        for _ in range(2):
            board = any_board(source, *size, most_units=units)
            compare(board, entry, expected, random_walk(source, board, 25))


def compare(board: Board, entry: Entry, expected: Naive, states: Iterable[NaiveState]) -> None:
    where = instance(board)
    h = runner.heuristic(where, [entry])
    for state in states:
        snake = from_naive(board, state)
        assert h(where.world.state(snake.head, snake.body, snake.left)) == expected(board, state), (board, snake)
