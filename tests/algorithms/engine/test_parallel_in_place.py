"""IDA* with several threads has the counts, cost and plan of IDA* without."""

from __future__ import annotations

import random

import pytest

import runner
from algorithms.engine import parallel_in_place_search, split_iteration
from algorithms.engine.in_place_search import InPlaceSearch
from algorithms.engine.parallel_in_place_search import ParallelInPlaceSearch
from algorithms.engine.search import Counts, Limits, Search, Status, run
from heuristics.stack import BoundStack
from runner.config import sections
from tests.algorithms.engine.test_in_place import prepared, shuffled

SEVERAL = ("manhattan", "maximum with a term that does not separate goals", "database")


def compared(counts: Counts) -> tuple[int | None, ...]:
    return counts.expanded, counts.generated, counts.evaluated, counts.iterations, counts.peak_nodes


def outcome(search: Search) -> tuple[object, ...]:
    return compared(search.counts), search.cost, search.path(), search.expanded_before_last_layer


def korf(number: int) -> BoundStack:
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    return stack.prepare(runner.load("npuzzle/korf100", instances=[number])[0].problem())


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", SEVERAL)
def test_every_number_of_threads_gives_the_same(name: str, threads: int) -> None:
    source = random.Random(f"{name} {threads}")
    for size in ((2, 2), (3, 3), (4, 3), (4, 4)):
        for _ in range(6):
            stack = prepared(name, shuffled(source, *size, moves=60))
            one = InPlaceSearch(stack)
            assert run(one, Limits()) == "solved"
            several = ParallelInPlaceSearch(stack, threads, min_expansions=1)
            assert run(several, Limits()) == "solved"
            assert outcome(several) == outcome(one)


@pytest.mark.parametrize("max_roots", [1 << 14, 40])
def test_deep_splits_give_the_same(monkeypatch: pytest.MonkeyPatch, max_roots: int) -> None:
    """Goals may be above the roots of the subtrees, and there may be more roots than are stored."""
    monkeypatch.setattr(parallel_in_place_search, "_EXPANSIONS_PER_SUBTREE", 1)
    monkeypatch.setattr(split_iteration, "_MAX_ROOTS", max_roots)
    source = random.Random(max_roots)
    for moves in (4, 8, 12, 20, 40, 60):
        for _ in range(8):
            stack = prepared("manhattan", shuffled(source, 3, 3, moves=moves))
            one, several = InPlaceSearch(stack), ParallelInPlaceSearch(stack, 2, min_expansions=1)
            assert run(one, Limits()) == "solved"
            while several.step(source.randint(1, 60)) == Status.RUNNING:
                pass
            assert outcome(several) == outcome(one)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_sequence_of_budgets_gives_the_same(threads: int) -> None:
    """Compare with a search without threads after each step. Steps never exceed their budgets."""
    source = random.Random(threads)
    for largest in (3, 40, 700, 20_000):
        stack = prepared("manhattan", shuffled(source, 4, 4, moves=70))
        one, several = InPlaceSearch(stack), ParallelInPlaceSearch(stack, threads, min_expansions=1)
        status = Status.RUNNING
        while status == Status.RUNNING:
            before, budget = several.counts.expanded, source.randint(1, largest)
            status = several.step(budget)
            done = several.counts.expanded - before
            assert done <= budget
            if status == Status.RUNNING and several.counts.expanded > one.counts.expanded:
                assert run(one, Limits(nodes=several.counts.expanded)) == "node_limit"
            if status == Status.RUNNING and done == budget:
                assert compared(several.counts) == compared(one.counts)
        assert run(one, Limits()) == "solved"
        assert outcome(several) == outcome(one)


def test_the_goal_is_not_tested_after_the_last_expansion() -> None:
    stack = prepared("manhattan", shuffled(random.Random(7), 4, 4, moves=70))
    one = InPlaceSearch(stack)
    run(one, Limits())
    for extra, status in ((0, "node_limit"), (1, "solved")):
        several = ParallelInPlaceSearch(stack, 2, min_expansions=1)
        assert run(several, Limits(nodes=one.counts.expanded + extra)) == status
        assert several.counts.expanded == one.counts.expanded


@pytest.mark.parametrize("limit", [1_000, 123_457, 2_345_678])
def test_node_limits_are_exact(limit: int) -> None:
    counts = []
    for search in (InPlaceSearch(korf(13)), ParallelInPlaceSearch(korf(13), 2, min_expansions=1_000)):
        assert run(search, Limits(nodes=limit)) == "node_limit"
        assert search.counts.expanded == limit
        counts.append(compared(search.counts))
    assert counts[0] == counts[1]


def test_other_limits_end_the_threads() -> None:
    search = ParallelInPlaceSearch(korf(88), 2)
    assert run(search, Limits(time=0.5)) == "time_limit"
    assert search.counts.expanded > 1_000_000
    assert run(ParallelInPlaceSearch(korf(88), 2), Limits(memory=100)) == "memory_limit"


def test_an_exception_in_a_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    search = ParallelInPlaceSearch(korf(13), 2, min_expansions=1_000)
    monkeypatch.setattr("algorithms.engine.in_place_walk.Walk.enter", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(search, Limits())
