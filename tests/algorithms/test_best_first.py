"""Best-first search in caves: equal to the naive search, and the guarantees of A* and weighted A*."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import runner
from algorithms.best_first import AStar, Greedy, Ties, UniformCost, WeightedAStar
from algorithms.engine import open_list_arrays
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.search import Limits, Status, run
from algorithms.interface import SearchAlgorithm
from heuristics.stack import Stack
from heuristics.weighting import Constant, Dynamic, Geometric, Linear, Weighting
from tests.algorithms.typed import effective, not_none
from tests.caves import any_cave, caves, instance, published_kind, word
from tests.naive.best_first import best_first
from tests.stacks import DOCUMENTED, by_hand, documented
from worlds.interface import Problem, Unsolvable
from worlds.wumpus.rules import Cave
from worlds.wumpus.search import CLIMBED_OUT, DIED, HAS_GOLD

TIES: tuple[Ties, ...] = get_args(Ties)
WEIGHTS: tuple[tuple[float, float], ...] = ((1, 0), (0, 1), (1, 1), (1, 2), (1, 1.5), (1, 0.3))
CONSISTENT = [["manhattan"], ["manhattan", "pivots"], ["manhattan", "pivots", "flood_fill"]]
ADMISSIBLE = [*CONSISTENT, ["manhattan", "pivots", "obstacle"], ["manhattan", "pivots", "obstacle", "flood_fill"]]


def is_goal(state: int) -> bool:
    return state & (CLIMBED_OUT | HAS_GOLD | DIED) == CLIMBED_OUT | HAS_GOLD


def compare(stack: Stack, problem: Problem, weights: tuple[float, float], ties: Ties, reopen: bool) -> None:
    """Compare the status, cost and counts of the search with those of the naive one. `weights` are those of g and h."""
    try:
        bound = stack.prepare(problem)
    except Unsolvable:
        return

    @cache
    def successors(state: int) -> list[tuple[int, int]]:
        return [(int(s[0]), cost) for s, cost, _ in bound.problem.successors(word(state))]

    @cache
    def h(state: int) -> float:
        return bound.evaluate(word(state))

    schedule = iter([(0, weights[1])])
    expected = best_first(int(problem.initial[0]), successors, is_goal, h, weights[0], schedule, ties, reopen)
    if not stack.heuristics or not bound.kernels:
        expected["evaluated"] = 0
    search = BestFirstSearch(bound, Priority(weights[0], Constant(weights[1]), ties, reopen))
    status = run(search, Limits())
    counts = search.counts
    found = {
        "status": status,
        "cost": search.cost if status == "solved" else None,
        **{name: getattr(counts, name) for name in ("expanded", "generated", "evaluated", "reopened")},
    }
    assert found == expected, (problem.instance, str(stack), weights, ties, reopen)


@pytest.mark.parametrize("name", DOCUMENTED)
@pytest.mark.parametrize("ties", TIES)
def test_search_equals_the_naive_one_on_random_caves(name: str, ties: Ties) -> None:
    variants = itertools.cycle(itertools.product(WEIGHTS, (True, False), ("cardinal", "primitive"), (None, True)))
    source = random.Random(f"{name} {ties}")
    for number in range(300):
        weights, reopen, formulation, as_published = next(variants)
        side = source.randint(2, 5)
        cave = any_cave(source, side, source.randint(2, 5)) if number % 2 else published_kind(source, side)
        pruning = source.choice(["none", "effective", "best"])
        compare(documented(name, as_published), instance(cave, formulation, pruning).problem(), weights, ties, reopen)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("ties", TIES)
def test_search_equals_the_naive_one_while_its_arrays_grow(weights: tuple[float, float], ties: Ties) -> None:
    """In larger caves the nodes, the hash table, the buckets and the heap are all enlarged."""
    source = random.Random(7)
    for _ in range(2):
        problem = instance(published_kind(source, 28, pits=0.05)).problem()
        for names in (["manhattan"], ["manhattan", "pivots", "obstacle", "iterative_shift"]):
            compare(by_hand(names), problem, weights, ties, True)


@pytest.mark.parametrize("ties", TIES)
def test_an_open_list_that_grows_keeps_its_order(ties: Ties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_list_arrays, "_FIRST_BUCKETS", 1)
    source = random.Random(3)
    grown = 0
    for weights in ((7, 3), (1, 1.3)):
        problem = instance(published_kind(source, 20, pits=0.1)).problem()
        compare(by_hand(["manhattan", "obstacle"]), problem, weights, ties, True)
        search = BestFirstSearch(
            by_hand(["manhattan"]).prepare(problem), Priority(weights[0], Constant(weights[1]), ties)
        )
        run(search, Limits())
        grown += search._open.arrays[0].size > 16
    assert grown == 2


@pytest.mark.parametrize("combine", ["sum", "max"])
def test_search_with_an_undocumented_stack_equals_the_naive_one(combine: str) -> None:
    source = random.Random(5)
    stack = by_hand(["obstacle", "manhattan", "pivots"], combine)
    for _ in range(40):
        compare(stack, instance(any_cave(source, 5, 4)).problem(), (1, 1), "low_h", True)


def test_a_search_in_steps_of_one_expansion_equals_the_whole_search() -> None:
    problem = instance(published_kind(random.Random(1), 12)).problem()
    whole = BestFirstSearch(by_hand(["manhattan"]).prepare(problem), Priority())
    run(whole, Limits())
    stepped = BestFirstSearch(by_hand(["manhattan"]).prepare(problem), Priority())
    steps = 0
    while (status := stepped.step(1)) in (Status.RUNNING, Status.OUT_OF_MEMORY):
        if status == Status.OUT_OF_MEMORY:
            assert stepped.grow(None)
            continue
        steps += 1
        assert stepped.counts.expanded == steps
    assert (stepped.counts, stepped.path()) == (whole.counts, whole.path())


@given(caves(), st.sampled_from(["cardinal", "primitive"]), st.sampled_from(ADMISSIBLE))
def test_astar_with_an_admissible_stack_finds_the_cost_of_ucs(cave: Cave, formulation: str, names: list[str]) -> None:
    where = instance(cave, formulation)
    expected = runner.solve(where, algorithm="ucs")
    found = runner.solve(where, algorithm="astar", heuristic=names)
    assert (found.status, found.cost) == (expected.status, expected.cost)
    assert found.bound == (1.0 if found.status == "solved" else None)


@given(caves(), st.sampled_from(CONSISTENT), st.booleans())
def test_consistent_stacks_never_reopen_and_expand_no_more_than_ucs(cave: Cave, names: list[str], reopen: bool) -> None:
    where = instance(cave)
    expected = runner.solve(where, algorithm={"name": "ucs", "ties": "low_h"})
    found = runner.solve(where, algorithm={"name": "astar", "reopen": reopen}, heuristic=names)
    assert found.reopened == 0
    assert found.cost == expected.cost
    assert not_none(found.expanded) <= not_none(expected.expanded)


@given(caves(), st.sampled_from([1.0, 1.2, 1.5, 2.0, 3.5]), st.sampled_from(ADMISSIBLE))
def test_weighted_astar_stays_within_its_bound(cave: Cave, weight: float, names: list[str]) -> None:
    where = instance(cave)
    optimum = runner.solve(where, algorithm="ucs")
    found = runner.solve(where, algorithm="weighted_astar", heuristic=names, weighting=weight)
    assert found.status == optimum.status
    if optimum.cost is not None:
        assert found.bound == weight
        assert optimum.cost <= not_none(found.cost) <= weight * optimum.cost


@given(caves(), st.sampled_from(DOCUMENTED), st.sampled_from(["ucs", "greedy", "astar", "weighted_astar"]))
def test_plans_are_valid_and_cost_what_the_result_says(cave: Cave, name: str, algorithm: str) -> None:
    where = instance(cave)
    assume(name != "none" or algorithm != "greedy")
    result = runner.solve(where, algorithm=algorithm, heuristic=name)
    assert result.status in ("solved", "unsolvable")
    plan = not_none(result.plan)
    replay = where.replay(plan)
    assert replay.reward == result.reward
    if result.status == "solved":
        assert result.valid is True
        assert replay.reaches_goal
        assert result.reward == 1000 - not_none(result.cost)
        assert result.length == len(plan)
    else:
        assert (result.plan, result.reward, result.cost) == (("CLIMB",), -1, None)


def test_bounds_need_an_admissible_heuristic_and_reopening_or_consistency() -> None:
    admissible, consistent = by_hand(["manhattan", "pivots", "obstacle"]), by_hand(["manhattan", "pivots"])
    not_admissible = documented("iterative_shift")
    problem = runner.load("wumpus/static")[0].problem()

    def bound(algorithm: SearchAlgorithm, stack: Stack, weighting: Weighting | None) -> float | None:
        chosen, used = effective(algorithm, weighting)
        search = chosen.start(stack.prepare(problem), used)
        assert run(search, Limits()) == "solved"
        return search.bound

    assert bound(UniformCost(), Stack(), None) == 1
    assert bound(AStar(), admissible, None) == 1
    assert bound(AStar(), Stack(), None) == 1
    assert bound(AStar(), not_admissible, None) is None
    assert bound(AStar(reopen=False), consistent, None) == 1
    assert bound(AStar(reopen=False), admissible, None) is None
    assert bound(AStar(), consistent, Constant(3)) == 3
    assert bound(AStar(), consistent, Constant(0.5)) == 1
    assert bound(WeightedAStar(weight=2), admissible, None) == 2
    assert bound(WeightedAStar(weight=2), admissible, Constant(4)) == 4
    assert bound(Greedy(), consistent, None) is None
    assert bound(AStar(), consistent, Dynamic(0.5, 40)) == 1.5
    assert bound(AStar(reopen=False), consistent, Dynamic(0.5, 40)) is None
    assert not_none(bound(AStar(), consistent, Geometric(2, 1.5, every=3, maximum=100))) > 3
    assert bound(AStar(), consistent, Linear(3, 1, over=10, every=2)) == 3


def test_weights_of_1_and_0_and_a_weight_as_a_parameter() -> None:
    """Weight 1 is A*, and weight 0 finds the cost of uniform-cost search."""
    where = runner.load("wumpus/static")[2]
    plain = runner.solve(where, algorithm="astar", heuristic=["manhattan"])
    assert runner.solve(where, algorithm="astar", heuristic=["manhattan"], weighting=1).expanded == plain.expanded
    ucs = runner.solve(where, algorithm="ucs")
    assert runner.solve(where, algorithm="weighted_astar", heuristic=["manhattan"], weighting=0).cost == ucs.cost
    heavy = runner.solve(where, algorithm="weighted_astar", heuristic=["manhattan"], weighting=5)
    by_parameter = runner.solve(where, algorithm={"name": "weighted_astar", "weight": 5}, heuristic=["manhattan"])
    assert not_none(heavy.expanded) == not_none(by_parameter.expanded) < not_none(plain.expanded)
    assert heavy.weighting == by_parameter.weighting == "constant(5)"
