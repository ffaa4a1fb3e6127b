"""The heap of nodes and the numbers of states of searches with real costs, against buckets and the hash table."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

import pytest

from algorithms.engine.open_list import TIES
from algorithms.engine.search import Limits, ResumableSearch, run
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Constant, Geometric
from runner.config import sections
from tests.graphs import Graph, random_graph, random_table

ALGORITHMS: list[dict[str, Any]] = [
    *[{"name": "astar", "ties": ties, "reopen": reopen} for ties in TIES for reopen in (True, False)],
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
        if heap["before"] is None:  # the goal's f is not the largest
            buckets["before"] = None
        assert heap == buckets
