"""Priorities f(g, h, w): searches equal the naive one, conditions of their bounds, and how strangers register them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine.search import Limits
from heuristics.interface.priority import priority
from heuristics.interface.stack import Stack
from heuristics.interface.weighting import WEIGHTINGS, Constant, Weighting
from runner.base.errors import UserError
from runner.base.own_places import PACKAGES
from runner.features.audits.priorities import check_priority
from tests.algorithms.searching import run
from tests.algorithms.test_against_naive import TIES, compare, problems
from tests.algorithms.typed import not_none
from tests.graphs import Graph, Table, consistent_table, exact, plain, random_graph, random_table
from tests.isolated import isolated
from tests.naive.best_first import best_first
from tests.sampling import covering

OURS = ("xdp", "xup")
WEIGHTS = (1, 1.01, 1.2, 1.5, 3, 100)
COSTS = st.integers(0, 10_000)


def chosen(name: str, **parameters: Any) -> Any:
    """Return a registered weighting."""
    return WEIGHTINGS.build(name, parameters)


@pytest.fixture
def own() -> Iterator[None]:
    """Remove what a test registers."""
    with isolated(PACKAGES):
        yield


@pytest.mark.parametrize("name", OURS)
def test_searches_equal_the_naive_one(name: str) -> None:
    for source, bound in problems(name):
        p = plain(bound)
        order: Any = {"ties": source.choice(TIES), "reopen": source.random() < 0.7}
        weighting = chosen(name, weight=source.choice(WEIGHTS))
        expected = best_first(p.initial, p.successors, p.is_goal, p.h, priority=weighting.f, **order)
        compare(bound, AStar(**order), expected, weighting)


@pytest.mark.parametrize("name", OURS)
@given(COSTS, COSTS, st.sampled_from(WEIGHTS))
def test_ours_are_h_at_the_start_and_g_over_w_at_goals_and_rise_faster_with_h(
    name: str, g: int, h: int, weight: float
) -> None:
    f = chosen(name, weight=weight).f
    assert f(0, h) == pytest.approx(h)
    assert f(g, 0) == pytest.approx(g / weight)
    assert f(g, h) <= (g + h) * (1 + 1e-12)
    assert f(g, h) <= f(g + 1, h) * (1 + 1e-12)
    assert f(g + 1, h) <= f(g, h + 1) * (1 + 1e-12)
    assert chosen(name, weight=1).f(g, h) == pytest.approx(g + h)


@pytest.mark.parametrize("name", OURS)
@given(COSTS, COSTS, COSTS, st.floats(-1, 1), st.sampled_from(WEIGHTS))
def test_in_undirected_graphs_a_step_raises_f_by_at_most_its_cost_and_the_change_of_h(
    name: str, g: int, h: int, cost: int, share: float, weight: float
) -> None:
    """The condition under which no node is reopened. `check_priority` has that for all graphs."""
    f = chosen(name, weight=weight).f
    change = max(-h, share * cost)
    assert f(g + cost, h + change) <= (f(g, h) + cost + change) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_ours_meet_the_conditions_of_their_bound(name: str, weight: float) -> None:
    check_priority(name, weight=weight)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("without_reopening", "f", "violated"),
    [
        (True, lambda g, h, w: g + w * h, None),
        (True, lambda g, h, w: 7 * (g + w * h), None),
        (False, lambda g, h, w: (g + w * h) ** 2, None),
        (False, lambda g, h, w: g + w * w * h, "is more than f(1.5 * "),
        (False, lambda g, h, w: h, "is no more than f("),
        (False, lambda g, h, w: g // 2 + h // 2, "is no more than f("),
        (False, lambda g, h, w: -1.0, "and no number of at least 0"),
        (False, lambda g, h, w: max(0.0, 100 - g) + h, "is no more than f("),
        (True, lambda g, h, w: chosen("xdp", weight=w).f(g, h), "without_reopening does not hold: a step of cost "),
    ],
)
def test_the_conditions_of_a_declared_bound_are_checked(without_reopening: bool, f: Any, violated: str | None) -> None:
    @priority("mine", bound="weight", without_reopening=without_reopening, compiled=False)
    def mine(g: float, h: float, w: float) -> Any:
        return f(g, h, w)

    if violated is None:
        check_priority("mine", weight=1.5)
    else:
        with pytest.raises(ValueError, match=re.escape("priority 'mine': ") + ".*" + re.escape(violated)):
            check_priority("mine", weight=1.5)


def undirected(source: random.Random) -> Graph:
    """Return a random graph in which each step leads back at the same cost."""
    graph = random_graph(source, source.choice([3, 40]), 40)
    back = tuple((v, u, cost) for u, v, cost in graph.edges)
    return Graph(graph.edges + back, graph.goal_nodes)


def factor(graph: Graph, table: Any, weighting: Weighting, *, reopen: bool) -> tuple[float, float | None]:
    """Return by which factor a plan costs more than the optimum, and the bound that the search reports."""
    search = AStar(reopen=reopen).start(Stack((table,)).prepare(graph.instance().problem()), weighting)
    if run(search, Limits()) != "solved":
        return 1, search.bound
    assert reopen or search.counts.reopened == 0
    optimum = exact(graph)[0]
    return search.cost / optimum if optimum else 1 + search.cost, search.bound


@covering({"weight": [1, 1.2, 3, 100], "name": OURS})
def test_plans_cost_at_most_w_times_the_optimum(name: str, weight: float) -> None:
    source = random.Random(f"{name} {weight}")
    weighting = chosen(name, weight=weight)
    costly = 0
    for _ in range(300):
        graph = random_graph(source, source.choice([3, 40]), 40)
        found, bound = factor(graph, random_table(source, graph, True), weighting, reopen=True)
        assert found <= weight * (1 + 1e-9)
        assert bound == weight
        costly += found > 1
        found, bound = factor(graph, consistent_table(source, graph), weighting, reopen=False)
        assert bound == (weight if weighting.without_reopening else None)
        assert bound is None or found <= weight * (1 + 1e-9)
        graph = undirected(source)
        found, _ = factor(graph, consistent_table(source, graph), weighting, reopen=False)
        assert found <= weight * (1 + 1e-9)
    assert costly > 0 or weight == 1


def test_xdp_needs_reopening_where_h_rises_by_more_than_the_cost_of_a_step() -> None:
    """So it does not declare `without_reopening`. Node 2 is closed at g = 15; then h rises from 0 to 5."""
    graph = Graph(((0, 1, 0), (1, 2, 10), (0, 2, 15), (2, 3, 0), (3, 4, 5), (0, 4, 24)), (4,))
    table = Table({0: 10, 1: 10, 2: 0, 3: 5, 4: 0}, {}, True, True)
    weight = 1.5
    assert factor(graph, table, chosen("xdp", weight=weight), reopen=False) == (24 / 15, None)
    for weighting, reopen in ((chosen("xdp"), True), (chosen("xup"), False), (Constant(weight), False)):
        found, bound = factor(graph, table, weighting, reopen=reopen)
        assert found <= weight == bound


@pytest.mark.parametrize(
    ("world", "parameters", "heuristic"),
    [
        ("npuzzle/random", {"size": 3, "count": 5}, "manhattan"),
        ("pancake/random", {"size": 9, "count": 5}, [{"name": "gap", "k": 2}]),
        ("gridmap/random", {"size": 60, "count": 5}, "octile"),
    ],
)
def test_ours_expand_about_as_many_nodes_as_weighted_astar_and_as_many_as_astar_with_weight_1(
    world: str, parameters: dict[str, Any], heuristic: Any
) -> None:
    def expanded(weighting: Any) -> int:
        results = [runner.solve(each, "weighted_astar", heuristic, weighting) for each in instances]
        assert all(result.valid for result in results)
        return sum(not_none(result.expanded) for result in results)

    instances = runner.load(world, **parameters)
    plain, weighted = expanded(1), expanded(2)
    for name in OURS:
        assert expanded({"name": name, "weight": 1}) == plain
        assert weighted / 4 < expanded({"name": name, "weight": 2}) < min(4 * weighted, plain)


@pytest.mark.usefixtures("own")
def test_plain_python_and_compiled_functions_make_the_same_search() -> None:
    def either(g: float, h: float, w: float, share: float = 0.5, is_greedy: bool = False, power: int = 1) -> float:
        """Mix of two orders."""
        return h if is_greedy else share * (g + h) + (1 - share) * (g + w * h) * power

    priority("of_numba")(either)
    priority("of_python", compiled=False)(either)
    board = runner.load("npuzzle/random", size=3, count=1, seed=4)[0]
    counts = []
    for values in ({}, {"share": 0.25}, {"is_greedy": True}, {"power": 3, "weight": 4}):
        results = [
            runner.solve(board, "astar", "manhattan", {"name": name, **values}) for name in ("of_numba", "of_python")
        ]
        assert [result.bound for result in results] == [None, None]
        assert all("+" in not_none(result.code) for result in results)  # the fingerprint of this file
        assert results[0].expanded == results[1].expanded
        counts.append(results[0].expanded)
    assert len(set(counts)) == len(counts)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_value_that_is_no_number_of_at_least_0_is_an_error_of_the_instance(compiled: bool) -> None:
    @priority("sunk", compiled=compiled)
    def sunk(g: float, h: float, w: float) -> float:
        return h - g

    result = runner.solve(runner.load("npuzzle/random", size=3, count=1)[0], "astar", "manhattan", {"name": "sunk"})
    assert result.status == "error"
    expected = {
        True: "a value of the priority 'sunk' is negative, infinite or not a number",
        False: "priority 'sunk' gave -",
    }
    assert expected[compiled] in not_none(result.error)


@pytest.mark.usefixtures("own")
def test_an_exception_of_a_function_in_plain_python_is_an_error_of_the_instance() -> None:
    @priority("divided", compiled=False)
    def divided(g: float, h: float, w: float) -> float:
        return g / 0

    result = runner.solve(runner.load("npuzzle/random", size=3, count=1)[0], "astar", "manhattan", {"name": "divided"})
    assert (result.status, "ZeroDivisionError" in not_none(result.error)) == ("error", True)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_zero_with_a_sign_equals_one_without(compiled: bool) -> None:
    """The open list orders by the bits of f, and a sign makes them negative."""

    @priority("zero", compiled=compiled)
    def zero(g: float, h: float, w: float) -> float:
        return h * 0.0 - 0.0 if h > 0.0 else -0.0

    graph = Graph(((0, 1, 1), (0, 2, 2)), (1, 2))
    bound = Stack((Table({0: 1, 1: 1, 2: 0}, {}, None),)).prepare(graph.instance().problem())
    search = AStar(ties="fifo").start(bound, chosen("zero"))
    assert (run(search, Limits()), search.cost) == ("solved", 1)


def wrong_form(g: float, h: float) -> float:
    return g + h


def with_weight(g: float, h: float, w: float, weight: float = 1) -> float:
    return g


def with_text(g: float, h: float, w: float, text: str = "") -> float:
    return g


def with_factor(g: float, h: float, w: float, factor: float = 0.5) -> float:
    return g


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("function", "declared", "problem"),
    [
        (
            wrong_form,
            {},
            r"priority 'mine': the function takes \(g, h, w\), and after these only parameters with defaults",
        ),
        (with_weight, {}, "priority 'mine': the parameter 'weight' is w, which every priority has"),
        (with_text, {}, "priority 'mine': parameter text is <class 'str'>; a compiled function takes bool, int, float"),
        (with_factor, {"bound": "facter"}, "bound='facter' is no parameter of the function; did you mean 'factor'"),
        (with_factor, {"bound": 0.5}, "bound is a number of at least 1 or the name of a parameter, not 0.5"),
    ],
)
def test_wrong_declarations_are_refused(function: Any, declared: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        priority("mine", **declared)(function)


@pytest.mark.usefixtures("own")
def test_a_bound_is_the_value_of_a_parameter() -> None:
    priority("mine", bound="factor")(with_factor)
    assert chosen("mine", factor=3).promised_bound == 3
    with pytest.raises(UserError, match=r"weighting.factor: mine needs a number of at least 1, got 0.5"):
        _ = chosen("mine").promised_bound
    with pytest.raises(ValueError, match="weighting 'linear' is no priority"):
        check_priority("linear")
    with pytest.raises(UserError, match=r"weighting.weight: expected float >= 1.0, got 0.5"):
        chosen("xdp", weight=0.5)


def test_a_priority_has_its_name_in_rows_and_orders() -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    result = runner.solve(board, "weighted_astar", "manhattan", {"name": "xdp", "weight": 2})
    assert (result.algorithm, result.weighting, result.bound) == ("astar", "xdp(weight=2.0)", 2)
    order = AStar().expansion_order(chosen("xup"))
    assert (str(order), order.formula) == ("the smallest xup(weight=1.5) of g and h first", None)
