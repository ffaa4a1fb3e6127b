"""Real-time searches: learned values, statuses and limits."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

import runner
from algorithms.engine.search import Expansion, Limits
from heuristics.interface.stack import Stack
from tests.algorithms.searching import run
from tests.algorithms.typed import not_none, search_algorithm
from tests.graphs import Graph, consistent_table, exact, random_graph, random_table
from worlds.compile.errors import MAX_COST

REAL_TIME = ["lss_lrta", "rtaa"]


def undirected(source: random.Random, nodes: int) -> Graph:
    """Return a connected graph whose edges have a cost above 0 in both directions."""
    joined = [(source.randrange(node), node) for node in range(1, nodes)]
    more = [(source.randrange(nodes), source.randrange(nodes)) for _ in range(nodes)]
    edges = [(u, v, source.randint(1, 9)) for u, v in joined + more]
    return Graph((*edges, *((v, u, cost) for u, v, cost in edges)), (nodes - 1,))


@pytest.mark.parametrize("name", REAL_TIME)
def test_values_never_fall_nor_overestimate_and_consistent_ones_stay_consistent(name: str) -> None:
    source, raised = random.Random(name), 0
    for number in range(80):
        graph = random_graph(source, 9, 20) if number % 3 else undirected(source, 15)
        is_consistent = number % 2 == 0
        table = consistent_table(source, graph) if is_consistent else random_table(source, graph, admissible=True)
        bound = Stack((table,)).prepare(graph.instance().problem())
        distance, values = exact(graph), dict[int, float]()
        search = search_algorithm(name, lookahead=source.choice([1, 2, 5])).start(bound, None)

        told: list[Expansion] = []
        search.record = told.append
        run(search, Limits(nodes=100))
        for expansion in told:
            for words, value in expansion.learned:
                state = bound.problem.unpack(words)
                h = math.inf if value > MAX_COST else value
                before = values.get(state, table.value(state, None))
                assert before <= h <= distance.get(state, math.inf)
                raised += h > before
                values[state] = h
            after = {node: values.get(node, table.value(node, None)) for u, v, _ in graph.edges for node in (u, v)}
            assert not is_consistent or all(after[u] <= cost + after[v] for u, v, cost in graph.edges)
    assert raised > 50


@pytest.mark.parametrize("name", REAL_TIME)
@pytest.mark.parametrize("admissible", [True, False])
def test_an_agent_that_can_undo_its_moves_reaches_a_goal(name: str, admissible: bool) -> None:
    source = random.Random(f"{name} {admissible}")
    for _ in range(20):
        graph = undirected(source, source.randint(2, 30))
        table = random_table(source, graph, admissible=True)
        if not admissible:
            table = type(table)({state: 3 * h + state % 5 for state, h in table.values.items()}, {}, None)
        bound = Stack((table,)).prepare(graph.instance().problem())
        search = search_algorithm(name, lookahead=source.choice([1, 2, 9])).start(bound, None)
        assert run(search, Limits(nodes=100_000)) == "solved"
        assert search.cost >= exact(graph)[0]


@pytest.mark.parametrize("name", REAL_TIME)
def test_a_dead_end_is_a_cutoff_unless_the_start_was_searched_in_full(name: str) -> None:
    solvable = Graph(((0, 1, 1), (1, 2, 1), (0, 3, 5), (3, 4, 1)), (4,)).instance()
    for lookahead, status in ((1, "cutoff"), (5, "solved")):
        assert runner.solve(solvable, {"name": name, "lookahead": lookahead}).status == status
    unsolvable = Graph(((0, 1, 1), (1, 0, 1), (1, 2, 1)), (4,)).instance()
    assert runner.solve(unsolvable, {"name": name, "lookahead": 3}).status == "unsolvable"
    endless = Graph(((0, 1, 1), (1, 0, 1)), (4,)).instance()
    assert runner.solve(endless, {"name": name, "lookahead": 1}, limits={"nodes": 999}).status == "node_limit"


@pytest.mark.parametrize("name", REAL_TIME)
def test_long_searches_and_walks_enlarge_the_arrays(name: str) -> None:
    chain = Graph(tuple((node, node + 1, 3) for node in range(2_000)), (2_000,)).instance()
    for lookahead in (1, 700):
        algorithm = {"name": name, "lookahead": lookahead}
        walk = runner.solve(chain, algorithm)
        assert (walk.status, walk.cost, walk.valid, walk.bound) == ("solved", 6_000, True, None)
        assert (walk.expanded, walk.iterations) == (2_000, -(-2_000 // lookahead))
        assert walk.measured["agent_moves"] == 2_000
        assert walk.measured["largest_expansions_per_move"] == lookahead
        half = runner.solve(chain, algorithm, limits={"memory": not_none(walk.memory_bytes) // 2})
        assert half.status == "memory_limit"
        limited = runner.solve(chain, algorithm, limits={"nodes": 1_999})
        assert (limited.status, limited.expanded) == ("node_limit", 1_999)


def test_a_larger_lookahead_needs_fewer_local_searches_until_it_is_astar() -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    found = [runner.solve(puzzle, {"name": "lss_lrta", "lookahead": k}, ["manhattan"]) for k in (1, 10, 100, 10_000)]
    assert all(not_none(more.iterations) > not_none(fewer.iterations) for more, fewer in pairwise(found))
    best = runner.solve(puzzle, "astar", ["manhattan"])
    assert (found[-1].cost, found[-1].expanded, found[-1].plan) == (best.cost, best.expanded, best.plan)
