"""Networks: shortest distances compared with plain Python, and the largest costs."""

from __future__ import annotations

import random

import numpy as np

from tests.roads import any_arcs, distances, network_of
from worlds.road.network import MAX_ARC_COST, UNREACHED


def test_distances_are_those_of_plain_python() -> None:
    source = random.Random(0)
    for _ in range(300):
        nodes, objectives = source.randint(1, 12), source.randint(1, 4)
        arcs = any_arcs(source, nodes, objectives)
        network = network_of(arcs, nodes, objectives)
        order = tuple(source.sample(range(objectives), source.randint(1, objectives)))
        turned = [(head, tail, costs) for tail, head, costs in arcs]
        start = source.randrange(nodes)
        for each, those in ((network, arcs), (network.backward, turned)):
            found = [None if row[0] == UNREACHED else tuple(row) for row in each.distances(start, order).tolist()]
            assert found == distances(those, nodes, start, order)


def test_a_network_whose_first_costs_are_0_is_searched_once() -> None:
    """In a chain of triangles the second cost has 2^n paths, which a search by the first cost alone would follow."""
    n = 60
    arcs = []
    for k in range(n):
        tail, side, head = 2 * k, 2 * k + 1, 2 * k + 2
        arcs += [(tail, head, (0, 2 ** min(n - k, 24))), (tail, side, (0, 0)), (side, head, (0, 0))]
    last = 2 * n
    shuffled = [(last - tail, last - head, costs) for tail, head, costs in arcs]  # far nodes have small numbers
    assert network_of(shuffled, last + 1).distances(last, (0, 1))[0].tolist() == [0, 0]


def test_costs_of_paths_stop_below_unreached() -> None:
    arcs = [(node, node + 1, (MAX_ARC_COST, 1)) for node in range(4)]
    found = network_of(arcs, 6).distances(0, (0, 1))
    assert found[:, 0].tolist() == [0, MAX_ARC_COST, 2 * MAX_ARC_COST, UNREACHED - 1, UNREACHED - 1, UNREACHED]


def test_arcs_keep_their_order() -> None:
    network = network_of([(1, 0, (1, 2)), (0, 1, (3, 4)), (1, 1, (5, 6)), (1, 0, (7, 8))], 3)
    assert (network.first.tolist(), network.heads.tolist()) == ([0, 1, 4, 4], [1, 0, 1, 0])
    assert network.costs[:, 0].tolist() == [3, 1, 5, 7]
    assert network.tails.tolist() == [0, 1, 1, 1]
    assert network.backward.costs[:, 1].tolist() == [2, 8, 4, 6]
    assert network.backward.heads.dtype == np.int32
