"""Vertex covers of must-expand graphs: equal to the largest matchings of explicit graphs."""

from __future__ import annotations

import random

from algorithms.engine.search import Limiter, Limits
from algorithms.must_expand import vertex_cover
from heuristics.stack import Stack
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
    for _ in range(400):
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
    assert positive > 30
