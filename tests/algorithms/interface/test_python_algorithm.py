"""Algorithms in plain Python: counts, limits, plans, and agreement with the compiled searches."""

from __future__ import annotations

import contextlib
import heapq
import random
from pathlib import Path
from typing import Any

import pytest
import runner.examples.astar
import runner.examples.compiled_astar
import runner.examples.compiled_hill_climbing
import runner.examples.enforced_hill_climbing
import runner.examples.pancake

import runner
from algorithms.engine import open_list
from algorithms.engine.search import Counts, Limits
from algorithms.interface.search_problem import SearchProblem
from heuristics.interface.stack import Stack
from runner import python_algorithm
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.algorithms.engine.faulty_kernels import NegativeElsewhere
from tests.algorithms.searching import run as search
from tests.algorithms.typed import search_algorithm
from tests.graphs import random_graph, random_table
from tests.plugins.line import Line
from tests.runner_cli import rows, run
from worlds.compile.errors import KernelError
from worlds.interface.instance import Instance

EXAMPLES = (
    runner.examples.astar,
    runner.examples.compiled_astar,
    runner.examples.compiled_hill_climbing,
    runner.examples.enforced_hill_climbing,
    runner.examples.pancake,
)
"""Modules that register what is tested."""

INSTANCES: list[tuple[Instance, str]] = [
    *[(each, "manhattan") for each in runner.load("npuzzle/random", size=3, shuffle="walk", steps=30, count=3)],
    *[
        (each, "linear_conflict")
        for each in runner.load("npuzzle/random", size="4x5", shuffle="walk", steps=14, count=2)
    ],
    *[(each, "pivots") for each in runner.load("wumpus/static")],
    *[(each, "remaining") for each in runner.load("snake/static")[:3]],
    *[(each, "gap") for each in runner.load("pancake", size=6, count=3)],
    *[(each, "octile") for each in runner.load("gridmap/random", size=24, count=3)],
    *[(each, "ff") for each in runner.load("pddl/static")[:2]],
]


def ids(case: Any) -> str:
    return case.id if isinstance(case, Instance) else str(case)


@python_algorithm("astar of tests", heuristic="used", complete=True, optimal="admissible")
def astar(problem: SearchProblem, weight: float = 1) -> list[int] | None:
    """A* that reopens."""
    start = problem.start
    g, parents = {start: 0}, {start: (start, -1)}
    waiting = [(weight * problem.h(start), start, 0)]
    while waiting:
        f, state, cost = heapq.heappop(waiting)
        if cost > g[state] or f == float("inf"):
            continue
        if problem.is_goal(state):
            return actions(state, start, parents)
        for action, successor, step in problem.expand(state):
            if successor not in g or cost + step < g[successor]:
                g[successor], parents[successor] = cost + step, (state, action)
                heapq.heappush(waiting, (cost + step + weight * problem.h(successor), successor, cost + step))
        problem.counts.peak_nodes = len(g)
    return None


def actions(state: int, start: int, parents: dict[int, tuple[int, int]]) -> list[int]:
    found = []
    while state != start:
        state, action = parents[state]
        found.append(action)
    return found[::-1]


@pytest.mark.parametrize(("instance", "heuristic"), INSTANCES, ids=ids)
def test_the_engine_expands_the_nodes_of_a_star_in_plain_python(instance: Instance, heuristic: str) -> None:
    """Plans are equal because ties are broken equally: the smallest h first, then the newest node."""
    for stack in ([heuristic], []):
        slow, own, fast = (runner.solve(instance, name, stack) for name in ("plain_astar", "compiled_astar", "astar"))
        assert fast.expanded
        assert slow.memory_bytes is None
        for name in SAME:
            assert getattr(slow, name) == getattr(own, name) == getattr(fast, name), name


SAME = (
    "status", "plan", "cost", "valid", "bound", "initial_h", "expanded", "generated", "evaluated", "reopened",
    "iterations", "simulated_actions", "peak_nodes", "expanded_before_last_layer",
)  # fmt: skip


@pytest.mark.parametrize(("instance", "heuristic"), INSTANCES, ids=ids)
def test_the_compiled_example_is_the_same_search(instance: Instance, heuristic: str) -> None:
    slow, fast = (runner.solve(instance, f"{name}_hill_climbing", heuristic) for name in ("enforced", "compiled"))
    assert (slow.status, slow.plan, slow.cost, slow.valid) == (fast.status, fast.plan, fast.cost, fast.valid)
    counted = ("expanded", "generated", "simulated_actions")
    assert [getattr(slow, name) for name in counted] == [getattr(fast, name) for name in counted]
    assert slow.measured == fast.measured


@pytest.mark.parametrize("ties", ["low_h", "high_h", "fifo", "lifo"])
def test_the_example_with_an_open_list_takes_ties_as_the_engine_does_while_its_arrays_grow(
    ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_list, "_FIRST_BUCKETS", 1)
    source = random.Random(ties)
    for _ in range(60):
        graph = random_graph(source, source.choice([3, 40]), 40)
        bound = Stack((random_table(source, graph, True),)).prepare(graph.instance().problem())
        found = []
        for name in ("compiled_astar", "astar"):
            chosen: Any = sections.algorithm_of({"name": name, "ties": ties})
            started = chosen.start(bound, None)
            ended = search(started, Limits())
            found.append(
                (ended, started.counts.by_column() | {"memory_bytes": 0}, ended == "solved" and started.path())
            )
        assert found[0] == found[1]


