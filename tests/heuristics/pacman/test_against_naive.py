"""Heuristics of Pacman, compared with naive ones on all states of small boards and on random walks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import runner
from runner.base.errors import Incompatible
from tests.loaded import load as load_all
from tests.naive import pacman as naive
from tests.naive.pacman import Naive, State
from tests.registered import heuristics_without_files
from worlds.interface.instance import Instance
from worlds.pacman.rules import PacmanState
from worlds.pacman.world import PacmanWorld

TWINS: dict[str, Callable[[State, naive.Distance], int]] = {
    "manhattan": lambda state, maze: naive.farthest(state, naive.manhattan),
    "euclidean": lambda state, maze: naive.farthest(state, naive.crow),
    "maze_distance": naive.farthest,
    "food_farthest": naive.farthest,
    "food_count": lambda state, maze: len(state[1]),
    "corners_tour": lambda state, maze: naive.tour(state),
    "corners_tree": lambda state, maze: naive.tree(state, naive.manhattan),
    "food_tree": naive.tree,
    "food_pair": naive.pair,
}
SMALL: list[dict[str, Any]] = [
    {"food": 4},
    {"problem": "corners"},
    {"problem": "corners", "kind": "maze", "size": 7},
    {"problem": "position", "size": "9x5"},
    {"food": 3, "cost": "west"},
    {"food": 3, "cost": "east"},
]


def boards(count: int, **parameters: Any) -> list[Instance[PacmanWorld]]:
    return load_all(PacmanWorld, "pacman/random", **{"size": "7x6", "count": count, **parameters})


def test_every_heuristic_has_a_twin() -> None:
    assert {*TWINS} == set(heuristics_without_files("pacman"))


@pytest.mark.parametrize("name", TWINS)
def test_values_are_equal_in_all_states_of_small_boards(name: str) -> None:
    for parameters in SMALL:
        for instance in boards(2, **parameters):
            compare(instance, name, Naive(instance.world.board.rows, instance.world.problem).space())


@pytest.mark.parametrize("name", TWINS)
def test_values_are_equal_on_random_walks_on_larger_boards(name: str) -> None:
    source = random.Random(name)
    for parameters in ({"food": 60}, {"food": 8, "kind": "maze", "size": "23x15"}, {"problem": "corners", "size": 20}):
        for instance in boards(
            1, **{"size": "20x11", **({**parameters, "food": 6} if name == "corners_tour" else parameters)}
        ):
            board = Naive(instance.world.board.rows, instance.world.problem)
            states = [board.begin()]
            for _ in range(40):
                states.append(source.choice([after for _, after, _ in board.successors(states[-1])]))
            compare(instance, name, states)


def compare(instance: Instance[PacmanWorld], name: str, states: Iterable[State]) -> None:
    world = instance.world
    board = Naive(world.board.rows, world.problem, world.cost)
    least = min(board.step_cost(square) for square in board.squares(" .P")) / board.scale
    steps = {square: board.steps_from(square) for square in [*board.targets(), *board.squares("P")]}
    h = runner.heuristic(instance, [name])
    for square, left in states:
        there = steps.get(square) or board.steps_from(square)
        expected = TWINS[name]((square, left), lambda one, other: {**steps, square: there}[one][other])  # noqa: B023
        assert h(PacmanState(square, tuple(sorted(left)))) == expected * least, (world.board.rows, square, left)


def test_a_tree_with_pacman_as_a_node_would_not_be_consistent() -> None:
    """It is lighter where Pacman stands between the targets, and a step to him saves more than 1."""
    board = Naive(("%%%%%%%", "%%%.%%%", "%%% %%%", "%. P .%", "%%% %%%", "%%%.%%%", "%%%%%%%"))

    def tree(square: naive.Square) -> int:
        return naive.tree((square, frozenset([square, *board.targets()])), board.maze)

    assert tree((2, 3)) - tree((3, 3)) > 1


def test_tables_that_are_too_large_are_refused() -> None:
    (wide,) = boards(1, size=70, kind="open", food=300)
    for name in ("food_tree", "food_pair", "food_farthest", "maze_distance"):
        with pytest.raises(Incompatible, match=rf"the table of {name} is too large for 300 targets on 4624 squares"):
            runner.heuristic(wide, [name])
    with pytest.raises(Incompatible, match="the table of corners_tour is too large for 9 targets"):
        runner.heuristic(boards(1, food=9, kind="open")[0], ["corners_tour"])
    assert runner.heuristic(wide, ["corners_tree"])(wide.world.initial()) >= 300


def test_a_counterexample_is_a_smallest_board() -> None:
    """The sum of two heuristics is not admissible where Pacman stands beside the only food."""
    audit = runner.audit("pacman/random", ["manhattan", "food_count"], size=9, food=4, count=10, workers=0)
    found = {each.check: each for each in audit.counterexamples}
    world = found["admissible_at_start"].instance.world
    assert isinstance(world, PacmanWorld)
    assert sorted(world.board.size) == [3, 4]
    assert world.show(world.initial()).count(".") == 1
