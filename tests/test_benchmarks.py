"""The benchmarks: equal search spaces of their worlds and of other programs, tables, and medians."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import runner
from algorithms.best_first.best_first import AStar, UniformCost
from algorithms.engine.search import Limits
from algorithms.interface.algorithm import SearchAlgorithm
from benchmarks import compare, figures, peers, start, warm_up
from benchmarks.tables import show
from benchmarks.timing import medians, search_runs
from benchmarks.worlds import EightPuzzle, GridDistance, PythonGrid, compiled_grid, grid_distance, puzzle_distance
from heuristics.interface.stack import Stack
from tests.algorithms.searching import run
from worlds.interface.instance import Problem

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


def figure(samples: list[float], better: figures.Better = "less", name: str = "search") -> figures.Figure:
    return figures.Figure(name, "s", better, samples)


def test_rounds_are_merged_and_read_back_with_all_samples(tmp_path: Path) -> None:
    rounds = [
        [figures.Figure("search", "s", "less", [value], "C", [value / 2]), figure([1.0], name="start")]
        for value in (3.0, 1.0, 2.0)
    ]
    file = figures.write(figures.merged(rounds), tmp_path / "new" / "a.json")
    record = figures.read(file)
    assert [(each.name, each.samples) for each in record.figures] == [("search", [3, 1, 2]), ("start", [1, 1, 1])]
    assert record.figures[0].row()["ratio"] == 0.5
    assert record.machine["python"]


def test_a_comparison_sees_differences_beyond_noise_only() -> None:
    noise = [1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.03]
    slower = [2 * value for value in noise]
    assert compare.verdict(figure(noise), figure(slower)) == "slower"
    assert compare.verdict(figure(noise, "more"), figure(slower, "more")) == "faster"
    assert compare.verdict(figure(noise), figure([1.01 * value for value in noise])) == compare.NO_DIFFERENCE
    assert compare.verdict(figure([1.0]), figure([2.0])) == compare.NO_DIFFERENCE
    assert compare.interval_of_median(noise) == (0.9, 1.1)
    assert compare.interval_of_median([*noise, 5.0]) == (0.95, 1.1)
    low, high = compare.interval_of_ratio(noise, slower)
    assert low < 2 < high
    assert compare.interval_of_ratio(noise, slower) == (low, high)


def test_a_wrong_record_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = figures.write([figure([1.0])], tmp_path / "right.json")
    other = figures.write([figure([1.0], name="other")], tmp_path / "other.json")
    empty = figures.write([figure([])], tmp_path / "empty.json")
    (tmp_path / "text.json").write_text("{")
    wrong = {
        tmp_path / "missing.json": "cannot be read (No such file or directory)",
        tmp_path / "text.json": "is no record of python -m benchmarks",
        empty: "is no record of python -m benchmarks (search: expected samples above 0)",
        other: "the records have no figure in common",
    }
    for file, says in wrong.items():
        assert compare.main([str(right), str(file)]) == 2
        shown = capsys.readouterr()
        assert says in shown.err
        assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert compare.main([str(right), str(right)]) == 0


def test_another_machine_is_a_note() -> None:
    first = figures.Record("", {"processor": "a"}, [figure([1.0])])
    second = figures.Record("", {"processor": "b"}, [figure([1.0])])
    assert compare.notes(first, first) == []
    assert compare.notes(first, second) == ["the machines differ: processor: a and b"]


def test_the_first_of_equal_searches_is_judged_by_its_rank() -> None:
    assert warm_up.is_among_slowest([2.0, *[1.0] * 99])
    assert not warm_up.is_among_slowest([1.5, *[2.0] * 50, *[1.0] * 49])
