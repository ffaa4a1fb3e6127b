"""great_circle and differential compared with the true distances of all pairs, and the choice of landmarks."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runner
from heuristics import tables
from heuristics.interface.heuristic import HEURISTICS, UNREACHABLE
from heuristics.road import MARGIN, GreatCircle, landmark_table
from heuristics.tables import verified
from tests.roads import any_road, network_of
from worlds.interface.instance import Instance, Problem
from worlds.road.formats import Points
from worlds.road.network import UNREACHED
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

STACKS: list[dict[str, Any]] = [
    {"name": "great_circle"},
    {"name": "differential", "landmarks": 1},
    {"name": "differential", "landmarks": 3},
    {"name": "differential", "landmarks": 3, "choose": "farthest"},
]


def values(heuristic: dict[str, Any], problem: Problem, *, backward: bool) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the estimates at all nodes: to the goal, or from the start."""
    parameters = {key: value for key, value in heuristic.items() if key != "name"}
    entry = HEURISTICS.find(heuristic["name"], domain="road")(**parameters)
    term = entry.backward_term(problem) if backward else entry.term(problem)
    assert term is not None
    assert isinstance(problem.world, Road)
    nodes = problem.world.network.nodes
    states = np.concatenate([problem.world.pack(node) for node in range(nodes)])
    h = np.zeros(nodes, np.int64)
    term.kernel.compiled(term.params, states, 0, -1, states, 0, np.zeros(nodes, np.int16), h, 0, nodes)
    return h


@pytest.mark.parametrize("heuristic", STACKS)
def test_bounds_are_admissible_and_consistent_for_all_pairs(heuristic: dict[str, Any]) -> None:
    source = random.Random(4)
    count = 0
    for _ in range(60):
        road = any_road(source, 4)
        network = road.network
        for end in range(network.nodes):
            problem = Instance(replace(road, start=end, goal=end), "any").problem()
            for each, backward in ((network.backward, False), (network, True)):
                h = values(heuristic, problem, backward=backward)
                true = each.distances(end)[:, 0].astype(np.int64)
                true[true == UNREACHED] = UNREACHABLE
                assert h[end] == 0
                assert (h <= true).all()
                assert (h[each.heads] <= h[each.tails] + each.costs[:, 0]).all()  # one arc farther from the end
                count += int((h > 0).sum())
    assert count > 500


def test_small_costs_beside_long_ways_are_consistent() -> None:
    """Values at the ends of arcs that cost 1 differ by 1 at most: the margin is larger than the error of floats."""
    source = random.Random(5)
    for _ in range(50):
        nodes = 40
        xy = np.array([(source.randint(-9, 9), source.randint(-9, 9)) for _ in range(nodes)], np.int32)
        xy[-1] = 170_000_000, 10
        arcs = [(one, other, (1,)) for one in range(nodes - 1) for other in range(nodes - 1) if one != other]
        shared = SharedNetwork("far", network_of(arcs, nodes, 1), Points(xy, is_sphere=True))
        problem = Instance(Road(shared, 0, nodes - 1), "far").problem()
        h = values({"name": "great_circle"}, problem, backward=False)
        assert h[:-1].min() > 2**22
        assert np.ptp(h[:-1]) <= 1


def test_great_circle_is_the_distance_on_the_sphere() -> None:
    xy = np.array([(0, 0), (90_000_000, 0), (0, 90_000_000), (180_000_000, 0)], np.int32)
    shared = SharedNetwork("octant", network_of([(0, 1, (1000,)), (0, 3, (3000,))], 4, 1), Points(xy, is_sphere=True))
    table = GreatCircle().computed(shared, lambda *_: None)
    assert table[0].tolist() == pytest.approx([(1 - MARGIN) * 1000 / (np.pi / 2), 1, 0], rel=1e-12)
    problem = Instance(Road(shared, 0, 3), "octant").problem()
    assert values({"name": "great_circle"}, problem, backward=False).tolist() == [1999, 999, 999, 0]


def test_networks_without_coordinates_are_refused() -> None:
    road = any_road(random.Random(0), 3, has_points=False)
    with pytest.raises(runner.UserError, match=r"great_circle needs coordinates; give them as world\.coordinates"):
        runner.solve(Instance(road, "any"), "astar", ["great_circle"])


def test_avoid_takes_a_leaf_where_bounds_are_worst() -> None:
    """A star of three rays: each landmark covers its ray, and the next one is at the end of another ray."""
    arms = [(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)]
    arcs = [arc for one, other in arms for arc in ((one, other, (1,)), (other, one, (1,)))]
    network = network_of(arcs, 7, 1)
    for choose in ("avoid", "farthest"):
        table = landmark_table(network, 3, choose, lambda *_: None)
        assert {int(column.argmin()) for column in table.T[::2]} == {2, 4, 6}
        assert (table[:, ::2] == table[:, 1::2]).all()


def test_there_may_be_more_landmarks_than_nodes_that_a_root_reaches() -> None:
    ring = [(k, (k + 1) % 6, (1,)) for k in range(6)]
    network = network_of([*ring, (6, 0, (1,)), (1, 7, (1,))], 9, 1)
    for choose in ("avoid", "farthest"):
        table = landmark_table(network, 12, choose, lambda *_: None)
        assert 8 not in {int(column.argmin()) for column in table.T[::2]}  # it reaches nothing


def test_tables_are_stored_by_network_and_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(tables, "MIN_STORED", 1)
    verified().clear()
    found = []
    for heuristic in (*STACKS[1:], *STACKS[1:]):
        (instance,) = runner.load("road/random", nodes=30, count=1)
        found.append(values(heuristic, instance.problem(), backward=False).tolist())
        assert len([*(tmp_path / "pivots").iterdir()]) == min(len(found), 3)
    assert found[:3] == found[3:]
    verified().clear()
