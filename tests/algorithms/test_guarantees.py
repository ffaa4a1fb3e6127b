"""Guarantees of the algorithms, on random graphs and on pancakes."""

from __future__ import annotations

import random
from functools import partial

import pytest
from runner.examples.pancake import Pancake

import runner
from algorithms.anytime import AnytimeAStar
from algorithms.bounded_suboptimal.bounded_suboptimal import BoundedSuboptimal
from algorithms.engine.search import Limits, Search
from algorithms.interface.algorithm import ALGORITHMS as REGISTERED
from heuristics.interface.stack import Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from tests.algorithms.searching import run
from tests.algorithms.typed import effective, not_none, search_algorithm
from tests.graphs import Graph, consistent_table, exact, random_graph, random_table
from tests.registered import ONLY_IN, SEARCHES
from tests.sampling import drawn, drawn_or_each

ALGORITHMS = [name for name in SEARCHES if name not in ONLY_IN]
GENERAL = {
    "heuristic": ("needed", "used", "ignored"),
    "optimal": ("always", "admissible", "unit_costs", "bounded", "never"),
}


ACCEPTED = [(True, name) for name in ALGORITHMS]
ACCEPTED += [(False, name) for name in ALGORITHMS if not REGISTERED.find(name).needs_consistent]
"""Whether heuristics are admissible, and an algorithm that accepts them."""


@pytest.mark.parametrize(("admissible", "name"), ACCEPTED)
def test_plans_are_valid_and_complete_optimal_and_bounded_hold(admissible: bool, name: str) -> None:
    """The declarations `complete` and `optimal`, and the reported bound, hold on random graphs with costs 0 to 9.

    Plans are valid and have the reported cost under inadmissible heuristics, too.
    """
    source = random.Random(f"{name} {admissible}")
    solved = 0
    for _ in range(75):
        graph = random_graph(source, source.choice([1, 3, 9]))
        optimum = exact(graph).get(0)
        algorithm = search_algorithm(name)
        is_consistent = algorithm.needs_consistent or (admissible and algorithm.needs_inverse and source.random() < 0.5)
        table = consistent_table(source, graph) if is_consistent else random_table(source, graph, admissible)
        stack = Stack() if algorithm.heuristic == "ignored" else Stack((table,))
        bound = stack.prepare(graph.instance().problem())
        algorithm, weighting = effective(algorithm, None)
        search = algorithm.start(bound, weighting)
        status = run(search, Limits(nodes=5_000))
        if status == "node_limit":
            assert name in ("ids", "idastar", "bts", "dfbnb", "rbfs", "lss_lrta", "rtaa")  # exponential, or moves on
            continue
        if status != "solved":
            assert status in ("unsolvable", "cutoff")
            if stack.admissible:  # other heuristics may be infinite at states that have a solution
                assert optimum is None or (status == "cutoff" and not algorithm.complete)
            continue
        solved += 1
        plan = bound.problem.plan(search.path())
        replay = graph.instance().world.replay(plan)
        assert (replay.reaches_goal, replay.cost) == (True, search.cost)
        if search.bound is not None:
            assert search.cost <= search.bound * not_none(optimum)
        is_optimal = {"always": True, "admissible": stack.admissible, "unit_costs": graph.unit_costs}
        if is_optimal.get(algorithm.optimal):
            assert (search.cost, search.bound) == (optimum, 1)
        if algorithm.optimal == "bounded" and admissible:
            assert search.bound is not None
        if not admissible and algorithm.heuristic != "ignored":
            assert search.bound is None
    assert solved > 25


@pytest.mark.parametrize(
    "weighting",
    [
        Constant(1.2), Constant(3.5), Dynamic(20, 6), Dynamic(2, 4), Geometric(1, 2, 2, 50, True),
        Geometric(1.2, 1.4, 2, 4), Geometric(1, 1.5, 1, 9, True), Linear(4, 1, 9, 2, True),
    ],
)  # fmt: skip
def test_schedules_stay_within_the_largest_weight_used(weighting: Weighting) -> None:
    source = random.Random(str(weighting))
    for _ in range(75):
        graph = random_graph(source, 40, 40)
        stack = Stack((random_table(source, graph, True),))
        bound = stack.prepare(graph.instance().problem())
        search = search_algorithm("astar").start(bound, weighting)
        if run(search, Limits()) == "solved":
            assert search.cost <= not_none(search.bound) * exact(graph)[0]
            assert not_none(search.bound) <= 50
            replay = graph.instance().world.replay(bound.problem.plan(search.path()))
            assert (replay.reaches_goal, replay.cost) == (True, search.cost)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if issubclass(REGISTERED.find(name), BoundedSuboptimal)])
@pytest.mark.parametrize("given", drawn_or_each([1, 1.01, 1.2, 4, 100]))
def test_every_weight_bounds_the_cost(name: str, given: float | None) -> None:
    source, solved, costly = random.Random(f"{name} {given}"), 0, 0
    for _ in range(150):
        weight = drawn(source, given, [1, 1.01, 1.2, 4, 100])
        graph = random_graph(source, source.choice([1, 9, 40]), 40)
        bound = Stack((random_table(source, graph, True),)).prepare(graph.instance().problem())
        search = search_algorithm(name, weight=weight).start(bound, None)
        if run(search, Limits()) == "solved":
            optimum = exact(graph)[0]
            assert search.cost <= not_none(search.bound) * optimum <= weight * optimum
            solved += 1
            costly += search.cost > optimum
    assert solved > 50
    assert costly > 0 or (given or 4) < 4


