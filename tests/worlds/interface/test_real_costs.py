"""Costs that are no integers: conversion, plain-Python worlds with a scale, rows, heuristics and audits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import runner
from runner import PythonWorld
from tests.runner_cli import rows, run
from tests.sampling import covering
from worlds.interface.instance import Instance
from worlds.interface.real_costs import CostScale, automatic_scale, engine_cost, engine_h, user_cost

costs = st.floats(0, 1000, allow_nan=False)
scales = st.sampled_from([2, 10, 1000, 33461, 10**6])


@given(costs, scales)
def test_costs_are_rounded_up_and_values_down(cost: float, scale: int) -> None:
    exact = Fraction(cost) * scale
    slack = max(Fraction(1), exact) / 10**11
    assert exact - slack <= engine_cost(cost, scale) <= math.ceil(exact)
    assert math.floor(exact) <= engine_h(cost, scale) <= exact + slack


@given(costs, costs, scales)
def test_rounding_keeps_consistency(cost: float, after: float, scale: int) -> None:
    assert engine_h(cost + after, scale) <= engine_cost(cost, scale) + engine_h(after, scale)


@given(st.integers(0, 10**6), st.sampled_from([10, 100, 1000]))
def test_decimal_costs_are_exact(number: int, scale: int) -> None:
    assert engine_cost(number / scale, scale) == engine_h(number / scale, scale) == number
    assert user_cost(number, scale) == pytest.approx(number / scale, abs=1e-9)


@pytest.mark.parametrize(
    ("costs", "scale"),
    [
        ([1, 2], 1),
        ([0.5, 1], 10),
        ([0.25, 1.5], 100),
        ([1, math.sqrt(2)], 10**5),
        ([0.001, math.pi], 10**5),
        ([math.pi / 1000], 10**8),
    ],
)
def test_automatic_scale(costs: list[float], scale: int) -> None:
    assert automatic_scale(costs) == scale


@dataclass(frozen=True)
class Roads(PythonWorld):
    """Two ways from A to D; the one with more steps is cheaper by 0.01."""

    cost_scale: ClassVar[CostScale] = 100
    roads: ClassVar[dict[str, list[tuple[str, float]]]] = {
        "A": [("B", 1.25), ("D", 3.01)],
        "B": [("C", 0.75)],
        "C": [("D", 1)],
        "D": [],
    }

    def initial(self) -> str:
        return "A"

    def successors(self, state: str) -> Any:
        return [(f"to {place}", place, cost) for place, cost in self.roads[state]]

    def is_goal(self, state: str) -> bool:
        return state == "D"


def instance(scale: CostScale, **roads: list[tuple[str, float]]) -> Instance:
    class Other(Roads):
        cost_scale = scale

    Other.roads = {**Roads.roads, **roads}
    Other.registered_name = "roads of tests"
    return Instance(Other(), "roads")


@runner.python_heuristic("air line of tests", domain="roads of tests", admissible=True, consistent=True)
def air_line(state: str) -> float:
    return {"A": 2.9, "B": 1.7, "C": 0.999, "D": 0}[state]


@covering({"scale": [100, 1000, "auto"], "algorithm": ["astar", "ucs", "idastar", "ids", "anytime_astar"]})
def test_searches_find_the_cheapest_plan_and_rows_have_its_real_cost(algorithm: str, scale: CostScale) -> None:
    heuristics = [] if algorithm in ("ucs", "ids") else ["air line of tests"]
    roads = instance(scale)
    result = runner.solve(roads, algorithm, heuristics)
    assert (result.status, result.valid) == ("solved", True)
    if algorithm != "ids":
        assert result.cost == 3
    if heuristics:
        assert result.initial_h == 2.9
        assert runner.heuristic(roads, heuristics)("A") == 2.9


def test_rows_and_audits_have_real_costs(tmp_path: Path) -> None:
    (tmp_path / "roads.py").write_text(ROADS)
    done = run(tmp_path, "plugins=[roads]", "world=diagonal", "heuristic=octile", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert row["cost"] == row["initial_h"] == "5.24263"
    assert row["valid"] == "True"
    assert "5.24263" in done.stdout
    done = run(tmp_path, "audit", "plugins=[roads]", "world=diagonal", "heuristic=octile", "hydra.run.dir=audit")
    assert done.returncode == 0, done.stdout
    wrong = ("audit", "plugins=[roads]", "world=diagonal", "heuristic=octile", "+heuristic.factor=1.1")
    done = run(tmp_path, *wrong, "hydra.run.dir=wrong")
    assert done.returncode == 1
    assert "by 1 0, cost 1.0" in done.stdout


ROADS = '''
from dataclasses import dataclass

import runner


@runner.register("world", "diagonal")
@dataclass(frozen=True)
class Diagonal(runner.PythonWorld):
    """Go from (0, 0) to (4, 3) on a grid; diagonal steps cost 1.41421."""

    cost_scale = "auto"

    def initial(self):
        return 0, 0

    def successors(self, state):
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                x, y = state[0] + dx, state[1] + dy
                if (dx or dy) and 0 <= x < 6 and 0 <= y < 6:
                    yield f"{dx} {dy}", (x, y), 1.41421 if dx and dy else 1

    def is_goal(self, state):
        return state == (4, 3)


@runner.python_heuristic("octile", domain="diagonal", admissible=True, consistent=True)
def octile(state, factor: float = 1):
    dx, dy = abs(state[0] - 4), abs(state[1] - 3)
    return factor * (max(dx, dy) + 0.41421 * min(dx, dy))
'''


@pytest.mark.parametrize(
    ("scale", "cost", "message"),
    [
        (1, 0.5, r"action 'to D' costs 0.5, which is not an int: declare cost_scale"),
        (1, "3", r"action 'to D' costs '3', which is not an int"),
        (100, math.nan, r"action 'to D': a cost must be a finite number of at least 0, not nan"),
        (100, -0.5, r"action 'to D': a cost must be a finite number of at least 0, not -0.5"),
        (10**9, 2.0, r"a path costs more than 2\^30"),
        (0, 1, r"cost_scale must be an integer from 1 to 1,000,000,000 or 'auto', not 0"),
        ("exact", 1, r"cost_scale must be an integer from 1 to 1,000,000,000 or 'auto', not 'exact'"),
    ],
)
def test_errors_name_the_action_and_what_to_declare(scale: CostScale, cost: Any, message: str) -> None:
    roads = instance(scale, A=[("B", 1), ("D", 3)], B=[("C", 1)], C=[("D", cost)])
    assert re.search(message, str(runner.solve(roads, "ucs").error))


def test_an_automatic_scale_refuses_costs_that_it_cannot_round() -> None:
    far: dict[str, list[tuple[str, float]]] = {
        "A": [("1", 1)], **{str(k): [(str(k + 1), 1)] for k in range(1, 150)}, "150": [("D", 1 / 3)]
    }  # fmt: skip
    roads = instance("auto", **far)
    assert roads.world.engine_scale == 1
    assert "declare a number, for example cost_scale = 1,000,000" in str(runner.solve(roads, "ucs").error)


def test_values_are_rounded_where_the_automatic_scale_is_1() -> None:
    roads = instance("auto", A=[("B", 1), ("D", 4)], B=[("C", 1)])
    assert roads.world.engine_scale == 1
    result = runner.solve(roads, "astar", ["air line of tests"])
    assert (result.status, result.cost, result.initial_h, result.bound) == ("solved", 3, 2, 1)


def test_a_world_with_unit_costs_has_no_scale() -> None:
    class Wrong(Roads):
        unit_costs = True

    with pytest.raises(ValueError, match="a world with unit_costs has no cost_scale"):
        Instance(Wrong(), "wrong").problem()


def test_audits_of_algorithms_compare_exact_costs() -> None:
    assert runner.audit([instance(100)], ["air line of tests"], algorithm="astar").broken == []