def test_the_instance_tells_its_id_and_its_world() -> None:
    told = []

    @python_algorithm("telling")
    def telling(problem: SearchProblem) -> None:
        told.append((problem.instance.id, problem.instance.world.unit_costs))

    board = runner.load("npuzzle/random", count=1)[0]
    runner.solve(board, "telling")
    assert told[-1] == (board.id, True)


@pytest.mark.parametrize("nodes", [1, 2, 7, 100])
def test_a_limit_of_nodes_is_exact_and_none_is_counted_beyond_it(nodes: int) -> None:
    board = runner.load("npuzzle/random", count=1)[0]
    result = runner.solve(board, "astar of tests", "manhattan", limits={"nodes": nodes})
    assert (result.status, result.expanded) == ("node_limit", nodes)


def test_a_time_limit_ends_it_although_it_catches_exceptions() -> None:
    @python_algorithm("stubborn")
    def stubborn(problem: SearchProblem) -> None:
        while True:
            with contextlib.suppress(Exception):
                problem.expand(problem.start)

    board = runner.load("npuzzle/random", count=1)[0]
    result = runner.solve(board, "stubborn", limits={"time": 0.2})
    assert result.status == "time_limit"
    assert result.expanded is not None
    assert result.expanded > 1


def test_the_user_can_stop_it() -> None:
    @python_algorithm("endless")
    def endless(problem: SearchProblem) -> None:
        while True:
            problem.expand(problem.start)

    bound = Stack().prepare(runner.load("npuzzle/random", count=1)[0].problem())
    seen: list[int] = []

    def watch(counts: Counts) -> bool:
        seen.append(counts.expanded)
        return len(seen) == 3

    assert search(search_algorithm("endless").start(bound, None), Limits(), watch) == "interrupted"
    assert seen == sorted(seen)


def test_a_negative_value_of_a_term_is_an_error() -> None:
    bound = Stack((NegativeElsewhere(),)).prepare(runner.load("npuzzle/random", count=1)[0].problem())
    with pytest.raises(KernelError, match="a heuristic value is negative"):
        search(search_algorithm("astar of tests").start(bound, None), Limits(nodes=10))


def test_an_action_that_no_successor_has_is_named_without_another_step() -> None:
    @python_algorithm("impossible")
    def impossible(problem: SearchProblem) -> list[int]:
        return [-1]

    bound = Stack().prepare(Instance(Line(2), "line").problem())
    with pytest.raises(ValueError, match=r"action 1 of the plan, -1, is not possible .* 0 \(right\), 1 \(left\)"):
        search(search_algorithm("impossible").start(bound, None), Limits())


def test_a_run_shows_progress_and_parameters_and_metrics(tmp_path: Path) -> None:
    (tmp_path / "walks.py").write_text(WALKS)
    done = run(tmp_path, "plugins=[walks]", "algorithm=walks", "algorithm.tries=3", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert {row["tries"] for row in found} == {"3"}
    assert {row["parameters"] for row in found} == {"tries=3"}
    assert {row["status"] for row in found} == {"cutoff"}
    assert {row["peak_nodes"] for row in found} == {""}


WALKS = '''
import runner


@runner.python_algorithm("walks", metrics=(runner.Metric("tries"),))
def walks(problem, tries: int = 1):
    """Do nothing useful."""
    for _ in range(tries):
        problem.expand(problem.start)
    problem.measured["tries"] = tries
'''


python_algorithm("weighted of tests", complete=True, optimal="bounded", bound="weight")(astar)
python_algorithm("within 1.05 of tests", complete=True, optimal="bounded", bound=1.05)(astar)


def test_a_declared_bound_is_reported_and_audited() -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    solved = runner.solve(board, {"name": "weighted of tests", "weight": 3}, "manhattan")
    assert solved.cost is not None
    assert (solved.valid, solved.bound) == (True, 3)
    assert runner.solve(board, "within 1.05 of tests", "manhattan").bound == 1.05
    not_admissible = ["manhattan", "misplaced"]
    assert runner.solve(board, "within 1.05 of tests", not_admissible).bound is None
    for algorithm, broken in (
        ({"name": "weighted of tests", "weight": 3}, []),
        ({"name": "within 1.05 of tests", "weight": 9}, ["bounded"]),
    ):
        audit = runner.audit("pancake", ["gap"], algorithm=algorithm, size=6, count=20, seed=1, workers=0)
        assert audit.broken == broken
        (found,) = [each for each in audit.findings if each.check == "bounded"]
        assert found.instances == 20
    with pytest.raises(UserError, match=r"algorithm.weight: weighted of tests needs a number of at least 1, got 0.5"):
        search_algorithm("weighted of tests", weight=0.5).start(Stack().prepare(board.problem()), None)


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"optimal": "bounded"}, "declared together"),
        ({"bound": 2}, "declared together"),
        ({"optimal": "bounded", "bound": 0.5}, "at least 1"),
        ({"optimal": "bounded", "bound": "wieght"}, "did you mean 'weight'"),
    ],
)
def test_a_wrong_bound_is_refused_where_it_is_declared(declared: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        python_algorithm("wrong bound", **declared)(astar)


def test_audits_and_needed_heuristics_apply() -> None:
    assert runner.audit("pancake", ["gap"], algorithm="astar of tests", size=5, count=2, workers=0).broken == []
    weighted = {"name": "astar of tests", "weight": 5}
    audit = runner.audit("pancake", ["gap"], algorithm=weighted, size=5, count=20, workers=0)
    assert "optimal" in audit.broken
    with pytest.raises(UserError, match="enforced_hill_climbing needs one"):
        runner.solve(runner.load("pancake")[0], "enforced_hill_climbing")
