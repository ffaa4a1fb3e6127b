"""The k cheapest plans against enumerations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from runner.examples.pancake import Pancake

import runner
from algorithms.engine.search import Limits
from algorithms.k_best import KBest, KBestSearch
from heuristics.interface.stack import Stack
from runner.config.cell.sections import stack_of_entries
from tests.algorithms.searching import run
from tests.algorithms.typed import not_none
from tests.graphs import Graph, consistent_table, exact, random_graph, random_table
from tests.naive.k_best import cheapest_costs, loopless_costs
from worlds.interface.instance import Instance, Problem

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
        if simple:
            expected = loopless_costs(0, graph.successors, graph.is_goal)
        else:
            expected = cheapest_costs(0, graph.successors, graph.is_goal, exact(graph), ENOUGH)
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
    check_graphs(random.Random(1), 400)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_costs_equal_those_of_an_enumeration_on_many_graphs(part: int) -> None:
    check_graphs(random.Random(100 + part), 2_000)
