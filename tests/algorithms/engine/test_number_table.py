"""Searches with numbers of states and kernels of their own, against the kernel of all worlds."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from typing import Any, get_args

import pytest

import runner
from algorithms.best_first.best_first import BestFirstSearch, Priority, Ties
from algorithms.bidirectional import search as bidirectional_search
from algorithms.bounded_suboptimal import bounded_suboptimal, focal_list
from algorithms.engine import number_table as numbered
from algorithms.engine import open_list
from algorithms.engine.search import Limits, ResumableSearch, StepStatus
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.algorithms.typed import search_algorithm
from tests.gridmaps import any_instance
from worlds.interface.instance import Problem

OCTILE = sections.stack_of("gridmap", {"stack": ["octile"]})
ALGORITHMS: list[dict[str, Any]] = [
    *[{"name": "astar", "ties": ties, "reopen": reopen} for ties in get_args(Ties) for reopen in (True, False)],
    {"name": "ucs"},
    {"name": "greedy"},
    {"name": "greedy", "reopen": True, "ties": "fifo"},
    {"name": "anytime_astar", "weights": [3, 1.5, 1]},
    {"name": "ara", "weights": [3, 1.5, 1]},
    {"name": "ana"},
    *[{"name": name, "weight": weight} for name in ("dps", "ees", "focal", "optimistic") for weight in (1.02, 1.5)],
]
WEIGHTINGS: list[Weighting | None] = [
    None,
    Constant(2.0),
    Constant(1.3),
    Geometric(1.2, 1.1, 3, 4.0),
    Linear(3, 1, 40, 5),
    Geometric(1.2, 1.1, 3, 4.0, reorder_open=True),
    Dynamic(),
]


def problems(seed: object, count: int, largest: int = 12) -> list[Problem]:
    """Return problems on random maps with eight or four directions, with or without weights of terrains."""
    source = random.Random(str(seed))
    return [any_instance(source, largest).problem() for _ in range(count)]


def outcome(search: ResumableSearch, problem: Problem, nodes: int | None = None) -> dict[str, Any]:
    """Return the status, the counts and the plan of a search."""
    return found_by(search, problem, run(search, Limits(nodes=nodes)))


def found_by(search: ResumableSearch, problem: Problem, status: str) -> dict[str, Any]:
    """Return what a search has found when it ended with a status."""
    found = {name: value for name, value in asdict(search.counts).items() if name != "memory_bytes"}
    solution = None
    if status == "solved":
        solution = search.cost, problem.plan(search.path()), search.bound
    return {**found, "status": status, "solution": solution, "before": search.expanded_before_last_layer}


def both(problem: Problem, stack: Stack) -> list[BoundStack]:
    """Return the stack bound to the problem with and without numbers."""
    return [stack.prepare(each) for each in (problem, replace(problem, numbering=None))]


def is_numbered(search: Any) -> bool:
    return search._nodes._number_table is not None


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_numbers_change_nothing(algorithm: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_suboptimal, "FEWEST_STATES", 0)
    chosen: Any = sections.algorithm_of(algorithm)
    stack = Stack() if algorithm["name"] == "ucs" else OCTILE
    weightings = WEIGHTINGS if algorithm["name"] == "astar" else [None]
    solved = 0
    for number, problem in enumerate(problems(algorithm, 20)):
        searches = [chosen.start(bound, weightings[number % len(weightings)]) for bound in both(problem, stack)]
        found = [outcome(search, problem) for search in searches]
        assert found[0] == found[1]
        solved += found[0]["status"] == "solved"
    assert solved > 6


@pytest.mark.parametrize("name", ["dps", "ees", "focal", "optimistic"])
def test_buckets_of_an_open_list_with_several_orders_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the growth of the orders, or that of buckets."""
    monkeypatch.setattr(bounded_suboptimal, "FEWEST_STATES", 0)
    for problem in [*problems(name, 30), large_problem("maze"), large_problem("open")]:
        for weight in (1.0, 1.1, 2.0):
            chosen: Any = sections.algorithm_of({"name": name, "weight": weight})
            found = []
            for has_buckets, first in ((False, 4096), (False, 16), (True, 256)):
                monkeypatch.setattr(focal_list, "_FIRST_ENTRIES", first)
                monkeypatch.setattr(bounded_suboptimal.BoundedSearch, "_has_buckets", has_buckets)
                found.append(outcome(chosen.start(OCTILE.prepare(problem), None), problem, 3_000))
            assert found[0] == found[1] == found[2]


def test_every_node_limit_stops_at_the_same_node() -> None:
    for problem in problems("limits", 12, largest=7):
        for nodes in range(30):
            one, other = (
                outcome(BestFirstSearch(bound, Priority()), problem, nodes) for bound in both(problem, OCTILE)
            )
            assert one == other


def test_an_incumbent_prunes_the_same_nodes() -> None:
    for problem in problems("incumbent", 40):
        for cost in (1, 100_000, 200_000, 300_000):
            one, other = (outcome(BestFirstSearch(bound, Priority(), cost), problem) for bound in both(problem, OCTILE))
            assert one == other


