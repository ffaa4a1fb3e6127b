"""The heap of nodes of searches with real costs, against buckets."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from typing import Any, get_args

import pytest

import runner
from algorithms.best_first import Ties
from algorithms.engine import open_list
from algorithms.engine.search import Limits, ResumableSearch, Status, run
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Constant, Geometric
from runner.config import sections
from tests.algorithms.typed import search_algorithm
from tests.graphs import Graph, random_graph, random_table
from worlds.interface import Problem

ALGORITHMS: list[dict[str, Any]] = [
    *[{"name": "astar", "ties": ties, "reopen": reopen} for ties in get_args(Ties) for reopen in (True, False)],
    {"name": "ucs"},
    {"name": "greedy"},
    {"name": "anytime_astar", "weights": [3, 1.5, 1]},
]  # fmt: skip


class Halves(Graph):
    """Graph whose costs count twice in the engine, so that searches take the heap."""

    cost_scale = 2


def outcome(search: ResumableSearch, stack: BoundStack) -> dict[str, Any]:
    """Return the status, the counts and the plan of a search."""
    status = run(search, Limits(nodes=5_000))
    found = {name: value for name, value in asdict(search.counts).items() if name != "memory_bytes"}
    plan = stack.problem.instance.plan(search.path(), stack.problem) if status == "solved" else None
    return {**found, "status": status, "plan": plan, "before": search.expanded_before_last_layer}


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("admissible", [True, False])
def test_the_heap_gives_the_order_of_the_buckets(algorithm: dict[str, Any], admissible: bool) -> None:
    source = random.Random(f"{algorithm} {admissible}")
    chosen: Any = sections.algorithm_of(algorithm)
    for _ in range(150):
        graph = random_graph(source, source.choice([3, 9]), largest=source.choice([9, 25]))
        table = random_table(source, graph, admissible)
        stack = Stack() if algorithm["name"] == "ucs" else Stack((table,))
        weighting = source.choice([None, Constant(2.0), Geometric()]) if algorithm["name"] == "astar" else None
        found = []
        for world in (graph, Halves(graph.edges, graph.goal_nodes)):
            bound = stack.prepare(world.instance().problem())
            found.append(outcome(chosen.start(bound, weighting), bound))
        buckets, heap = found
        assert heap == buckets


def problem_of(kind: str) -> Problem:
    return replace(runner.load("gridmap/random", kind=kind, size=48, count=1, seed=3)[0].problem(), numbering=None)


@pytest.mark.parametrize("kind", ["obstacles", "maze"])
def test_small_steps_and_growth_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stack = sections.stack_of_entries("gridmap", ["octile"], "sum")
    algorithm = search_algorithm("astar")
    whole = algorithm.start(stack.prepare(problem_of(kind)), None)
    monkeypatch.setattr(open_list, "_FIRST_ENTRIES", 1)
    stepped = algorithm.start(stack.prepare(problem_of(kind)), None)
    assert isinstance(stepped, ResumableSearch)
    assert run(whole, Limits()) == "solved"
    grown = 0
    while (status := stepped.step(3)) in (Status.RUNNING, Status.OUT_OF_MEMORY):
        if status == Status.OUT_OF_MEMORY:
            assert stepped.grow(None)
            grown += 1
    assert status == Status.SOLVED
    assert grown >= 1
    assert stepped.path() == whole.path()
    assert replace(stepped.counts, memory_bytes=0) == replace(whole.counts, memory_bytes=0)
    assert stepped.expanded_before_last_layer == whole.expanded_before_last_layer
