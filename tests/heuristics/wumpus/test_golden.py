"""Published heuristic values and verdicts of the UniBZ document, and independently computed optimal costs."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest

import runner
from heuristics.interface.stack import BoundStack
from heuristics.wumpus.area_pruning import AreaPruning
from runner.base.errors import UserError
from tests.caves import instance
from tests.sampling import covering
from tests.stacks import documented
from worlds.interface.instance import Unsolvable
from worlds.wumpus import formats
from worlds.wumpus.rules import Cave
from worlds.wumpus.search import REGION_RIGHT, REGION_TOP

DATA = Path(__file__).parents[2] / "data"
STACKS = ("none", "manhattan", "pivots", "obstacle", "iterative_shift", "flood_fill", "area_pruning")
ADMISSIBLE: tuple[list[str], ...] = (
    [],
    ["manhattan"],
    ["manhattan", "pivots"],
    ["manhattan", "pivots", "obstacle"],
    ["manhattan", "flood_fill"],
    ["manhattan", "pivots", "flood_fill"],
    ["manhattan", "pivots", "obstacle", "flood_fill"],
)


@cache
def worlds() -> dict[str, dict[str, str]]:
    with open(DATA / "unibz_worlds.csv", encoding="utf-8", newline="") as lines:
        return {row["world_id"]: row for row in csv.DictReader(lines)}


def cave_of(world: str) -> Cave:
    return formats.parse_mapping(json.loads(worlds()[world]["json"]), UserError)[1]


@pytest.mark.parametrize("name", STACKS)
def test_values_equal_the_published_ones(name: str) -> None:
    stack, checked = documented(name, as_published=True), 0
    bounds: dict[str, BoundStack | None] = {}
    with open(DATA / "unibz_heuristics.csv", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            world = row["world_id"]
            where = instance(cave_of(world))
            if world not in bounds:
                try:
                    bounds[world] = stack.prepare(where.problem())
                except Unsolvable:
                    bounds[world] = None
            bound = bounds[world]
            state = where.world.state(
                location=(int(row["x"]), int(row["y"])),
                facing=row["orientation"],
                gold=row["taken_gold"] == "1",
                wumpus=row["killed_wumpus"] == "0",
            )
            value = -1 if bound is None else bound.evaluate(state)
            assert value == int(row[f"h_{name}"]), row
            checked += 1
    assert checked == 1764


@covering({"names": ADMISSIBLE, "formulation": ["cardinal", "primitive"]})
def test_astar_with_admissible_stacks_finds_the_optimal_costs(formulation: str, names: list[str]) -> None:
    for world, row in worlds().items():
        result = runner.solve(instance(cave_of(world), formulation), "astar", names)
        assert (result.cost, result.status) == (
            (int(row["optimal_cost"]), "solved") if row["optimal_cost"] else (None, "unsolvable")
        ), world


def test_pruned_areas_and_unsolvable_caves_equal_the_published_ones() -> None:
    for world, row in worlds().items():
        problem = instance(cave_of(world)).problem()
        smaller = AreaPruning(as_published=True).prepare(problem).constants
        assert f"{smaller[REGION_RIGHT] + 1}x{smaller[REGION_TOP] + 1}" == row["pruned_size"], world
        try:
            documented("flood_fill", as_published=True).prepare(problem)
            impossible = "0"
        except Unsolvable:
            impossible = "1"
        assert impossible == row["impossible_flag"], world
