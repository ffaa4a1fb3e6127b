"""Best-first search in caves: equal to the naive search in large ones, and guarantees."""

from __future__ import annotations

import random
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import runner
from algorithms.best_first.best_first import AStar, BestFirstSearch, Priority, Ties, UniformCost, WeightedAStar
from algorithms.engine import open_list
from algorithms.engine.search import Limits
from algorithms.greedy.greedy import Greedy
from algorithms.interface.algorithm import SearchAlgorithm
from heuristics.interface.stack import Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from tests.algorithms.searching import run
from tests.algorithms.test_against_naive import compare
from tests.algorithms.typed import effective, not_none
from tests.caves import caves, instance, published_kind
from tests.graphs import plain
from tests.naive.best_first import best_first
from tests.stacks import DOCUMENTED, by_hand, documented
from worlds.interface.instance import Problem
from worlds.wumpus.rules import Cave

TIES: tuple[Ties, ...] = get_args(Ties)
WEIGHTS = (0, 1, 2, 1.5, 0.3)
CONSISTENT = [["manhattan"], ["manhattan", "pivots"], ["manhattan", "pivots", "flood_fill"]]
ADMISSIBLE = [*CONSISTENT, ["manhattan", "pivots", "obstacle"], ["manhattan", "pivots", "obstacle", "flood_fill"]]


def check(problem: Problem, names: list[str], weight: float, ties: Ties) -> None:
    """Compare A* with the naive search."""
    bound = by_hand(names).prepare(problem)
    p = plain(bound)
    expected = best_first(p.initial, p.successors, p.is_goal, p.h, 1, iter([(0, weight)]), ties=ties)
    compare(bound, AStar(ties), expected, Constant(weight))


GROWING = [
    pytest.param(weight, ties, marks=[] if (row + column) % 4 == 0 else [pytest.mark.long])
    for row, weight in enumerate(WEIGHTS)
    for column, ties in enumerate(TIES)
]
"""One of the ties for each weight; the long tests take all."""


@pytest.mark.parametrize(("weight", "ties"), GROWING)
def test_search_equals_the_naive_one_while_its_arrays_grow(weight: float, ties: Ties) -> None:
    """In larger caves the nodes, the hash table, the buckets and the heap are all enlarged."""
    problem = instance(published_kind(random.Random(7), 20, pits=0.05)).problem()
    for names in (["manhattan"], ["manhattan", "pivots", "obstacle", "iterative_shift"]):
        check(problem, names, weight, ties)


@pytest.mark.parametrize("ties", [ties for ties in TIES if ties != "random"])  # it has no buckets
def test_an_open_list_that_grows_keeps_its_order(ties: Ties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_list, "_FIRST_BUCKETS", 1)
    source = random.Random(3)
    for weight in (3, 1.3):
        problem = instance(published_kind(source, 20, pits=0.1)).problem()
        check(problem, ["manhattan", "obstacle"], weight, ties)
        search = BestFirstSearch(by_hand(["manhattan"]).prepare(problem), Priority(1, Constant(weight), ties))
        run(search, Limits())
        assert search._open.arrays[0].size > 16


@given(caves(), st.sampled_from(CONSISTENT), st.booleans())
def test_consistent_stacks_never_reopen_and_expand_no_more_than_ucs(cave: Cave, names: list[str], reopen: bool) -> None:
    where = instance(cave)
    expected = runner.solve(where, algorithm={"name": "ucs", "ties": "low_h"})
    found = runner.solve(where, algorithm={"name": "astar", "reopen": reopen}, heuristic=names)
    assert found.reopened == 0
    assert found.cost == expected.cost
    assert not_none(found.expanded) <= not_none(expected.expanded)


@given(caves(), st.sampled_from(DOCUMENTED), st.sampled_from(["ucs", "greedy", "astar", "weighted_astar"]))
def test_plans_are_valid_and_cost_what_the_result_says(cave: Cave, name: str, algorithm: str) -> None:
    where = instance(cave)
    assume(name != "none" or algorithm != "greedy")
    result = runner.solve(where, algorithm=algorithm, heuristic=name)
    assert result.status in ("solved", "unsolvable")
    plan = not_none(result.plan)
    replay = where.world.replay(plan)
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
