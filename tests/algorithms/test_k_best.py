"""The k cheapest plans against enumerations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import runner.examples.pancake

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine.search import Counts, Limits
from algorithms.k_best import KBest, KBestSearch
from heuristics.interface.stack import Stack
from runner.config.cell.sections import stack_of_entries
from tests.algorithms.searching import run
from tests.graphs import Graph, Table, consistent_table, exact, plain, random_graph, random_table
from tests.naive.k_best import cheapest_costs, loopless_costs
from tests.sampling import covering
from worlds.interface.instance import Instance, Problem

assert runner.examples.pancake

ENOUGH = 40
"""Plans with loops of a graph are compared up to this number."""


def started(instance: Instance, k: int, simple: bool = True, stack: Stack | None = None) -> KBestSearch:
    bound = (Stack() if stack is None else stack).prepare(instance.problem())
    return KBest(k, simple).start(bound, None)


def found(search: KBestSearch, limits: Limits | None = None) -> tuple[str, list[int], list[list[int]]]:
    """Return the status, and the costs and codes of the plans."""
    status = run(search, Limits() if limits is None else limits)
    return status, [costs[0] for costs, _ in search.solutions()], [path for _, path in search.solutions()]


def check_plans(problem: Problem, costs: Sequence[int], paths: Sequence[Sequence[int]], simple: bool) -> None:
    """Check that plans have their costs, end at the first goal, differ and are sorted."""
    world = problem.world
    plans = [problem.plan(path) for path in paths]
    assert len({*plans}) == len(plans)
    assert [*costs] == sorted(costs)
    for cost, plan in zip(costs, plans, strict=True):
        replay = world.replay(plan)
        assert (replay.reaches_goal, replay.cost) == (True, cost)
    for path in paths:
        state, states = problem.initial, [problem.initial.tobytes()]
        for code in path:
            assert not problem.recognises(state)
            state = next(after for after, _, each in problem.successors(state) if each == code)
            states.append(state.tobytes())
        assert not simple or len({*states}) == len(states)


def check_graphs(source: random.Random, number: int) -> None:
    fewer = ties = empty = 0
    for _ in range(number):
        graph = random_graph(source, source.choice([1, 2, 9, 40]), source.choice([5, 9]))
        instance = graph.instance()
        kind = source.choice(["none", "consistent", "admissible", "inadmissible"])
        table = (
            consistent_table(source, graph)
            if kind == "consistent"
            else random_table(source, graph, kind != "inadmissible")
        )
        stack = Stack() if kind == "none" else Stack((table,))
        simple = source.random() < 0.5
        p = plain(Stack((Table(exact(graph), {}, True),)).prepare(instance.problem()))
        if simple:
            expected = loopless_costs(p.initial, p.successors, p.is_goal)
        else:
            expected = cheapest_costs(p.initial, p.successors, p.is_goal, p.h, ENOUGH)
        k = min(len(expected) + 1, source.choice([1, 2, 3, 10, ENOUGH]))
        status, costs, paths = found(search := started(instance, k, simple, stack))
        check_plans(instance.problem(), costs, paths, simple)
        if kind == "inadmissible":
            is_finite = max(table.values.values(), default=0) < 100
            assert not is_finite or len(costs) == min(k, len(expected))
            assert search.bound is None
            continue
        assert status == ("solved" if expected else "unsolvable")
        assert costs == expected[:k]
        assert (search.found, search.bound) == (len(costs), 1)
        if paths:
            assert (search.path(), search.cost) == (paths[0], costs[0])
            few = source.randint(1, k)
            assert found(started(instance, few, simple, stack))[2] == paths[:few]
        fewer += 0 < len(expected) < k
        ties += len({*costs}) < len(costs)
        empty += not expected
    assert min(fewer, ties, empty) > number // 50


def test_costs_equal_those_of_an_enumeration_for_every_k() -> None:
    check_graphs(random.Random(1), 200)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_costs_equal_those_of_an_enumeration_on_many_graphs(part: int) -> None:
    check_graphs(random.Random(100 + part), 2_000)


WORLDS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("pancake/random", {"size": 4, "seed": 1}, ["gap"]),
    ("npuzzle/random", {"size": [2, 2], "seed": 2}, ["manhattan"]),
    ("hanoi/random", {"disks": 2, "seed": 1}, []),
    ("pancake", {"size": 4, "seed": 2}, ["gap"]),
]
"""Small worlds with heuristics; the last one is in plain Python."""


@covering({"world": WORLDS, "simple": [False, True]})
def test_costs_equal_those_of_an_enumeration_in_small_worlds(
    world: tuple[str, dict[str, Any], list[str]], simple: bool
) -> None:
    source, parameters, entries = world
    (instance,) = runner.load(source, count=1, **parameters)
    problem = instance.problem()
    p = plain(Stack().prepare(problem))
    if simple:
        expected = loopless_costs(p.initial, p.successors, p.is_goal)
    else:
        expected = cheapest_costs(p.initial, p.successors, p.is_goal, p.h, 100)
    for k in (1, 7, 100, 300) if simple else (1, 7, 100):
        stack = stack_of_entries(instance.world.domain, entries, "sum")
        status, costs, paths = found(started(instance, k, simple, stack))
        assert (status, costs) == ("solved", expected[:k])
        check_plans(problem, costs, paths, simple)


def test_a_goal_at_the_start_is_the_only_plan() -> None:
    graph = Graph(((0, 1, 1), (1, 0, 0)), (0, 1)).instance()
    for simple in (True, False):
        assert found(started(graph, 5, simple)) == ("solved", [0], [[]])


def test_plans_with_the_same_names_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All actions have one name, so a plan for each length is left."""
    (instance,) = runner.load("pancake/random", count=1, size=4, seed=1)
    p = plain(Stack().prepare(instance.problem()))
    lengths = sorted({*loopless_costs(p.initial, p.successors, p.is_goal)})
    monkeypatch.setattr(Problem, "plan", lambda _, codes: ("flip",) * len(codes))
    assert found(started(instance, 4))[1] == lengths[:4]
    assert found(started(instance, 4, simple=False))[1] == [*range(lengths[0], lengths[0] + 4)]


