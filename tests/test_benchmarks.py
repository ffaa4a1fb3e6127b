"""The worlds and peers of the benchmarks search the same thing."""

from __future__ import annotations

import pytest

import runner
from algorithms.best_first import AStar, UniformCost
from algorithms.engine.search import Limits, run
from benchmarks import peers
from benchmarks.worlds import CompiledGrid, EightPuzzle, GridDistance, PythonGrid, grid_distance, puzzle_distance
from heuristics.stack import Stack
from worlds.interface import Problem

WORLDS = [
    (EightPuzzle(seed=3), puzzle_distance),
    (EightPuzzle(seed=8), puzzle_distance),
    (PythonGrid(1), grid_distance),
]


def cost(problem: Problem, stack: Stack, algorithm=AStar()) -> int:  # noqa: B008
    search = algorithm.start(stack.prepare(problem), None)
    assert run(search, Limits()) == "solved"
    return search.cost


def test_worlds_are_sound() -> None:
    for world, _ in WORLDS:
        runner.check_world(world)
    runner.check_world(CompiledGrid(9))


def test_the_compiled_grid_is_the_one_in_plain_python() -> None:
    compiled, python = CompiledGrid(64, seed=1), next(iter(PythonGrid(1).instances()))
    expected = cost(python.problem(), Stack(), UniformCost())
    assert cost(compiled.problem(), Stack((GridDistance(),))) == expected
    assert runner.solve(python, "astar", ["distance"]).cost == expected


@pytest.mark.parametrize(("world", "h"), WORLDS, ids=["puzzle_3", "puzzle_8", "grid"])
def test_peers_agree(world, h) -> None:
    instance = next(iter(world.instances()))
    expected = runner.solve(instance, "astar", ["distance"])
    assert expected.bound == 1
    assert peers.by_hand(world, h)[0] == expected.cost
    if isinstance(world, PythonGrid):
        pytest.importorskip("networkx")
        assert peers.networkx_astar(peers.networkx_graph(world), world, h)[0] == expected.cost
        pytest.importorskip("simpleai")
        assert peers.simpleai_astar(world, h)[0] == expected.cost
