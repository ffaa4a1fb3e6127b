"""One rule for `limits.nodes`: a search that has made so many expansions ends, whatever it finds with the last one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import runner
from algorithms.engine.search import Limits
from algorithms.interface.algorithm import SearchAlgorithm
from heuristics.interface.stack import Stack
from runner.base.status import NODE_LIMIT, SOLVED, UNSOLVABLE
from tests.algorithms.searching import run
from tests.algorithms.typed import effective, search_algorithm
from tests.graphs import consistent_table, random_graph
from tests.planning import DATA
from tests.registered import ONLY_IN, SEARCHES
from tests.roads import any_road
from worlds.interface.instance import Instance, Problem
from worlds.topspin import TopSpin

VARIANTS: list[dict[str, Any]] = [
    *({"name": name} for name in SEARCHES),
    *({"name": "astar", "inconsistency": rule} for rule in ("pathmax", "bpmx", "b")),
    {"name": "astar", "reopen": False},
    {"name": "bfs", "goal_test": "expanded"},
    {"name": "bfs", "goal_test": "generated"},
    *({"name": name, "batch": 4} for name in ("greedy", "astar")),
    {"name": "astar", "batch": 4, "stop": "first"},
    {"name": "lss_lrta", "lookahead": 1},
]
ROADS = runner.load("road/random", count=1, nodes=400) + [
    Instance(any_road(random.Random(n), 3), "any") for n in range(9)
]
OWN: dict[str, list[Instance]] = {
    "jps": runner.load("gridmap/random", count=4),
    "unibz_astar": runner.load("wumpus/random", count=4),
    "iw": [*runner.load("hanoi/random", count=4, disks=3), Instance(TopSpin((3, 2, 0, 1), 4), "ring")],
    "bfws": runner.load("pddl/sas", path=str(DATA / "two_balls.sas")),
    "frontier": [Instance(TopSpin(ring, 4), "ring") for ring in ((3, 2, 1, 0, 4, 5), (3, 2, 0, 1))],
    **dict.fromkeys(("boa", "namoadr", "bod"), ROADS),
}
"""Instances of the searches that do not accept all. The last one has no solution."""


def problems(algorithm: SearchAlgorithm) -> Iterator[tuple[Stack, Problem]]:
    """Yield stacks and problems; some problems have no solution."""
    name = algorithm.registered_name
    if name in ONLY_IN:
        yield from ((Stack(), instance.problem()) for instance in OWN[name])
        return
    source = random.Random(name)
    for _ in range(30):
        graph = random_graph(source, 1 if algorithm.needs_unit_costs else 3)
        table = consistent_table(source, graph)
        yield Stack() if algorithm.heuristic == "ignored" else Stack((table,)), graph.instance().problem()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant.values())))
def test_a_search_that_takes_n_expansions_ends_by_itself_from_a_limit_of_one_more_on(variant: dict[str, Any]) -> None:
    algorithm, weighting = effective(search_algorithm(**variant), None)
    seen = set[str]()
    for stack, problem in problems(algorithm):
        bound = stack.prepare(problem)

        def ends(nodes: int, bound: Any = bound) -> tuple[str, int]:
            search = algorithm.start(bound, weighting)
            return run(search, Limits(nodes=nodes)), search.counts.expanded

        status, needed = ends(20_000)
        if needed == 0 or status == NODE_LIMIT.name:
            continue
        seen.add(status)
        assert ends(needed + 1) == (status, needed)
        assert ends(needed) == (NODE_LIMIT.name, needed)
    assert SOLVED.name in seen
    assert UNSOLVABLE.name in seen or algorithm.registered_name not in ("ucs", "bfs", "dfs", "ids", "frontier")
