"""Recorded searches against ordinary ones: the same status, plan and counts for every registered search."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import runner.examples.enforced_hill_climbing
import runner.examples.pancake

import runner
from algorithms.depth_first.depth_first import DepthFirst, IterativeDeepeningAStar, IterativeDeepeningSearch
from algorithms.engine.search import Limits
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
from algorithms.interface.python_algorithm import PythonSearch
from algorithms.interface.search_problem import SearchProblem
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Weighting
from runner.base.errors import Incompatible, UserError
from runner.features.explorer.history import history_of
from runner.features.explorer.recorder import record_search
from runner.features.explorer.scene import positions_of
from tests.graphs import plain, random_graph, random_table
from tests.naive.depth_first import MAX_EXPANDED, Recursion, TooLarge
from tests.registered import AGENTS, SEARCHES
from tests.runner.features.explorer.recordings import recorded
from worlds.interface.instance import Instance, Problem
from worlds.interface.python_world import PythonWorld

assert runner.examples.pancake
assert runner.examples.enforced_hill_climbing

COUNTS = ("expanded", "generated", "evaluated", "reopened", "iterations", "simulated_actions")


def instances() -> list[tuple[Instance, list[str]]]:
    """Return instances of compiled and plain-Python worlds, with heuristics for each."""
    return [
        (runner.load("wumpus/random", size=5, count=1)[0], ["manhattan", "flood_fill"]),
        (runner.load("npuzzle/random", size=[2, 3], count=1)[0], ["manhattan"]),
        (runner.load("snake/static")[0], ["nearest"]),
        (runner.load("pancake", size=5, count=1)[0], ["gap"]),
        (runner.load("gridmap/static")[3], ["octile"]),
        (runner.load("road/random", nodes=60, count=1)[0], []),
    ]


EXPANDING = [name for name in SEARCHES if getattr(ALGORITHMS.find(name), "expands_states", False)]


@pytest.mark.parametrize("name", [*EXPANDING, "enforced_hill_climbing"])
def test_a_recorded_search_equals_an_ordinary_one(name: str) -> None:
    compared = 0
    for instance, heuristics in instances():
        try:
            recording = recorded(instance, name, heuristics)
        except Incompatible:
            continue
        expected = runner.solve(instance, name, heuristics, limits={"nodes": 20_000})
        found: dict[str, Any] = {"status": recording.status, **recording.found}
        for column in ("status", "cost", "length", "plan", "valid", "initial_h", *COUNTS):
            assert found.get(column) == getattr(expected, column), (column, instance.id)
        assert len(recording.recorder.expanded) == expected.expanded
        nodes = recording.plan_nodes()
        if expected.status == "solved" and recording.recorder.keeps != "last" and name != "jps":
            assert -1 not in nodes
        compared += 1
    least = {"jps": 1, "frontier": 0, "iw": 0, "bfws": 0, "boa": 1, "namoadr": 1, "bod": 1, "unibz_astar": 1}
    assert compared >= least.get(name, 2)


def test_the_jumps_to_the_goal_are_the_plan() -> None:
    jumps = 0
    for world in runner.load("gridmap/random", count=20):
        recording = recorded(world, "jps", ["octile"])
        if recording.status != "solved":
            continue
        record, history = recording.recorder, history_of(recording)
        assert len(record.successor) == recording.found["generated"]
        position = positions_of(world, record.unpacked(range(len(record.states))))
        assert position is not None
        parent, g = (
            dict(zip(history.node, history.parent, strict=True)),
            dict(zip(history.node, history.g, strict=True)),
        )
        plan = recording.plan_nodes()
        node, path = plan[-1], [plan[-1]]
        assert world.world.user_cost(int(g[node])) == recording.found["cost"]
        while (before := int(parent[node])) >= 0:
            (x, y), (to_x, to_y) = position[before], position[node]
            assert 0 in (x - to_x, y - to_y) or abs(x - to_x) == abs(y - to_y)
            jumps += max(abs(x - to_x), abs(y - to_y)) > 1
            path.append(node := before)
        assert path[::-1] == [node for node in plan if node in path]
        assert set(path[1:]) <= set(record.expanded)
    assert jumps > 0


def test_a_search_in_plain_python_has_the_cheapest_paths_of_its_iteration() -> None:
    def walk(problem: SearchProblem) -> None:
        """Expand breadth-first twice, without an order by costs."""
        for _ in range(2):
            queue = [problem.start]
            for state in queue:
                queue += [after for _, after, _ in problem.expand(state) if after not in queue]

    @dataclass(frozen=True)
    class Walk(SearchAlgorithm):
        registered_name = "walk"

        def start(self, stack: BoundStack, weighting: Weighting | None) -> PythonSearch:
            return PythonSearch(walk, stack, is_complete=False, promised_bound=None)

    source = random.Random(5)
    for _ in range(40):
        recording = record_search(random_graph(source, 9, 30).instance(), Walk(), Stack(), None, Limits())
        record, history = recording.recorder, history_of(recording)
        half = len(record.expanded) // 2
        assert history.starts.tolist() == [0, half]
        assert record.expanded[:half] == record.expanded[half:]
        assert record.parent[:half] == record.parent[half:]
        g = {0: 0}
        for step, node in enumerate(record.expanded[:half]):
            assert record.g[step] == g[node]
            assert node == 0 or record.parent[step] in record.expanded[:step]
            for each in range(record.first[step], record.first[step + 1]):
                child = record.successor[each]
                g[child] = min(g.get(child, record.g[step] + record.cost[each]), record.g[step] + record.cost[each])


@pytest.mark.parametrize("cycle_check", ["parent", "path"])
def test_searches_in_place_are_recorded_by_their_general_kernels(cycle_check: str) -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, "idastar", ["manhattan"], cycle_check=cycle_check)
    expected = runner.solve(puzzle, {"name": "idastar", "cycle_check": cycle_check}, ["manhattan"])
    counts = [name for name in COUNTS if name != "evaluated"]  # in place, only the states that are visited
    assert {name: recording.found[name] for name in counts} == {name: getattr(expected, name) for name in counts}
    assert len(recording.recorder.expanded) == expected.expanded


class Twin(Recursion[Any]):
    """Naive depth-first search that records (state, state before it, g) of each expansion."""

    def __init__(self, successors: Any, is_goal: Any, h: Any, cycle_check: str) -> None:
        super().__init__(self.expand, is_goal, h, cycle_check)
        self.of_problem, self.record = successors, list[tuple[Any, Any, int]]()
        self.at: tuple[list[Any], int] = ([], 0)

    def visit(self, path: list[Any], g: int, h: float) -> int | None:
        self.at = path, g
        return super().visit(path, g, h)

    def expand(self, state: Any) -> Any:
        path, g = self.at
        self.record.append((state, path[-2] if len(path) > 1 else None, g))
        return self.of_problem(state)


def naive(algorithm: SearchAlgorithm, bound: Any) -> list[tuple[Any, Any, int]]:
    p = plain(bound)
    twin: Twin
    if isinstance(algorithm, DepthFirst):
        twin = Twin(p.successors, p.is_goal, lambda _: 0, "visited")
        twin.begin(p.initial, float("inf"), float("inf"))
    elif isinstance(algorithm, IterativeDeepeningSearch):
        twin = Twin(p.successors, p.is_goal, lambda _: 0, "path")
        limit = 0
        while twin.begin(p.initial, float("inf"), limit) is None and twin.cut:
            limit += 1
    else:
        twin = Twin(p.successors, p.is_goal, p.h, "path")
        bound_on_f = p.h(p.initial)
        while twin.begin(p.initial, bound_on_f, float("inf")) is None and twin.next_bound < float("inf"):
            bound_on_f = twin.next_bound
    return twin.record


@pytest.mark.parametrize("algorithm", [DepthFirst(), IterativeDeepeningSearch(), IterativeDeepeningAStar()])
def test_parents_and_g_of_depth_first_searches_equal_those_of_a_naive_search(algorithm: SearchAlgorithm) -> None:
    source = random.Random(str(algorithm))
    compared = 0
    for _ in range(150):
        graph = random_graph(source, source.choice([1, 9, 40]))
        table = random_table(source, graph, admissible=True)
        stack = Stack((table,)) if isinstance(algorithm, IterativeDeepeningAStar) else Stack()
        instance = graph.instance()
        bound = stack.prepare(instance.problem())
        try:
            naive_record = naive(algorithm, bound)
        except TooLarge:
            continue
        expected = [(number(bound.problem, one), number(bound.problem, other), g) for one, other, g in naive_record]
        recording = record_search(instance, algorithm, stack, None, Limits(nodes=MAX_EXPANDED))
        record, problem = recording.recorder, recording.recorder.problem
        assert problem is not None
        history = history_of(recording)
        states = [number(problem, words) for words in record.states]
        found = [
            (states[node], states[parent] if parent >= 0 else None, g)
            for node, parent, g in zip(record.expanded, history.expanded_parent, history.expanded_g, strict=True)
        ]
        assert found == expected
        compared += len(found) > 1
    assert compared > 25


def number(problem: Problem, state: bytes | None) -> Any:
    """Return the node of a graph; None for None."""
    return None if state is None else problem.unpack(np.frombuffer(state, np.uint64))


def test_agents_are_refused() -> None:
    cave = runner.load("wumpus/static")[0]
    with pytest.raises(UserError, match="is an agent; only searches can be explored"):
        recorded(cave, AGENTS[0])


class Broken(PythonWorld):
    """World whose rules raise an exception after some steps."""

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        if state > 5:
            raise ZeroDivisionError("no more steps")
        return [("on", state + 1, 1)]

    def is_goal(self, state: int) -> bool:
        return False


@pytest.mark.parametrize("name", ["astar", "dfs", "bfs"])
def test_errors_of_worlds_have_their_own_traceback(name: str) -> None:
    instance = next(iter(Broken().instances()))
    with pytest.raises(UserError, match=r"cannot be searched(?s:.*)ZeroDivisionError: no more steps") as raised:
        recorded(instance, name)
    assert str(raised.value).count('File "') == 1


def test_limits_end_a_recorded_search() -> None:
    puzzle = runner.load("npuzzle/korf100", instances=[1])[0]
    recording = recorded(puzzle, "astar", ["manhattan"], nodes=500)
    assert (recording.status, len(recording.recorder.expanded)) == ("node_limit", 500)
