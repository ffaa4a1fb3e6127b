"""Heuristics for planning tasks, compared with naive implementations on random tasks."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

import runner
from heuristics.interface.heuristic import HEURISTICS
from tests.audited import violations
from tests.naive import planning as naive
from tests.naive.landmark_cuts import lmcut
from tests.planning import any_task, instance, layered_task, needs_translator, reachable, with_axioms
from tests.sampling import covering
from worlds.interface.instance import Problem, Words
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.task import Axiom, CostMode, Effect, Operator, Task, Values
from worlds.pddl.world import PlanningInstance


@covering({"name": ["blind", "goal_count", "hmax", "hadd"], "derived": [0, 8]})
def test_values_equal_those_of_the_naive_implementation(name: str, derived: int) -> None:
    source, infinite, positive = random.Random(name), 0, 0
    for _ in range(45 if derived else 30):
        task = any_task(source, source.randint(2, 8))
        task = with_axioms(source, task, derived) if derived else task
        where = instance(task)
        h = runner.heuristic(where, [name])
        for values in reachable(task, 12):
            expected = getattr(naive, name)(task, values)
            assert h(_packed(where, values)) == expected
            infinite += expected == math.inf
            positive += 0 < expected < math.inf
    assert positive > 10
    assert infinite > 10 or name in ("blind", "goal_count")


@pytest.mark.parametrize("derived", [0, 8])
def test_relaxed_plans_without_ties_equal_those_of_the_naive_implementation(derived: int) -> None:
    source, positive = random.Random("ff"), 0
    for _ in range(30):
        task = any_task(source, source.randint(2, 8), max_cost=10**6)
        task = with_axioms(source, task, derived) if derived else task
        where = instance(task)
        h = runner.heuristic(where, ["ff"])
        for values in reachable(task, 12):
            expected = naive.ff(task, values)
            assert h(_packed(where, values)) == expected
            positive += 0 < expected < math.inf
    assert positive > 10


@pytest.mark.parametrize("name", ["ff", "hadd"])
def test_preferred_successors_without_ties_equal_those_of_the_naive_implementation(name: str) -> None:
    source, some, others = random.Random("helpful"), 0, 0
    for _ in range(30):
        task = any_task(source, source.randint(2, 8), max_cost=10**6)
        problem = Problem.of(instance(task))
        term = HEURISTICS.build(name, {}, domain="pddl").term(problem)
        assert term is not None
        assert term.preferred is not None
        for values in reachable(task, 12):
            marks = np.zeros(problem.max_successors + 3, np.int16)
            assert term.preferred.compiled(term.params, Packing(task).pack(values), 0, marks, 3) == 0
            expected = naive.helpful(task, values)
            assert (np.flatnonzero(marks) - 3).tolist() == expected
            some += len(expected)
            others += len(list(rules.successors(task, values))) - len(expected)
    assert min(some, others) > 25


def test_relaxation_heuristics_are_ordered_as_theory_says() -> None:
    """hmax <= lmcut <= h+ <= ff <= hadd, and all of them know the same dead ends. h+ <= h*."""
    source, between = random.Random("order"), 0
    for _ in range(30):
        task = any_task(source, source.randint(2, 6), conditional=False)
        where = instance(task)
        names = ["hmax", "lmcut", "ff", "hadd"]
        functions = [runner.heuristic(where, [name]) for name in names]
        for values in reachable(task, 8):
            hmax, cuts, ff, hadd = (h(_packed(where, values)) for h in functions)
            optimum = naive.h_plus(task, values)
            assert hmax <= cuts <= optimum <= ff <= hadd
            assert (hmax == math.inf) == (hadd == math.inf)
            assert optimum <= naive.h_star(task, values)
            between += hmax < cuts
    assert between > 2


def test_landmark_cuts_break_ties_as_the_naive_implementation() -> None:
    source, infinite, positive = random.Random("cuts"), 0, 0
    for number in range(100):
        task = any_task(source, source.randint(4, 9)) if number % 4 == 0 else layered_task(source, 6 * (number % 4) + 2)
        factor = source.choice(
            [1, 15, 50, 1000]
        )  # large costs need a heap, some of them not at once, or not in the start
        operators = tuple(replace(each, cost=factor * each.cost) for each in task.operators)
        task = replace(task, operators=operators)
        where = instance(task)
        h = runner.heuristic(where, ["lmcut"])
        for values in reachable(task, 8):
            expected = lmcut(task, values)
            assert h(_packed(where, values)) == expected
            infinite += expected == math.inf
            positive += 1 < expected < math.inf
    assert infinite > 8
    assert positive > 120


@needs_translator
def test_landmark_cuts_equal_those_of_fast_downward() -> None:
    """h of the start, and expansions until the last jump, which Fast Downward 26 prints."""
    expected = {
        "blocks#five_blocks": (5, 1), "gripper#four_balls": (10, 3), "logistics#one_parcel": (9, 7),
        "logistics#three_parcels": (17, 74), "sokoban#two_boxes": (2, 0),
    }  # fmt: skip
    for where in runner.load("pddl/static"):
        if where.id in expected:
            found = runner.solve(where, "astar", ["lmcut"])
            assert (found.initial_h, found.expanded_before_last_layer) == expected[where.id]


def test_landmark_cuts_are_admissible_with_conditional_effects() -> None:
    source = random.Random("conditional")
    for _ in range(30):
        task = any_task(source, source.randint(2, 6))
        where = instance(task)
        h = runner.heuristic(where, ["lmcut"])
        for values in reachable(task, 8):
            assert h(_packed(where, values)) <= naive.h_star(task, values)


@pytest.mark.parametrize("name", ["hmax", "hadd", "ff", "lmcut", "operator_counting", "landmark_count"])
def test_a_value_does_not_depend_on_states_evaluated_before(name: str) -> None:
    source = random.Random(f"twice {name}")
    for _ in range(8):
        task = any_task(source, 6)
        where = instance(task)
        states = [_packed(where, values) for values in reachable(task, 10)]
        h = runner.heuristic(where, [name])
        found = [h(state) for state in states]
        assert [h(state) for state in reversed(states)] == found[::-1]
        assert [runner.heuristic(where, [name])(state) for state in states] == found


@covering({"cost_type": ["one", "plus_one"], "name": ["hmax", "hadd", "ff", "lmcut"]})
def test_a_cost_type_gives_the_values_of_a_task_with_these_costs(name: str, cost_type: CostMode) -> None:
    source = random.Random(cost_type)
    for _ in range(10):
        task = any_task(source, 6)
        h = runner.heuristic(instance(task), [{"name": name, "cost_type": cost_type}])
        charged = runner.heuristic(instance(task.with_costs(cost_type)), [name])
        for values in reachable(task, 10):
            assert h(Packing(task).pack(values)) == charged(Packing(task).pack(values))


@pytest.mark.parametrize("name", ["hmax", "lmcut"])
def test_other_costs_than_those_of_the_plan_promise_nothing_about_it(name: str) -> None:
    usual = HEURISTICS.build(name, {}, domain="pddl")
    other = HEURISTICS.build(name, {"cost_type": "one"}, domain="pddl")
    assert (usual.admissible, other.admissible, other.consistent, other.safe) == (True, None, None, True)
    assert usual.identity() == {}


@pytest.mark.parametrize("name", ["blind", "goal_count", "hmax", "hadd", "ff"])
def test_heuristics_keep_their_declarations_with_axioms(name: str) -> None:
    source = random.Random(f"declared {name}")
    tasks = [with_axioms(source, any_task(source, source.randint(2, 5))) for _ in range(40)]
    audit = runner.audit([instance(task, f"random#{n}") for n, task in enumerate(tasks)], name, workers=0, shrink=False)
    assert violations(audit) == {}
    dead_ends = sum(naive.h_star(task, task.initial) == math.inf for task in tasks)
    assert 5 < dead_ends < 35


def test_a_default_value_of_many_alternatives_is_unconditional() -> None:
    """There are 2 ** 20 ways to violate 20 axioms of two conditions each."""
    facts = (("f", "t"),) * 41
    pairs = tuple(Axiom(((n, 0), (n + 20, 0)), 40, 1) for n in range(20))
    raising = tuple(Operator(f"raise {n}", (), (Effect(n, 1),), 1) for n in range(40))
    task = Task(tuple(map(str, range(41))), facts, (*[0] * 40, 1), ((40, 0),), raising, pairs, (*[-1] * 40, 0))
    assert runner.heuristic(instance(task), ["hadd"])(_packed(instance(task), task.initial)) == 0
    few = replace(task, axioms=pairs[:5])
    assert runner.heuristic(instance(few), ["hadd"])(_packed(instance(few), few.initial)) == 5


def test_large_sums_stay_finite() -> None:
    source = random.Random("large")
    for _ in range(30):
        task = any_task(source, 6, max_cost=2**30)
        where = instance(task)
        assert (runner.heuristic(where, ["hadd"])(_packed(where, task.initial)) == math.inf) == (
            naive.hadd(task, task.initial) == math.inf
        )


def _packed(where: PlanningInstance, values: Values) -> Words:
    return Packing(where.world.task).pack(values)
