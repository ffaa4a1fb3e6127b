"""Vertex covers of must-expand graphs: equal to the largest matchings of explicit graphs."""

from __future__ import annotations

import random

import pytest

import runner
from algorithms.bidirectional.must_expand import vertex_cover
from algorithms.engine.search import Limiter, Limits
from heuristics.interface.stack import Stack
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.algorithms.typed import not_none, search_algorithm
from tests.graphs import consistent_table, exact, random_graph

Pairs = dict[int, list[int]]


def largest_matching(pairs: Pairs) -> int:
    """Return the size of a largest matching, which is that of a smallest vertex cover (Konig)."""
    partner: dict[int, int] = {}

    def is_matched(node: int, seen: set[int]) -> bool:
        for other in pairs[node]:
            if other not in seen:
                seen.add(other)
                if other not in partner or is_matched(partner[other], seen):
                    partner[other] = node
                    return True
        return False

    return sum(is_matched(node, set()) for node in pairs)


def test_a_cover_has_the_size_of_a_largest_matching() -> None:
    source, positive = random.Random(5), 0
    for _ in range(160):
        graph = random_graph(source, source.choice([1, 3, 9]), 25)
        table = consistent_table(source, graph)
        to_goal, from_start = exact(graph), exact(graph, backward=True)
        cover = vertex_cover(Stack((table,)).prepare(graph.instance().problem()), Limiter(Limits()))
        assert (cover is None) == (0 not in to_goal)
        if cover is None:
            continue
        cost, smallest = int(to_goal[0]), 1 if graph.unit_costs else 0
        before = [node for node, g in from_start.items() if g + table.value(node, None) < cost]
        behind = [node for node, g in to_goal.items() if g + table.backward_value(node, None) < cost]
        pairs = {u: [v for v in behind if from_start[u] + to_goal[v] + smallest < cost] for u in before}
        assert cover == (cost, largest_matching(pairs))
        positive += cover.size > 1
    assert positive > 12


@pytest.mark.parametrize(("name", "most"), [("bidirectional", None), ("nbs", 2), ("dvcbs", None)])
def test_searches_expand_a_cover_before_the_last_layer(name: str, most: int | None) -> None:
    """At least as many nodes as a minimum vertex cover has; NBS at most twice as many."""
    source, positive = random.Random(7), 0
    for _ in range(80):
        graph = random_graph(source, source.choice([1, 3, 9]), 25)
        bound = Stack((consistent_table(source, graph),)).prepare(graph.instance().problem())
        cover, search = vertex_cover(bound, Limiter(Limits())), search_algorithm(name).start(bound, None)
        assert (run(search, Limits()) == "solved") == (cover is not None)
        if cover is not None:
            before = not_none(search.expanded_before_last_layer)
            assert cover.size <= before
            assert most is None or before <= most * cover.size
            positive += cover.size > 1
    assert positive > 4


def test_dvcbs_expands_few_more_than_a_cover() -> None:
    """On pancakes with a weak heuristic at most 5 % more before the last layer, where NBS expands a third more."""
    stack = sections.stack_of_entries("pancake", [{"name": "gap", "k": 2}])
    found = {"cover": 0, "dvcbs": 0, "nbs": 0}
    for instance in runner.load("pancake/random", size=7, count=10):
        bound = stack.prepare(instance.problem())
        found["cover"] += not_none(vertex_cover(bound, Limiter(Limits()))).size
        for name in ("dvcbs", "nbs"):
            search = search_algorithm(name).start(bound, None)
            run(search, Limits())
            found[name] += not_none(search.expanded_before_last_layer)
    assert found["cover"] <= found["dvcbs"] <= 1.05 * found["cover"] < 1.3 * found["cover"] < found["nbs"]
