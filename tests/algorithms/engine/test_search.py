"""Limits of a search, growth of its arrays, reported counts, and errors in kernels."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

import runner
from algorithms.best_first.best_first import BestFirstSearch, Priority
from algorithms.engine import search as search_module
from algorithms.engine.nodes import Nodes, capacity_within
from algorithms.engine.search import Counts, Limiter, Limits
from heuristics.interface.heuristic import Heuristic
from heuristics.interface.stack import Stack
from heuristics.interface.weighting import Constant
from runner.base.status import CPU_LIMIT, TIME_LIMIT
from tests.algorithms.engine.faulty_kernels import AlwaysFailing, Failing, Negative, negative_cost_expand
from tests.algorithms.searching import run
from tests.caves import instance, published_kind
from tests.graphs import Graph, Table
from worlds.compile.errors import KernelError
from worlds.interface.instance import Problem


def large_problem() -> Problem:
    return instance(published_kind(random.Random(2), 60, pits=0.05)).problem()


def start(problem: Problem | None = None) -> BestFirstSearch:
    """Start uniform-cost search."""
    return BestFirstSearch(Stack().prepare(problem or large_problem()), Priority(1, Constant(0)))


@pytest.mark.parametrize("limit", [1, 2, 999, 5000])
def test_node_limit_is_exact(limit: int) -> None:
    search = start()
    assert run(search, Limits(nodes=limit)) == "node_limit"
    assert search.counts.expanded == limit


@pytest.mark.parametrize(("limits", "status"), [(Limits(time=0), TIME_LIMIT.name), (Limits(cpu=0), CPU_LIMIT.name)])
def test_compiling_during_a_search_does_not_count(limits: Limits, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search whose memory grows may need another kernel."""
    search, limiter = start(), Limiter(limits)
    assert limiter.reached(search) == status
    monkeypatch.setattr(search_module, "compile_seconds", lambda: (1e6, 1e6))
    assert limiter.reached(search) is None


def test_time_limit_ends_a_search() -> None:
    search = start(instance(published_kind(random.Random(2), 400, pits=0.05)).problem())
    begin = time.perf_counter()
    assert run(search, Limits(time=0.2)) == "time_limit"
    assert time.perf_counter() - begin > 0.2
    assert search.counts.expanded > 0


@pytest.mark.parametrize("limit", [100_000, 250_000, 400_000])
@pytest.mark.parametrize("weights", [(1, 0), (1, 0.5)])
def test_a_search_uses_half_of_its_memory_limit_and_never_more(limit: int, weights: tuple[float, float]) -> None:
    search = BestFirstSearch(Stack().prepare(large_problem()), Priority(weights[0], Constant(weights[1])))
    assert run(search, Limits(memory=limit)) == "memory_limit"
    assert 0.5 * limit < search.counts.memory_bytes <= limit


def test_a_memory_limit_below_the_first_allocation_ends_a_search_at_once() -> None:
    where = instance(published_kind(random.Random(2), 60, pits=0.05))
    result = runner.solve(where, "astar", ["manhattan"], limits={"memory": 1000})
    assert (result.status, result.expanded) == ("memory_limit", 0)
    assert runner.solve(where, "unibz_astar", limits={"memory": 10_000}).status == "memory_limit"


def test_capacity_grows_by_half_or_by_what_fits() -> None:
    nodes = Nodes(1, 1024)
    assert capacity_within(nodes, 0, None) == 1536
    assert capacity_within(nodes, 0, nodes.size_at(1536)) == 1536
    tight = capacity_within(nodes, 0, nodes.size_at(1300))
    assert 1290 <= tight <= 1300
    assert capacity_within(nodes, 0, nodes.size_at(1024)) == 0
    assert capacity_within(nodes, 0, nodes.size_at(1030), largest=1030) == 1030  # all that the search needs


def test_watch_gets_counts_that_never_fall() -> None:
    seen: list[Counts] = []
    search = start()
    assert run(search, Limits(), seen.append) == "solved"
    expanded = [counts.expanded for counts in seen]
    assert expanded == sorted(expanded)
    assert len(expanded) >= 2


def test_a_limit_is_the_status_of_the_result() -> None:
    where = instance(published_kind(random.Random(2), 60, pits=0.05))
    assert runner.solve(where, "ucs", limits={"nodes": 10}).status == "node_limit"
    assert runner.solve(where, "ucs", limits={"memory": "60kB"}).status == "memory_limit"
    result = runner.solve(where, "ucs", limits={"time": 1e-9})
    assert result.status == "time_limit"
    assert (result.plan, result.cost, result.reward, result.valid, result.bound) == (None,) * 5


@pytest.mark.parametrize(("heuristic", "message"), [(Failing(), "-7"), (Negative(), "negative")])
@pytest.mark.parametrize("ties", ["low_h", "fifo"])
def test_an_error_in_a_term_raises_kernel_error(heuristic: Heuristic, message: str, ties: str) -> None:
    search = BestFirstSearch(Stack((heuristic,)).prepare(large_problem()), Priority(ties=ties))
    with pytest.raises(KernelError, match=message):
        run(search, Limits())


def test_an_error_at_the_start_raises_kernel_error() -> None:
    with pytest.raises(KernelError, match="-5"):
        BestFirstSearch(Stack((AlwaysFailing(),)).prepare(large_problem()), Priority())


@dataclass(frozen=True)
class Forgetful(Graph):
    """Graph that has lost its edges once a goal is found."""

    found: list[Any] = field(default_factory=list)

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [] if self.found else super().successors(state)

    def is_goal(self, state: Any) -> bool:
        self.found.extend([state] * super().is_goal(state))
        return bool(self.found)


def test_other_successors_than_before_raise_kernel_error() -> None:
    """A path through a node that was reopened is summed again, step by step."""
    graph = Forgetful(((0, 1, 1), (0, 2, 3), (1, 2, 1), (2, 3, 10)), (3,))
    bound = Stack((Table({0: 0, 1: 5, 2: 0, 3: 0}, {}, False),)).prepare(graph.instance().problem())
    search = BestFirstSearch(bound, Priority())
    assert (run(search, Limits()), search.counts.reopened) == ("solved", 1)
    with pytest.raises(KernelError, match="other successors than before"):
        _ = search.cost


def test_a_negative_cost_raises_kernel_error() -> None:
    problem = replace(large_problem(), expand=negative_cost_expand)
    with pytest.raises(KernelError, match="negative cost"):
        run(start(problem), Limits())