def test_iterative_deepening_ends_on_cycles_of_cost_0_unless_it_checks_the_parent_only() -> None:
    graph = Graph(((0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0), (3, 1, 0)), (4,)).instance()
    for name in ("ids", "idastar"):
        assert runner.solve(graph, name).status == "unsolvable"
        endless = {"name": name, "cycle_check": "parent"}
        assert runner.solve(graph, endless, limits={"nodes": 5000}).status == "node_limit"
    deep = {"name": "idastar", "cycle_check": "parent"}
    assert runner.solve(graph, deep, limits={"memory": "1MB"}).status == "memory_limit"


def test_a_depth_limit_below_the_optimum_gives_cutoff() -> None:
    pancakes = next(iter(Pancake(size=6).instances()))
    optimum = not_none(runner.solve(pancakes, "astar", ["gap"]).cost)
    assert runner.solve(pancakes, {"name": "dfs", "depth_limit": optimum - 1}).status == "cutoff"
    limited = runner.solve(pancakes, {"name": "dfs", "depth_limit": optimum})
    assert (limited.status, limited.cost, limited.valid) == ("solved", optimum, True)


def test_anytime_search_keeps_its_best_plan_under_a_limit() -> None:
    pancakes = next(iter(Pancake(size=40, seed=3).instances()))
    algorithm = {"name": "anytime_astar", "weights": [10, 1]}
    whole = runner.solve(pancakes, algorithm, ["gap"], limits={"nodes": 60})
    assert (whole.status, whole.valid, whole.iterations) == ("solved", True, 2)
    assert whole.bound == 10
    assert whole.reason == "the search was ended by node_limit"
    assert runner.solve(pancakes, {"name": "anytime_astar", "weights": [10]}, ["gap"]).reason is None


def test_anytime_search_without_reopening_runs_to_its_last_weight() -> None:
    """A search with a larger weight that finds nothing cheaper proves no optimum: it may have missed a solution."""
    source, missed = random.Random(7), 0
    for _ in range(150):
        graph = random_graph(source, 40, 40)
        bound = Stack((consistent_table(source, graph),)).prepare(graph.instance().problem())
        search = AnytimeAStar(reopen=False).start(bound, None)
        seen: list[tuple[int, float | None]] = []
        if run(search, Limits(), improved=partial(note, search, seen)) == "solved":
            assert (search.cost, search.bound) == (exact(graph)[0], 1)
            missed += not_none(search.counts.iterations) > len(seen)
    assert missed > 10


def note(search: Search, seen: list[tuple[int, float | None]]) -> None:
    seen.append((search.cost, search.bound))


@pytest.mark.parametrize("name", ["anytime_astar", "ara", "ana", "bts", "dfbnb"])
def test_the_bound_of_each_better_solution_is_proven(name: str) -> None:
    source, improved, loose = random.Random(name), 0, 0
    for _ in range(400 if name == "bts" else 200):  # it finds few solutions that are not optimal
        graph = random_graph(source, 40, 20)
        stack = Stack((random_table(source, graph, True),))
        optimum = exact(graph).get(0)
        search = search_algorithm(name).start(stack.prepare(graph.instance().problem()), None)
        seen: list[tuple[int, float | None]] = []
        run(search, Limits(nodes=3_000), improved=partial(note, search, seen))
        for cost, bound in seen:
            assert bound is None or bound >= 1
            assert bound is None or cost <= bound * not_none(optimum)
            loose += bound is not None and bound > 1
        assert [bound for _, bound in seen if bound is not None] == sorted(
            (bound for _, bound in seen if bound is not None), reverse=True
        )
        improved += len(seen) > 1
    assert min(loose, improved) > (1 if name == "bts" else 5)


@pytest.mark.parametrize("name", ["ara", "ana", "bts", "dfbnb", "rbfs"])
def test_long_paths_enlarge_the_arrays(name: str) -> None:
    chain = Graph(tuple((node, node + 1, 3) for node in range(1_200)), (1_200,)).instance()
    solution = runner.solve(chain, name)
    assert (solution.status, solution.cost, solution.bound) == ("solved", 3_600, 1)
    assert runner.solve(chain, name, limits={"memory": not_none(solution.memory_bytes) // 2}).status == "memory_limit"
    assert runner.solve(chain, name, limits={"nodes": 1_199}).expanded == 1_199


def test_every_algorithm_declares_its_requirements_and_guarantees() -> None:
    for name in SEARCHES:
        algorithm = search_algorithm(name)
        for attribute, allowed in GENERAL.items():
            assert getattr(algorithm, attribute) in allowed, name
        assert isinstance(algorithm.complete, bool), name
        assert len(type(algorithm).__doc__ or "") > 60, name
        assert not algorithm.uses_weighting or algorithm.heuristic != "ignored", name
