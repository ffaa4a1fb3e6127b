"""Saturated cost partitioning, compared with its definition; its properties; and combinations in configurations."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import runner
from heuristics.pddl import cost_partitioning
from heuristics.pddl.cost_partitioning import sums_of
from heuristics.pddl.lookups import NO_GOAL, Entry, maximum_of_sums, table_of
from heuristics.pddl.projection import cost_array
from runner.base.errors import UserError
from runner.base.own_places import PACKAGES
from runner.config.cell import sections
from runner.plugin import Combination, Problem, Term
from tests.isolated import isolated
from tests.naive import planning as naive
from tests.naive.projections import NaiveProjection, partitioned
from tests.planning import any_task, instance, layered_task, needs_translator, reachable
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.task import Effect, Operator, Task

QUICK = {"name": "scp", "orders": 5, "samples": 20}
GIVEN: dict[str, Any] = {"name": "pattern_database", "patterns": [[0], [1], [0, 1], [2]]}


def test_values_equal_those_of_the_definition_for_the_same_orders() -> None:
    source, positive, infinite = random.Random("scp"), 0, 0
    for seed in range(30):
        task = any_task(source, 3, conditional=False)
        patterns = [tuple(sorted(source.sample(range(3), source.randint(1, 2)))) for _ in range(4)]
        patterns = list(dict.fromkeys(patterns))
        orders = random.Random(seed)
        expected_orders = [orders.sample(range(len(patterns)), len(patterns)) for _ in range(3)]
        entry = {"name": "pattern_database", "patterns": [[*each] for each in patterns]}
        combine = {"name": "scp", "order": "random", "orders": 3, "diversify": False, "seed": seed}
        h, packing = runner.heuristic(instance(task), [entry], combine=combine), Packing(task)
        projections = [NaiveProjection(task, pattern) for pattern in patterns]
        for values in reachable(task, 10):
            expected = max(
                partitioned(task, [projections[each] for each in order], values) for order in expected_orders
            )
            assert h(packing.pack(values)) == expected
            positive += 0 < expected < math.inf
            infinite += expected == math.inf
    assert positive > 15
    assert infinite > 5


@pytest.mark.parametrize("combine", [QUICK, {**QUICK, "order": "random"}])
def test_it_is_admissible_and_consistent(combine: Any) -> None:
    source, positive = random.Random("properties"), 0
    for _ in range(25):
        task = any_task(source, source.randint(3, 5))
        entries = [{"name": "pattern_database", "patterns": "systematic"}, {"name": "pattern_database"}]
        h, packing = runner.heuristic(instance(task), entries, combine=combine), Packing(task)
        for values in reachable(task, 20):
            value = h(packing.pack(values))
            assert value <= naive.h_star(task, values)
            for operator, after in rules.successors(task, values):
                assert value <= operator.cost + h(packing.pack(after))
            positive += 0 < value < math.inf
    assert positive > 10


def test_patterns_that_one_operator_changes_divide_its_cost() -> None:
    effects = ((Effect(0, 1), Effect(1, 0)), (Effect(1, 1),))
    operators = tuple(Operator(f"act {number}", (), each, 2) for number, each in enumerate(effects))
    task = Task(("var0", "var1"), (("a", "b"),) * 2, (0, 0), ((0, 1), (1, 1)), operators)
    start, entry = Packing(task).pack(task.initial), {"name": "pattern_database", "patterns": [[0], [1]]}
    assert runner.heuristic(instance(task), [entry])(start) == 2
    assert runner.heuristic(instance(task), [entry], combine=QUICK)(start) == 4


@needs_translator
def test_it_keeps_its_properties_and_values_on_small_tasks() -> None:
    entry, values = {"name": "pattern_database", "patterns": "systematic"}, {}
    audit = runner.audit("pddl/static", [entry], combine="scp", shrink=False, workers=0, sample=3)
    assert audit.broken == []
    for where in runner.load("pddl/static"):
        if where.id != "sokoban#corner":  # unsolvable
            values[where.id] = runner.solve(where, "astar", [entry], combine="scp").initial_h
    assert values == {
        "blocks#five_blocks": 5, "blocks#sussman": 3, "gripper#four_balls": 6, "gripper#two_balls": 5,
        "kitchen#dinner": 9, "kitchen#soup_and_tea": 8, "logistics#one_parcel": 11, "logistics#three_parcels": 19,
        "sokoban#one_box": 1, "sokoban#two_boxes": 2,
    }  # fmt: skip


def test_a_sum_is_that_of_all_tables_and_none_where_one_has_no_goal() -> None:
    entries = [Entry(0, np.array([0, 3, NO_GOAL])), Entry(1, np.array([2, NO_GOAL]))]
    states = [np.array([0, 1, 2, 1, 2]), np.array([0, 0, 0, 1, 1])]
    assert sums_of(entries, states).tolist() == [2, 5, NO_GOAL, NO_GOAL, NO_GOAL]


def test_an_order_is_kept_if_a_sample_gains() -> None:
    source = random.Random("diversify")
    for _ in range(20):
        task = any_task(source, 4)
        start = Packing(task).pack(task.initial)
        values = {
            diversify: runner.heuristic(instance(task), [GIVEN], combine={**QUICK, "diversify": diversify})(start)
            for diversify in (True, False)
        }
        assert values[True] == values[False]  # the start is a sample


def test_an_order_is_kept_only_if_a_sample_gains_over_all_orders_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[Entry], NDArray[np.int64]]] = []
    kept: list[Sequence[list[Entry]]] = []

    def sums(entries: list[Entry], indices: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        seen.append((entries, sums_of(entries, indices)))
        return seen[-1][1]

    def maximum(packing: Packing, abstractions: Sequence[Any], orders: list[list[Entry]]) -> Term:
        kept.append(orders)
        return maximum_of_sums(packing, abstractions, orders)

    monkeypatch.setattr(cost_partitioning, "sums_of", sums)
    monkeypatch.setattr(cost_partitioning, "maximum_of_sums", maximum)
    source, returning = random.Random("kept"), 0
    pairs = {"name": "pattern_database", "patterns": [[number, number + 1] for number in range(7)]}
    for seed in range(25):
        seen.clear()
        combine = {"name": "scp", "orders": 12, "samples": 20, "order": "random"}
        runner.heuristic(instance(layered_task(source, 8)), [pairs], combine=combine)
        orders = seen[1:]  # the first is that of the start, for the length of the walks
        gains = [
            number == 0 or bool((values > np.max([each for _, each in orders[:number]], axis=0)).any())
            for number, (_, values) in enumerate(orders)
        ]
        assert [*map(id, kept[-1])] == [id(order[0]) for order, gain in zip(orders, gains, strict=True) if gain], seed
        for number in range(1, len(orders)):
            gains_over_last = bool((orders[number][1] > orders[number - 1][1]).any())
            returning += gains_over_last and not gains[number]
    assert returning > 4


def solved(task: Task, heuristic: Any, combine: Any = "sum") -> Any:
    return runner.solve(instance(task), "astar", heuristic, combine=combine)


def test_a_combination_is_chosen_by_name_or_with_parameters() -> None:
    task = any_task(random.Random("names"), 4)
    assert solved(task, [GIVEN], "scp").heuristic == "scp(pattern_database)"
    with_orders = sections.stack_of("pddl", {"stack": ["pattern_database"], "combine": {"name": "scp", "orders": 3}})
    assert str(with_orders) == "scp(orders=3)(pattern_database)"
    assert with_orders.name == "scp(pattern_database)"
    assert (with_orders.admissible, with_orders.consistent, with_orders.safe) == (True, True, True)
    plain = sections.stack_of("pddl", {"stack": ["pattern_database"]})
    key = [sections.search_key(sections.algorithm_of({"name": "astar"}), stack, None) for stack in (with_orders, plain)]
    assert [each["combine"] for each in key] == [{"name": "scp", "orders": 3}, "sum"]


@pytest.fixture
def _best() -> Iterator[None]:
    """Register the maximum of the abstractions as a plug-in does."""
    with isolated(PACKAGES):

        @runner.register("combination", "best", domain="pddl")
        @dataclass(frozen=True)
        class Best(Combination):
            def term(self, problem: Problem, abstractions: Sequence[Any]) -> Term:
                task = abstractions[0].task
                tables = [table_of(each.distances(cost_array(task))) for each in abstractions]
                return maximum_of_sums(Packing(task), abstractions, [[Entry(*each)] for each in enumerate(tables)])

        yield


@pytest.mark.usefixtures("_best")
def test_a_plug_in_adds_a_combination_whose_code_counts() -> None:
    for seed in range(3):
        task = any_task(random.Random(seed), 4)
        alone = [{**GIVEN, "patterns": [pattern]} for pattern in GIVEN["patterns"]]
        ours, own = solved(task, alone, "max"), solved(task, [GIVEN], "best")
        assert (own.heuristic, own.initial_h) == ("best(pattern_database)", ours.initial_h)
        assert str(own.code).startswith(f"{ours.code}+")


@dataclass(frozen=True)
class Plain:
    """Class without the base."""


@dataclass(frozen=True)
class Termless(Combination):
    def term(self, problem: Problem, abstractions: Sequence[Any]) -> Term:
        return None  # type: ignore[return-value]


def test_a_combination_derives_from_the_base_and_has_a_name_and_a_domain_of_its_own() -> None:
    with isolated(PACKAGES):
        base: Any
        for base, name, domain, message in (
            (Plain, "own", "pddl", "combination 'own': Plain must derive from Combination"),
            (Termless, "max", "pddl", "combination 'max' is one for heuristics of all domains"),
            (Termless, "own", None, "combination 'own': name the domain of its heuristics"),
        ):
            with pytest.raises((TypeError, ValueError), match=message):
                runner.register("combination", name, domain=domain)(base)


def test_what_is_no_term_is_named() -> None:
    with isolated(PACKAGES):
        runner.register("combination", "own", domain="pddl")(Termless)
        result = solved(any_task(random.Random("none"), 4), [GIVEN], "own")
    assert result.error == "TypeError: the method term of 'own' returned None; expected a Term"


@pytest.mark.parametrize(
    ("domain", "section", "message"),
    [
        ("pddl", {"stack": ["lmcut"], "combine": "scp"}, "lmcut has none; of pddl, these have some: pattern_database"),
        ("pddl", {"stack": ["lmcut"], "combine": "spc"}, "combine: expected one of sum, max, scp, got 'spc'.*'scp'"),
        ("npuzzle", {"stack": ["manhattan"], "combine": "scp"}, "'scp' is for heuristics of pddl, not of npuzzle"),
        ("npuzzle", {"stack": ["manhattan"], "combine": "scq"}, "combine: expected one of sum, max, got 'scq'"),
        (
            "pddl",
            {"combine": {"name": "scp", "order": "best"}},
            "heuristic.combine.order: expected one of greedy, random",
        ),
        ("pddl", {"combine": {"name": "scp", "oders": 3}}, "unknown parameter of combination 'scp'.*orders"),
        ("pddl", {"combine": {"name": "max", "orders": 3}}, "'max' has no parameters, got orders"),
        ("pddl", {"combine": 3}, "expected one of sum, max, scp, got 3"),
    ],
)
def test_what_cannot_be_combined_is_refused(domain: str, section: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        sections.stack_of(domain, section)