@pytest.fixture(scope="module")
def board() -> tuple[Instance, Stack]:
    (instance,) = runner.load("npuzzle/random", count=1, size=3, seed=3)
    return instance, stack_of_entries("npuzzle", ["manhattan"], "sum")


def test_a_limit_leaves_the_first_plans(board: tuple[Instance, Stack]) -> None:
    instance, stack = board
    whole = started(instance, 12, stack=stack)
    _, costs, paths = found(whole)
    counts = whole.counts
    seen = set[int]()
    for nodes in range(1, counts.expanded, counts.expanded // 15):
        search = started(instance, 12, stack=stack)
        status, some, first = found(search, Limits(nodes=nodes))
        assert (status, search.counts.expanded, search.found) == ("node_limit", nodes, len(some))
        assert (some, first) == (costs[: len(some)], paths[: len(first)])
        seen.add(len(some))
    assert len(seen) > 3
    search = started(instance, 12, stack=stack)
    assert found(search, Limits(memory=counts.memory_bytes * 3 // 4))[0] == "memory_limit"
    assert 0 < search.found < 12
    assert search.counts.memory_bytes <= counts.memory_bytes * 3 // 4
    search = started(instance, 1_000_000, stack=stack)
    assert found(search, Limits(cpu=0.2))[0] == "cpu_limit"
    assert search.found > 12


def test_a_limit_of_solutions_is_a_smaller_k(board: tuple[Instance, Stack]) -> None:
    instance, stack = board
    fewer, whole = started(instance, 3, stack=stack), started(instance, 12, stack=stack)
    assert found(fewer)[0] == "solved"

    @dataclass(frozen=True)
    class Limited(Limits):
        solutions: int | None = 3

    def has_enough(counts: Counts) -> bool:
        return whole.found >= 3

    assert run(whole, Limited(), watch=has_enough) in ("solution_limit", "interrupted")
    assert whole.solutions() == fewer.solutions()
    assert whole.counts == fewer.counts


def test_the_user_stops_it_inside_a_search(board: tuple[Instance, Stack]) -> None:
    instance, stack = board
    search = started(instance, 1_000_000, stack=stack)
    assert run(search, Limits(), watch=lambda counts: counts.expanded > 2_000) == "interrupted"
    assert 2_000 < search.expanded < 200_000


def test_one_plan_takes_the_expansions_of_astar(board: tuple[Instance, Stack]) -> None:
    instance, stack = board
    search, astar = started(instance, 1, stack=stack), AStar().start(stack.prepare(instance.problem()), None)
    run(search, Limits())
    run(astar, Limits())
    assert (search.path(), search.cost) == (astar.path(), astar.cost)
    for name in ("expanded", "generated", "evaluated", "reopened", "simulated_actions", "peak_nodes"):
        assert getattr(search.counts, name) == getattr(astar.counts, name)
