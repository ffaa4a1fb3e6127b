"""Pattern databases of planning tasks, compared with projections by their definition, and with Fast Downward."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pytest

import runner
from heuristics.pddl.additivity import additive_subsets
from heuristics.pddl.hill_climbing import ClimbingLimits, climbed_patterns
from heuristics.pddl.patterns import greedy_pattern, systematic_patterns
from heuristics.pddl.projection import Pattern
from heuristics.pddl.sampling import sampled_states
from runner.base.errors import Unsupported, UserError
from tests.naive import planning as naive
from tests.naive.projections import are_additive, canonical, climbed
from tests.planning import any_task, instance, needs_translator, reachable
from worlds.pddl.packing import Packing
from worlds.pddl.task import Effect, Operator, Task, Values


def random_patterns(source: random.Random, task: Task) -> list[list[int]]:
    numbers = range(len(task.names))
    return [sorted(source.sample(numbers, source.randint(1, 2))) for _ in range(source.randint(1, 4))]


def pattern_database(task: Task, patterns: Any, **parameters: Any) -> Callable[[Any], float]:
    return runner.heuristic(instance(task), [{"name": "pattern_database", "patterns": patterns, **parameters}])


def test_values_equal_those_of_the_definition() -> None:
    source, infinite, positive = random.Random("projections"), 0, 0
    for _ in range(50):
        task = any_task(source, source.randint(2, 4), conditional=False)
        patterns, packing = random_patterns(source, task), Packing(task)
        h = pattern_database(task, patterns)
        for values in reachable(task, 10):
            expected = canonical(task, patterns, values)
            assert h(packing.pack(values)) == expected
            infinite += expected == math.inf
            positive += 0 < expected < math.inf
    assert infinite > 5
    assert positive > 25


def test_conditional_effects_keep_values_below_those_of_the_definition() -> None:
    """A projection decides conditions of its own variables, so one to all variables is exact."""
    source, between = random.Random("conditional"), 0
    for _ in range(40):
        task = any_task(source, source.randint(2, 4))
        patterns, packing = random_patterns(source, task), Packing(task)
        some = pattern_database(task, patterns)
        all_ = pattern_database(task, [list(range(len(task.names)))])
        for values in reachable(task, 8):
            state = packing.pack(values)
            assert some(state) <= canonical(task, patterns, values) <= all_(state) == naive.h_star(task, values)
            between += 0 < some(state) < math.inf
    assert between > 15


def test_sets_of_additive_patterns_are_the_largest() -> None:
    source = random.Random("additive")
    for _ in range(20):
        task = any_task(source, 6)
        patterns = [(each,) for each in range(6)] + [(0, 1), (2, 5)]
        expected = {
            subset
            for size in range(len(patterns) + 1)
            for subset in combinations(range(len(patterns)), size)
            if are_additive(task, [patterns[each] for each in subset])
        }
        largest = {each for each in expected if not any(set(each) < set(other) for other in expected)}
        assert set(additive_subsets(task, patterns)) == largest


FAST_DOWNWARD = {
    "blocks#five_blocks": [(2, 92), (4, 13), (4, 14)],
    "blocks#sussman": [(3, 0), (2, 1), (3, 0)],
    "gripper#four_balls": [(3, 592), (5, 234), (6, 153)],
    "gripper#two_balls": [(4, 7), (5, 0), (5, 0)],
    "logistics#one_parcel": [(11, 0), (8, 15), (11, 0)],
    "logistics#three_parcels": [(10, 1124), (18, 27), (19, 0)],
    "sokoban#one_box": [(1, 0), (1, 0), (1, 0)],
    "sokoban#two_boxes": [(1, 28), (2, 0), (2, 0)],
}
"""Heuristic value of the start, and expansions until the last jump, of A* in Fast Downward (package up-fast-downward
1.0.0) with `pdb(greedy(max_states=100))`, `cpdbs(systematic(2))` and `ipdb()`."""


SMALLEST = {"blocks#sussman", "gripper#two_balls", "logistics#one_parcel", "sokoban#one_box"}


@needs_translator
@pytest.mark.parametrize("tasks", [SMALLEST, pytest.param({*FAST_DOWNWARD} - SMALLEST, marks=pytest.mark.long)])
def test_values_and_expansions_equal_those_of_fast_downward(tasks: set[str]) -> None:
    choices: list[dict[str, Any]] = [
        {"patterns": "greedy", "max_states": 100}, {"patterns": "systematic"}, {"patterns": "ipdb"}
    ]  # fmt: skip
    for where in runner.load("pddl/static"):
        for choice, expected in zip(choices, FAST_DOWNWARD[where.id] if where.id in tasks else [], strict=False):
            result = runner.solve(where, "astar", [{"name": "pattern_database", **choice}])
            assert (result.initial_h, result.expanded_before_last_layer) == expected, (where.id, choice)


CHAIN = Task(
    ("var0", "var1", "var2", "var3"),
    (("a", "b"),) * 4,
    (0, 0, 0, 0),
    ((2, 1), (3, 1)),
    (
        Operator("on 0", (), (Effect(0, 1),), 1),
        Operator("on 1", ((0, 1),), (Effect(1, 1),), 1),
        Operator("on 2", ((1, 1),), (Effect(2, 1),), 1),
        Operator("on 3, off 0", (), (Effect(3, 1), Effect(0, 0)), 1),
    ),
)
"""Variable 2 depends on 1, which depends on 0. One operator changes 3 and 0."""


def test_choices_follow_the_causal_graph() -> None:
    assert [greedy_pattern(CHAIN, states) for states in (1, 2, 4, 8, 100)] == [
        (), (3,), (2, 3), (1, 2, 3), (0, 1, 2, 3)
    ]  # fmt: skip
    assert systematic_patterns(CHAIN, 1, 10) == [(2,), (3,)]
    assert systematic_patterns(CHAIN, 2, 10) == [(2,), (3,), (1, 2)]
    assert systematic_patterns(CHAIN, 4, 100) == [(2,), (3,), (1, 2), (0, 1, 2), (0, 1, 2, 3)]
    assert systematic_patterns(CHAIN, 4, 4) == [(2,), (3,), (1, 2)]


def test_variables_are_named_by_number_or_name() -> None:
    start = Packing(CHAIN).pack(CHAIN.initial)
    assert pattern_database(CHAIN, [["var2", 1], [3]])(start) == 3
    for patterns, message in (
        ([[4]], r"heuristic\.patterns\[0\]: no variable 4; the task has variables 0 to 3"),
        ([[0], ["vr2"]], r"heuristic\.patterns\[1\]: no variable 'vr2'.* did you mean 'var2'"),
        ([[]], "expected variables, got an empty list"),
    ):
        with pytest.raises(UserError, match=message):
            pattern_database(CHAIN, patterns)
    with pytest.raises(Unsupported, match=r"it has 8 abstract states; heuristic\.max_states allows 7"):
        pattern_database(CHAIN, [[0, 1, 2]], max_states=7)


def samples_of_step(task: Task, seed: int, collection: Sequence[Pattern]) -> list[Values]:
    estimate = canonical(task, collection, task.initial)
    finite = 0 if estimate == math.inf else estimate
    states = sampled_states(instance(task).problem(), Packing(task), 15, finite, seed + len(collection))
    return [tuple(state) for state in states.tolist()]


@pytest.mark.parametrize("patterns", ["greedy", "systematic", "ipdb"])
def test_a_collection_without_patterns_is_refused(patterns: str) -> None:
    with pytest.raises(Unsupported, match=r"heuristic\.max_states: no pattern has at most 1 abstract state"):
        pattern_database(CHAIN, patterns, max_states=1)
    with pytest.raises(UserError, match=r"heuristic\.patterns: expected at least one pattern"):
        pattern_database(CHAIN, [])


def test_hill_climbing_adds_the_pattern_that_raises_the_most_samples() -> None:
    source, added = random.Random("climbing"), 0
    for seed in range(20):
        task = any_task(source, 4, conditional=False)
        limits = ClimbingLimits(20, 1000, 1000, 10**6, samples=15, min_improvement=1, seed=seed)
        found = climbed_patterns(instance(task).problem(), limits)
        assert found == climbed(task, partial(samples_of_step, task, seed), 20)
        added += len(found) > len(task.goal)
    assert added > 2


def test_hill_climbing_keeps_its_limits() -> None:
    problem = instance(CHAIN).problem()
    unlimited = ClimbingLimits(100, 100, 100, 100, samples=50, min_improvement=1, seed=0)
    found = climbed_patterns(problem, unlimited)
    assert found == [(2,), (3,), (1, 2), (0, 1, 2)]
    for limit, expected in (
        ({"max_states": 4}, 3),
        ({"collection_max_states": 10}, 3),
        ({"max_candidates": 3}, 3),
        ({"max_candidate_states": 9}, 3),
        ({"min_improvement": 51}, 2),
    ):
        assert climbed_patterns(problem, replace(unlimited, **limit)) == found[:expected], limit
