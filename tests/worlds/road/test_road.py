"""Queries: kernels and searches compared with the rules, plans, vectors, reference points, files and pictures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import runner
from tests.roads import any_arcs, any_road, distances, network_of, roads
from worlds.interface.instance import Instance
from worlds.road.formats import Points
from worlds.road.network import UNREACHED
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

PARALLEL = [(0, 1, (5, 1)), (0, 1, (2, 9)), (1, 2, (1, 1)), (0, 1, (2, 2)), (0, 2, (9, 0))]


def parallel(start: int = 0) -> Road:
    return Road(SharedNetwork("parallel", network_of(PARALLEL, 4)), start, 2)


def test_kernels_are_the_rules() -> None:
    source = random.Random(1)
    for _ in range(60):
        road = any_road(source, 4)
        problem = Instance(road, "any").problem()
        for node in range(road.network.nodes):
            packed = problem.pack(node)
            assert problem.unpack(packed) == node
            assert problem.recognises(packed) == road.is_goal(node)
            steps = [(problem.name_of(node, code), problem.unpack(s), c) for s, c, code in problem.successors(packed)]
            assert steps == list(road.successors(node))
            assert len({name for name, _, _ in steps}) == len(steps)
            back = [(problem.unpack(s), c, code) for s, c, code in problem.successors(packed, backward=True)]
            steps = [(problem.name_of(tail, code), tail, cost) for tail, cost, code in back]
            assert steps == list(road.predecessors(node))
            assert sorted(back) == sorted(
                (tail, cost, code)
                for tail in range(road.network.nodes)
                for code, (_, head, cost) in enumerate(road.successors(tail))
                if head == node
            )


@pytest.mark.parametrize("algorithm", ["ucs", "bidirectional", "bae", "nbs"])
def test_searches_find_the_least_first_cost(algorithm: str) -> None:
    source = random.Random(2)
    for _ in range(40):
        road = any_road(source, 4)
        result = runner.solve(Instance(road, "any"), algorithm)
        least = int(road.network.distances(road.start)[road.goal, 0])
        assert result.cost == (None if least == UNREACHED else least)
        if result.plan is not None:
            assert result.valid
            assert road.cost_vector(result.plan)[0] == least


def test_parallel_arcs_have_names_of_their_own() -> None:
    road = parallel()
    assert [name for name, _, _ in road.successors(0)] == ["2", "2/2", "2/3", "3"]
    assert road.names_of([2, 0]) == ("2/3", "3")
    assert road.cost_vector(("2/3", "3")) == (3, 3)
    assert road.cost_vector(("2/2", "3")) == (3, 10)
    assert road.cost_vector(("3",)) == (9, 0)
    assert road.replay(("2/4",)).failure == "action 1, 2/4: in the state node 1 the rules allow only 2, 2/2, 2/3, 3"


def test_the_reference_is_the_corner_of_the_single_optima() -> None:
    assert parallel().reference() == (9, 3)
    assert parallel(start=3).reference() is None
    assert parallel(start=2).reference() == (0, 0)
    assert replace(parallel(), reference_point=(7, 7)).reference() == (7, 7)
    source = random.Random(3)
    for _ in range(40):
        nodes = source.randint(1, 8)
        arcs = any_arcs(source, nodes, 3)
        road = Road(SharedNetwork("any", network_of(arcs, nodes, 3)), 0, nodes - 1)
        optima = [distances(arcs, nodes, 0, order)[-1] for order in ((0, 1, 2), (1, 0, 2), (2, 0, 1))]
        if optima[0] is None:
            assert road.reference() is None
        else:
            (a, b, c) = ([*map(int, optimum or ())] for optimum in optima)
            rows = [a, [b[1], b[0], b[2]], [c[1], c[2], c[0]]]
            assert road.reference() == tuple(max(column) for column in zip(*rows, strict=True))


def test_plans_are_read_in_every_format() -> None:
    road = parallel()
    assert road.read_plan("2/3 3") == ("2/3", "3")
    assert road.read_plan('["2/3", "3"]', "json") == ("2/3", "3")
    assert road.read_plan("1 -> 2 -> 3", "nodes") == ("2/2", "3")
    assert road.read_plan("1 -> 4", "nodes") == ("4",)  # `replay` tells that there is no such arc
    for text, message in (
        ("2 3", "line 1: '2' is not the start 1, which must be the first node"),
        ("1\n5", "line 2: '5' is no node from 1 to 4"),
        ("1\nx", "line 2: 'x' is no whole number"),
        ("", "line 1: expected the nodes of a path from the start 1 on, got none"),
    ):
        with pytest.raises(ValueError, match=message):
            road.read_plan(text, "nodes")


def test_states_are_described_by_the_names_of_the_file() -> None:
    (road,) = roads("road/random", nodes=9, count=1)
    assert road.unpack(road.state(9).tolist()) == 8
    assert road.show(8) == "9"
    for wrong in (0, 10, "01", "x", -1):
        with pytest.raises(runner.UserError, match="has no node"):
            road.state(wrong)


def test_queries_share_all_arrays() -> None:
    road = parallel()
    other = road.starting_at(1)
    assert other.constants() is road.constants()
    assert other.numbering is road.numbering
    assert other.identity() == {**road.identity(), "start": 1}


@pytest.mark.parametrize("is_sphere", [False, True])
def test_documents_and_files_of_programs_are_read_again(tmp_path: Path, is_sphere: bool) -> None:
    xy = np.array([[0, 1], [2, 3], [-4, 5], [6, 7]], np.int32)
    shared = replace(parallel().shared, points=Points(xy, is_sphere))
    road = replace(parallel(), shared=shared, reference_point=(8, 9))
    document = road.document("name")
    file = tmp_path / f"name{document.suffix}"
    file.write_text(document.text, encoding="utf-8")
    (again,) = roads(document.source, path=str(file), **document.parameters)
    assert again.identity() == road.identity()
    inputs = road.inputs()
    paths = {}
    for key in ("arcs_1", "arcs_2", "network", "coordinates"):
        text = inputs[key]
        assert not isinstance(text, str)
        paths[key] = str(tmp_path / f"{key}{text.suffix}")
        Path(paths[key]).write_text(text.text(), encoding="utf-8")
    for path in ([paths["arcs_1"], paths["arcs_2"]], paths["network"]):
        (again,) = roads("road/file", path=path, start=1, goal=3, coordinates=paths["coordinates"])
        assert again.shared.digest == shared.digest


def test_unit_costs() -> None:
    road = parallel().with_unit_costs()
    assert (road.unit_costs, parallel().unit_costs) == (True, False)
    assert runner.solve(Instance(road, "unit"), "ucs").cost == 1


@pytest.mark.parametrize("correlation", [-1, -0.5, 0, 0.5, 1])
def test_random_networks_are_connected_planar_and_correlated(correlation: float) -> None:
    (road,) = roads("road/random", nodes=300, correlation=correlation, seed=5, count=1)
    network, points = road.network, road.shared.points
    assert points is not None
    for each in (network, network.backward):
        assert (each.distances(road.start) != UNREACHED).all()
    length = np.hypot(*(points.xy[network.tails] - points.xy[network.heads]).T)
    assert (network.costs >= length[:, None]).all()
    factors = network.costs / length[:, None]
    found = np.corrcoef(factors.T)[0, 1]
    assert abs(found - {0.5: 0.7, -0.5: -0.7}.get(correlation, correlation)) < 0.12
    streets = np.unique(np.sort(np.stack([network.tails, network.heads], axis=1), axis=1), axis=0).tolist()
    assert 2 * len(streets) > network.heads.size > len(streets)  # some are one-way
    places = points.xy.tolist()
    assert not any(
        _cross(*(places[node] for node in (*one, *other)))
        for number, one in enumerate(streets)
        for other in streets[:number]
        if not {*one} & {*other}
    )


def _cross(a: Sequence[int], b: Sequence[int], c: Sequence[int], d: Sequence[int]) -> bool:
    def side(p: Sequence[int], q: Sequence[int], r: Sequence[int]) -> bool:
        return (q[0] - p[0]) * (r[1] - p[1]) > (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def test_random_networks_stay_the_same() -> None:
    """Instances of a seed are those of published figures."""
    (instance,) = runner.load("road/random", nodes=50, objectives=3, correlation=-0.3, seed=7, count=1)
    assert instance.world.identity() == {"network": "cd04064de241b90280982b85fabaad16", "start": 2, "goal": 42}


def test_pictures_show_the_network_and_the_path() -> None:
    (road,) = roads("road/random", nodes=100, count=1)
    plan = runner.solve(Instance(road, "picture"), "ucs").plan
    assert plan is not None
    draw = road.picture(plan)
    assert draw is not None
    figure, axes = plt.subplots()
    draw(axes)
    arcs, shown = (np.stack(line.get_data(), axis=1) for line in axes.lines[:2])
    assert len(arcs) > 3 * 100
    assert np.isnan(arcs[2::3]).all()  # a line for each arc
    places = np.array([road.locate(node) for node in road.played(plan)[0]])
    assert len(places) == len(plan) + 1
    assert (shown == places).all()
    plt.close(figure)
    assert parallel().picture(()) is None
    assert parallel().locate(0) is None
    assert parallel().render(("2", "3")) == "1\n2: 2\n3: 3"
