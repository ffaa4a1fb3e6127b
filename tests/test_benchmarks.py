"""The benchmarks: equal search spaces of their worlds and of other programs, tables, and medians."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

import runner
from algorithms.best_first import AStar, UniformCost
from algorithms.engine.search import Limits, run
from algorithms.interface import SearchAlgorithm
from benchmarks import peers, start
from benchmarks.tables import show
from benchmarks.timing import medians, search_runs
from benchmarks.worlds import EightPuzzle, GridDistance, PythonGrid, compiled_grid, grid_distance, puzzle_distance
from heuristics.stack import Stack
from worlds.interface import Problem

WORLDS: list[tuple[EightPuzzle | PythonGrid, Callable[[Any], float]]] = [
    (EightPuzzle(seed=3), puzzle_distance),
    (EightPuzzle(seed=8), puzzle_distance),
    (PythonGrid(1), grid_distance),
]


def cost(problem: Problem, stack: Stack, algorithm: SearchAlgorithm = AStar()) -> int:  # noqa: B008
    search = algorithm.start(stack.prepare(problem), None)
    assert run(search, Limits()) == "solved"
    return search.cost


def test_worlds_pass_the_world_checks() -> None:
    for world, _ in WORLDS:
        runner.check_world(world)
    runner.check_world(compiled_grid(9))


def test_the_compiled_grid_equals_the_grid_in_plain_python() -> None:
    compiled, python = compiled_grid(64, seed=1), next(iter(PythonGrid(1).instances()))
    expected = cost(python.problem(), Stack(), UniformCost())
    assert cost(compiled.problem(), Stack((GridDistance(),))) == expected
    assert runner.solve(python, "astar", ["distance"]).cost == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_search_runs_report_status_cost_and_counts() -> None:
    problem, stack = compiled_grid(64, seed=1).problem(), Stack((GridDistance(),))
    runs = search_runs(AStar(), stack, problem, 3)
    assert (runs.status, runs.cost) == ("solved", cost(problem, stack))
    assert runs.seconds > 0
    stopped = search_runs(UniformCost(), Stack(), problem, 1, Limits(nodes=10))
    assert (stopped.status, stopped.cost, stopped.counts.expanded) == ("node_limit", None, 10)


def test_medians_are_taken_for_each_value() -> None:
    numbers = count()
    assert medians(lambda: (float(next(numbers)), 7.0), 3) == (1.0, 7.0)


def test_tables_show_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    show("title", [{"stack": "[manhattan, pivots]", "nodes": 1234, "s": 0.12345, "bound": None}])
    line = capsys.readouterr().out.splitlines()[-2]
    assert [cell.strip() for cell in line.strip("│").split("│")] == ["[manhattan, pivots]", "1,234", "0.123", ""]


@pytest.mark.parametrize(("world", "h"), WORLDS, ids=["puzzle_3", "puzzle_8", "grid"])
def test_other_programs_find_the_same_cost(world: EightPuzzle | PythonGrid, h: Callable[[Any], float]) -> None:
    instance = next(iter(world.instances()))
    expected = runner.solve(instance, "astar", ["distance"])
    assert expected.bound == 1
    assert peers.by_hand(world, h)[0] == expected.cost
    if isinstance(world, PythonGrid):
        pytest.importorskip("networkx")
        assert peers.networkx_astar(peers.networkx_graph(world), world, h)[0] == expected.cost
        pytest.importorskip("simpleai")
        assert peers.simpleai_astar(world, h)[0] == expected.cost


def test_the_page_has_figures_of_the_start_in_every_domain_and_family() -> None:
    """`python -m benchmarks` compares with them. Algorithms that refuse the instance have none."""
    published = start.published()
    assert set(published) <= set(start.cases())
    assert {world for _, world in published} == set(start.WORLDS)
    assert {("astar", world) for world in start.WORLDS} < set(published)
