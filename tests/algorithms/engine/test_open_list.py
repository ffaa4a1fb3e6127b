"""Orders of the open list, and the heap of nodes of searches with real costs, against buckets."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest

import runner
from algorithms.best_first.best_first import Ties
from algorithms.engine import control as c
from algorithms.engine import open_list
from algorithms.engine.nodes import G, H, Nodes
from algorithms.engine.open_list import TIES, OpenList, pop_all
from algorithms.engine.search import Limits, ResumableSearch, StepStatus
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant
from heuristics.weightings import Geometric
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.algorithms.typed import search_algorithm
from tests.graphs import Graph, random_graph, random_table
from tests.sampling import covering
from worlds.interface.instance import Problem

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
    plan = stack.problem.plan(search.path()) if status == "solved" else None
    return {**found, "status": status, "plan": plan, "before": search.expanded_before_last_layer}


@covering({"admissible": [True, False], "algorithm": ALGORITHMS})
def test_the_heap_gives_the_order_of_the_buckets(algorithm: dict[str, Any], admissible: bool) -> None:
    source = random.Random(f"{algorithm} {admissible}")
    chosen: Any = sections.algorithm_of(algorithm)
    for _ in range(60):
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


ORDERS: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    "low_h": lambda h, push: (h, -push),
    "low_h_fifo": lambda h, push: (h, push),
    "high_h": lambda h, push: (-h, -push),
    "fifo": lambda h, push: (push,),
    "lifo": lambda h, push: (-push,),
    "low_difference": lambda h, push: (h, -push),
    "random": lambda h, push: (),
}
"""Key of a node among those with the same f, by its h and when it was pushed."""


@covering(
    {
        "weights": [(1, 1), (1, 0), (0, 1), (2, 3)],
        "ties,has_buckets": [*product(sorted(set(TIES) - {"random"}), (False, True)), ("random", False)],
    }
)
def test_nodes_are_popped_in_the_declared_order(ties: str, has_buckets: bool, weights: tuple[int, int]) -> None:
    source = random.Random(f"{ties} {weights}")
    count, control, nodes = 300, np.zeros(c.SIZE, np.int64), Nodes(1)
    queue = OpenList(control, np.array([*weights, 0.0, 1.0]), nodes, ties, has_buckets=has_buckets)
    g, h = ([source.randrange(6) for _ in range(count)] for _ in range(2))
    nodes.column(G, 0, count)[:], nodes.column(H, 0, count)[:] = g, h
    pushed, popped = source.sample(range(count), count), np.empty(count, np.int32)
    queue.refill(np.array(pushed, np.int32))
    assert pop_all.compiled(control, nodes.fields, 2 * nodes.stride, queue.arrays, popped) == count

    def key(push: int) -> tuple[int, ...]:
        node = pushed[push]
        return weights[0] * g[node] + weights[1] * h[node], *ORDERS[ties](h[node], push)

    pushes = [pushed.index(int(node)) for node in popped]
    assert sorted(pushes) == list(range(count))
    assert [key(push) for push in pushes] == sorted(map(key, range(count)))


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
    while (status := stepped.step(3)) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
        if status == StepStatus.OUT_OF_MEMORY:
            assert stepped.grow(None)
            grown += 1
    assert status == StepStatus.SOLVED
    assert grown >= 1
    assert stepped.path() == whole.path()
    assert replace(stepped.counts, memory_bytes=0) == replace(whole.counts, memory_bytes=0)
    assert stepped.expanded_before_last_layer == whole.expanded_before_last_layer
