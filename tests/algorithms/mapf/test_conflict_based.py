"""Conflict-based search: published costs, a slow twin, and A* over joint states."""

from __future__ import annotations

import gc
import random
import weakref
from itertools import product
from typing import Any

import pytest

import runner
from algorithms.engine.search import StepStatus
from algorithms.interface.algorithm import ALGORITHMS
from algorithms.mapf.conflict_based import ConflictBasedSearch, NodeHeuristic
from algorithms.mapf.team_search import TeamAlgorithm, TeamSearch
from heuristics.interface.stack import Stack
from tests.naive.conflict_based import NaiveTree
from worlds.gridmap.rules import GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.instance import Instance
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld

OPTIONS = [
    {"prioritize": prioritize, "bypass": bypass, "disjoint": disjoint, "heuristic": node_heuristic}
    for prioritize, bypass, disjoint in product([False, True], repeat=3)
    for node_heuristic in ("none", "cg", "dg", "wdg")
]
PLAIN = OPTIONS[0]


def any_team(
    source: random.Random, largest: int, agents: int, objective: Objective = "sum_of_costs"
) -> Instance[MapfWorld]:
    """Return agents in random cells of a random map."""
    while True:
        width, height = source.randint(2, largest), source.randint(2, largest)
        rows = tuple("".join(source.choices("....@", k=width)) for _ in range(height))
        roadmap = Roadmap(SharedMap(GridMap("random", rows, None)))
        if len(roadmap.cells) > agents:
            starts, goals = (tuple(source.sample(roadmap.cells, agents)) for _ in range(2))
            return Instance(MapfWorld(roadmap, starts, goals, objective), "random")


def solved(instance: Instance[MapfWorld], **algorithm: Any) -> runner.Result | None:
    """Return the result of a search; None if it needs many nodes."""
    result = runner.solve(instance, algorithm, limits={"nodes": 5_000})
    assert result.status in ("solved", "node_limit"), result
    return result if result.status == "solved" else None


@pytest.mark.parametrize("objective", ["sum_of_costs", "makespan"])
def test_every_option_is_optimal(objective: Objective) -> None:
    source, compared = random.Random(61), 0
    while compared < 150:
        instance = any_team(source, 4, source.choice([2, 3, 4]), objective)
        optimum = runner.solve(instance, "astar", ["distances"], limits={"nodes": 100_000})
        if optimum.status != "solved":
            continue
        for options in OPTIONS:
            result = solved(instance, name="cbs", **options)
            if result is not None:
                assert (result.cost, result.valid, result.bound) == (optimum.cost, True, 1), (instance, options)
                compared += 1


@pytest.mark.parametrize("w", [1.0, 1.15, 1.3, 2.0])
def test_ecbs_keeps_its_bound(w: float) -> None:
    source, compared = random.Random(14), 0
    while compared < 30:
        instance = any_team(source, 4, source.choice([2, 3, 4]))
        optimum = runner.solve(instance, "astar", ["distances"], limits={"nodes": 100_000})
        result = solved(instance, name="ecbs", w=w) if optimum.status == "solved" else None
        if result is not None:
            assert result.valid
            assert result.cost is not None
            assert result.bound is not None
            assert optimum.cost is not None
            assert result.cost <= result.bound * optimum.cost <= w * result.cost
            assert result.bound <= w
            compared += 1


def test_a_path_of_ecbs_may_cost_the_whole_bound() -> None:
    """The second agent waits 15 steps for the first: 115 of at most 1.15 * 100, which is 114.999... in floats."""
    rows = ("." * 101, "@" * 6 + "." + "@" * 94)
    roadmap = Roadmap(SharedMap(GridMap("corridor", rows, None)))
    instance = Instance(MapfWorld(roadmap, ((26, 0), (0, 0)), ((6, 1), (100, 0))), "corridor")
    result = runner.solve(instance, {"name": "ecbs", "w": 1.15}, limits={"nodes": 10_000})
    assert (result.status, result.cost, result.expanded) == ("solved", 21 + 115, 0)


@pytest.mark.parametrize("algorithm", ["cbs", "ecbs"])
def test_an_exchange_in_a_corridor_is_unsolvable(algorithm: str) -> None:
    roadmap = Roadmap(SharedMap(GridMap("corridor", ("...",), None)))
    ends = ((0, 0), (2, 0))
    instance = Instance(MapfWorld(roadmap, ends, ends[::-1]), "corridor")
    assert runner.solve(instance, algorithm, limits={"nodes": 10_000}).status == "unsolvable"


@pytest.mark.parametrize("name", ["cbs", "ecbs", "lacam", "pibt", "prioritized"])
def test_a_search_frees_its_arrays_at_its_end(name: str) -> None:
    """It refers to nothing that refers to it: workers make thousands, and collect circles rarely."""
    problem = any_team(random.Random(1), 4, 2).problem()
    algorithm = ALGORITHMS.find(name)()
    assert isinstance(algorithm, TeamAlgorithm)
    search = algorithm.start(Stack().prepare(problem), None)
    assert isinstance(search, TeamSearch)
    search.step(5)
    there = weakref.ref(search)
    gc.disable()
    try:
        del search
        assert there() is None
    finally:
        gc.enable()


def test_it_makes_the_tree_of_the_slow_twin() -> None:
    source = random.Random(2015)
    compared = split = 0
    while compared < 30:
        instance = any_team(source, 7, source.choice([3, 5, 7]), source.choice(["sum_of_costs", "makespan"]))
        if instance.world.proof_of_unsolvability() is not None:
            continue
        result = runner.solve(instance, {"name": "cbs", **PLAIN}, limits={"nodes": 300})
        twin = NaiveTree(instance.world)
        is_endless = result.status == "unsolvable"  # what is explored beside the tree has proven it
        cost = twin.search(result.expanded if is_endless and result.expanded else 300)
        assert (result.expanded, result.generated) == (twin.expanded, twin.generated)
        assert cost is None or result.cost == cost
        compared += 1
        split += twin.expanded > 10
    assert split > 5


@pytest.mark.parametrize("node_heuristic", ["none", "wdg"])
def test_the_tree_is_the_same_in_small_steps_and_when_memory_grows(node_heuristic: NodeHeuristic) -> None:
    (instance,) = runner.load("mapf/static", suite="benchmark", agents=22)
    results = []
    for budget in (1, 7, 1_000):
        algorithm = ConflictBasedSearch(heuristic_=node_heuristic, prioritize=False)
        search = algorithm.start(Stack().prepare(instance.problem()), None)
        growths = 0
        while (
            search.expanded < 500 and (status := search.step(min(budget, 500 - search.expanded))) != StepStatus.SOLVED
        ):
            assert status in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY)
            if status == StepStatus.OUT_OF_MEMORY:
                assert search.grow(None)
                growths += 1
        assert growths > 0
        results.append((search.counts, search.measured, growths))
    assert results[0] == results[1] == results[2]
