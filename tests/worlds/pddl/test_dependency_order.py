"""Components of what depends on each other, compared with reachability by enumeration."""

from __future__ import annotations

import random

from worlds.pddl.dependency_order import components, is_recursive


def test_components_are_sets_of_nodes_that_need_each_other_in_order() -> None:
    source, recursive = random.Random("strata"), 0
    for _ in range(300):
        nodes = range(source.randint(1, 8))
        needs = {node: [other for other in nodes if source.random() < 0.25] for node in nodes}
        reached = {node: _reached(needs, node) for node in nodes}
        found = components(needs)
        place = {node: number for number, group in enumerate(found) for node in group}
        assert sorted(node for group in found for node in group) == [*nodes]
        for node in nodes:
            for other in needs[node]:
                assert place[other] <= place[node]
            for other in nodes:
                is_mutual = node == other or (other in reached[node] and node in reached[other])
                assert (place[node] == place[other]) == is_mutual
            assert is_recursive(found[place[node]], needs) == (node in reached[node])
            recursive += node in reached[node]
    assert recursive > 100


def test_chains_of_thousands_of_nodes_need_no_recursion() -> None:
    assert components({node: [node + 1] for node in range(20_000)})[0] == [19_999]


def _reached(needs: dict[int, list[int]], node: int) -> set[int]:
    """Return the nodes that a node needs, directly or not."""
    found, waiting = set[int](), [node]
    while waiting:
        new = {*needs[waiting.pop()]} - found
        found |= new
        waiting += new
    return found
