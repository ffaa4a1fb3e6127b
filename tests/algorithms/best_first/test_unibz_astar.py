"""The A* of the UniBZ group: its published table, and its counts, costs and plans on 47 caves."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import Incompatible, UserError
from tests.algorithms.typed import not_none
from tests.caves import instance
from tests.stacks import documented
from worlds.wumpus import formats
from worlds.wumpus.rules import Cave
from worlds.wumpus.sources import SUITES

DATA = Path(__file__).parents[2] / "data"
STACKS = ("none", "manhattan", "pivots", "obstacle", "iterative_shift", "flood_fill", "area_pruning")


def published(name: str) -> list[str | dict[str, Any]]:
    """Return a documented stack with `as_published` set where a heuristic has it."""
    return [
        {"name": heuristic.registered_name, "as_published": True}
        if hasattr(heuristic, "as_published")
        else heuristic.registered_name
        for heuristic in documented(name).heuristics
    ]


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("name", STACKS)
def test_counts_and_rewards_equal_the_published_table(name: str) -> None:
    caves = {cave.id: cave for cave in runner.load("wumpus/static")}
    for row in rows(SUITES / "unibz" / "unibz_table.csv"):
        if row["heuristic"] == name:
            result = runner.solve(caves[row["cave"]], "unibz_astar", published(name))
            assert (result.simulated_actions, result.reward) == (int(row["explored"]), int(row["reward"]))


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", STACKS)
def test_counts_costs_and_plans_equal_those_of_the_published_program(name: str, step: int) -> None:
    for row in rows(DATA / "unibz_worlds.csv")[::step]:
        _, cave = formats.parse_mapping(json.loads(row["json"]), UserError)
        result = runner.solve(instance(cave), "unibz_astar", published(name))
        assert result.simulated_actions == int(row[f"explored_{name}"])
        assert result.reward == int(row[f"reward_{name}"])
        assert "".join(action[0] for action in not_none(result.plan)) == row[f"actions_{name}"]
        if result.status == "solved":
            assert result.cost == int(row[f"cost_{name}"])
            assert result.valid


def test_it_refuses_the_primitive_formulation() -> None:
    primitive = runner.load("wumpus/static", formulation="primitive")[0]
    with pytest.raises(Incompatible, match="cardinal"):
        runner.solve(primitive, "unibz_astar")


def test_it_misses_the_optimum_under_a_consistent_heuristic() -> None:
    """It ignores the facing when it compares states."""
    cave = instance(Cave((4, 4), (0, 0), "N", (3, 2), (0, 0), (2, 2), frozenset({(1, 1), (3, 0)})))
    assert runner.solve(cave, "unibz_astar", "manhattan").cost == 20
    assert runner.solve(cave, "astar", "manhattan").cost == 19
    (larger,) = runner.load("wumpus/random", size=6, pit_probability=0.3, seed=18980, count=1)
    assert runner.solve(larger, "unibz_astar").cost == 30
    assert runner.solve(larger, "astar").cost == 29