def start(problem: Problem) -> BestFirstSearch:
    """Start A* with octile, by numbers."""
    search = search_algorithm("astar").start(OCTILE.prepare(problem), None)
    assert isinstance(search, BestFirstSearch)
    assert is_numbered(search)
    return search


def base_of(search: BestFirstSearch) -> int:
    return search._nodes.index_mask


def large_problem(kind: str = "obstacles") -> Problem:
    return runner.load("gridmap/random", kind=kind, size=96, count=1, seed=3)[0].problem()


@pytest.mark.parametrize("kind", ["obstacles", "maze"])
def test_small_steps_and_growth_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = large_problem(kind)
    whole = outcome(start(problem), problem)
    monkeypatch.setattr(open_list, "_FIRST_ENTRIES", 1)
    monkeypatch.setattr(numbered, "FIRST_CAPACITY", 16)
    stepped, grown = start(problem), 0
    while (status := stepped.step(3)) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
        assert stepped.counts.peak_nodes <= stepped._nodes.capacity
        if status == StepStatus.OUT_OF_MEMORY:
            assert stepped.grow(None)
            grown += 1
    assert status == StepStatus.SOLVED
    assert grown > 10
    assert found_by(stepped, problem, "solved") == whole


def test_searches_use_the_memory_of_earlier_ones_on_the_same_map() -> None:
    """Records of an earlier search are no nodes, even if it had the same goal, and was interrupted."""
    problem = large_problem()
    assert problem.numbering is not None
    whole = outcome(start(problem), problem)
    first = start(problem)
    base = base_of(first)
    first.step(50)
    second = start(problem)  # while the first is in progress
    assert outcome(second, problem) == whole
    assert outcome(first, problem) == whole
    del first, second
    assert len(problem.numbering.spare) == 1
    third = start(problem)
    assert base_of(third) > base
    assert not problem.numbering.spare
    assert outcome(third, problem) == whole


def test_memory_is_allocated_again_when_a_base_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered, "_MAX_BASE", 1)
    problem = large_problem()
    found, bases = [], []
    for _ in range(3):
        search = start(problem)
        bases.append(base_of(search))
        found.append(outcome(search, problem))
        del search
    assert bases == [0, 0, 0]
    assert found[1:] == found[:-1]


def test_memory_is_that_of_the_nodes() -> None:
    problem = large_problem("open")
    before = start(problem).counts.memory_bytes
    assert before < 100_000
    search = start(problem)
    run(search, Limits())
    assert search.counts.memory_bytes >= 32 * search.counts.peak_nodes
    assert start(problem).counts.memory_bytes == before  # although it uses the memory of the one before


def test_a_memory_limit_stops_at_the_same_node_whatever_the_steps() -> None:
    problem = large_problem("maze")
    limit = start(problem).counts.memory_bytes + 50_000
    found = []
    for budget in (1, 7, 100_000):
        search = start(problem)
        search.first_budget = budget
        assert run(search, Limits(memory=limit)) == "memory_limit"
        assert search.counts.memory_bytes <= limit
        found.append(search.counts)
    assert found[0] == found[1] == found[2]


def test_which_searches_have_numbers() -> None:
    problem = large_problem()

    def numbered(stack: Stack, weighting: Weighting | None = None) -> bool:
        return is_numbered(search_algorithm("astar").start(stack.prepare(problem), weighting))

    assert numbered(Stack())
    assert numbered(OCTILE)
    assert numbered(OCTILE, Geometric(reorder_open=True))
    assert not numbered(Stack(OCTILE.heuristics * 2, "max"))


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["bidirectional", "bae", "nbs", "dvcbs", "reverse_astar"])
def test_numbers_change_nothing_in_searches_from_both_ends(
    name: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the length of the steps, or the growth of the arrays. Small maps have no kernel of their own.

    Maps with and without weights of terrains have different kernels; an algorithm takes one of them, or in the long
    test both.
    """
    small: Any = search_algorithm(name).start(OCTILE.prepare(problems(name, 1)[0]), None)
    assert not is_numbered(small)
    monkeypatch.setattr(bidirectional_search, "FEWEST_STATES", 0)
    monkeypatch.setattr(open_list, "_FIRST_ENTRIES", 1)
    monkeypatch.setattr(bidirectional_search, "_FIRST_CLUSTERS", 1)
    chosen, source, solved = search_algorithm(name), random.Random(name), 0
    maps = problems(name, 20 if whole else 80)
    for problem in maps if whole else [each for each in maps if each.expand is maps[0].expand][:20]:
        searches: list[Any] = [chosen.start(bound, None) for bound in both(problem, OCTILE)]
        assert [is_numbered(search) for search in searches] == [True, False]
        stepped: Any = chosen.start(OCTILE.prepare(problem), None)
        while (status := stepped.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            assert status == StepStatus.RUNNING or stepped.grow(None)
        found = [outcome(search, problem) for search in searches]
        assert found[0] == found[1]
        assert found[0] == found_by(stepped, problem, found[0]["status"])
        solved += found[0]["status"] == "solved"
    assert solved > 6
