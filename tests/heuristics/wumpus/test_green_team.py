"""Heuristics of the Green team and corrected ones: published values and claims, and naive implementations."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from tests.caves import any_cave, instance
from tests.loaded import load
from tests.naive import green_team as naive
from tests.sampling import covering
from worlds.wumpus import formats
from worlds.wumpus.rules import FACINGS, Cave, Square
from worlds.wumpus.world import CaveWorld

DATA = Path(__file__).parents[2] / "data"
Entry = str | Mapping[str, Any]
PUBLISHED: dict[str, Entry] = {
    "manhattan": {"name": "plain_manhattan"},
    "manhattan_orientation": "manhattan_orientation",
    "best_neighbour": {"name": "best_neighbour", "as_published": True},
    "smart_manhattan": {"name": "smart_manhattan", "as_published": True},
    "best_neighbour_smart_manhattan": {"name": "best_neighbour_smart_manhattan", "as_published": True},
}

VARIANTS: dict[str, dict[str, bool]] = {
    "document": {},
    "corrected": {"corrected": True},
    "published": {"as_published": True},
}


def table(name: str) -> list[dict[str, str]]:
    with open(DATA / name, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@covering({"name": PUBLISHED, "formulation": ["primitive", "cardinal"]})
def test_values_equal_the_published_ones(name: str, formulation: str) -> None:
    """The table has all states of the 36 caves with at most one wumpus."""
    where, h, checked = {}, {}, 0
    for row in table("green_team_worlds.csv"):
        if int(row["n_wumpus"]) < 2:
            cave = formats.parse_mapping(json.loads(row["json"]), UserError)[1]
            where[row["world_id"]] = instance(cave, formulation)
            h[row["world_id"]] = runner.heuristic(instance(cave, formulation), [PUBLISHED[name]])
    for row in table("green_team_heuristics.csv"):
        if row["world_id"] not in where:
            continue
        state = where[row["world_id"]].world.state(
            location=(int(row["x"]), int(row["y"])),
            facing=row["orientation"],
            gold=row["gold_locations"] == "[]",
            wumpus=row["wumpus_locations"] != "[]",
            arrow=row["arrow"] == "1",
            climbed_out=row["climbed"] == "1",
        )
        assert h[row["world_id"]](state) == int(row[f"h_{name}"]), row
        checked += 1
    assert checked == 1376


@pytest.mark.parametrize("pruning", ["none", "effective", "best"])
def test_ucs_and_astar_find_the_published_optimal_costs(pruning: str) -> None:
    """A* uses admissible heuristics. The caves are the 36 with at most one wumpus."""
    for row in table("green_team_worlds.csv"):
        if int(row["n_wumpus"]) > 1:
            continue
        where = instance(formats.parse_mapping(json.loads(row["json"]), UserError)[1], "primitive", pruning)
        searches: list[tuple[str, list[str]]] = [
            ("ucs", []), ("astar", ["best_neighbour"]), ("astar", ["relaxed_shot"]),
        ]  # fmt: skip
        for algorithm, heuristic in searches:
            result = runner.solve(where, algorithm, heuristic)
            assert result.cost == (int(row["optimal_cost"]) if row["optimal_cost"] else None), row["world_id"]


NAIVE: dict[str, tuple[Entry, Callable[..., float]]] = {
    "plain_manhattan": ("plain_manhattan", naive.plain_manhattan),
    "manhattan_orientation": ("manhattan_orientation", naive.manhattan_orientation),
    "best_neighbour": ("best_neighbour", naive.best_neighbour),
    "relaxed": ("relaxed", naive.relaxed),
    "relaxed_shot": ("relaxed_shot", naive.relaxed_shot),
    **{
        f"{function.__name__} {variant}": (
            {"name": function.__name__, **parameters},
            partial(function, variant=variant),
        )
        for function in (naive.smart_manhattan, naive.best_neighbour_smart_manhattan)
        for variant, parameters in VARIANTS.items()
    },
}


@pytest.mark.parametrize("name", NAIVE)
def test_values_equal_those_of_the_naive_implementation(name: str) -> None:
    source = random.Random(name)
    entry, naive_value = NAIVE[name]
    checked = 0
    for _ in range(40):
        cave = any_cave(source, source.randint(1, 7), source.randint(2, 7), source.choice([0.1, 0.3, 0.5]))
        where = instance(cave, source.choice(["primitive", "cardinal"]))
        h = runner.heuristic(where, [entry])
        for _ in range(40):
            square = source.randrange(cave.size[0]), source.randrange(cave.size[1])
            if not naive.free(cave, square):
                continue
            facing, gold = source.choice(FACINGS), source.random() < 0.5
            wumpus = cave.wumpus not in (None, square) and source.random() < 0.5
            arrow = not wumpus or source.random() < 0.7
            state = where.world.state(location=square, facing=facing, gold=gold, wumpus=wumpus, arrow=arrow)
            more = {"arrow": arrow} if name == "relaxed_shot" else {}
            expected = naive_value(cave, square, facing, gold, wumpus, **more)
            assert h(state) == expected, (cave, square, facing, gold, wumpus)
            checked += 1
    assert checked > 600


@pytest.mark.parametrize("side", [5, 52, 60])
def test_smart_manhattan_recognises_a_staircase_as_a_path(side: int) -> None:
    """It is the only path and turns in every square. The value counts at most 3 turns, or 4 if corrected."""
    free = {(i, i) for i in range(side)} | {(i + 1, i) for i in range(side - 1)}
    walls = frozenset((x, y) for x in range(side) for y in range(side)) - free
    cave = Cave((side, side), (0, 0), "N", (0, 0), (0, 0), None, walls)
    start = (side - 1, side - 1)
    where = instance(cave, "primitive")
    for variant, turns in (("document", 3), ("corrected", 4)):
        h = runner.heuristic(where, [{"name": "smart_manhattan", **VARIANTS[variant]}])
        assert h(where.world.state(start, "S", gold=True)) == 1 + 2 * (side - 1) + turns


def test_relaxed_shot_avoids_the_wumpus_without_an_arrow() -> None:
    """The only path to the gold leads through the wumpus."""
    cave = Cave((3, 1), (0, 0), "E", (2, 0), (0, 0), (1, 0))
    h = runner.heuristic(instance(cave), ["relaxed_shot"])
    where = instance(cave, "primitive", "none")
    assert h(where.world.state((0, 0), "E")) == 10 + h(where.world.state((0, 0), "E", wumpus=False)) == 18
    assert h(where.world.state((0, 0), "E", arrow=False)) == float("inf")
    assert runner.heuristic(where, ["relaxed"])(where.world.state((0, 0), "E", arrow=False)) == 8


def test_as_published_and_corrected_exclude_each_other() -> None:
    for name in ("smart_manhattan", "best_neighbour_smart_manhattan"):
        with pytest.raises(UserError, match=f"heuristic.corrected: {name} as published is not corrected"):
            runner.heuristic(instance(Cave((2, 1), (0, 0), "E", (1, 0), (0, 0))), [
                {"name": name, "as_published": True, "corrected": True}
            ])  # fmt: skip


def test_the_eight_caves_of_the_suite_fit_their_descriptions() -> None:
    """Empty; a wumpus; unsolvable; pits; wumpus on the gold; wumpus must be killed; better avoided; better killed."""
    found = load(CaveWorld, "wumpus/static", suite="green_team", formulation="primitive")
    results = [runner.solve(cave, "ucs") for cave in found]
    shoots = [result.plan is not None and "SHOOT" in result.plan for result in results]
    assert shoots == [False, False, False, False, True, True, False, True]
    assert [result.status for result in results].count("unsolvable") == 1
    assert results[2].status == "unsolvable"
    caves = [each.world.cave for each in found]
    assert [cave.wumpus is None for cave in caves][:2] == [True, False]
    assert not caves[0].pits | caves[1].pits | caves[0].blocks | caves[1].blocks
    assert len(caves[3].pits) > 10
    assert caves[4].wumpus == caves[4].gold
    costs = [costs_around_and_without_wumpus(cave) for cave in caves]
    avoided, ignored = costs[5]
    assert avoided == math.inf
    avoided, ignored = costs[6]
    assert ignored < avoided < ignored + 10
    avoided, ignored = costs[7]
    assert ignored + 10 < avoided < math.inf


def costs_around_and_without_wumpus(cave: Cave) -> tuple[float, float]:
    """Return the cost of an optimal plan around the wumpus, and in the cave without it."""
    around, without = (naive.cheapest(cave, cave.hunter, cave.facing, False, wall) for wall in (cave.wumpus, None))
    return around, without


def value_and_cost(cave: Cave, square: Square, facing: str, entry: Entry) -> tuple[float, float | None]:
    """Return the value of a heuristic and the cost of an optimal plan."""
    at = Cave(cave.size, square, facing, cave.gold, cave.exit, cave.wumpus, cave.pits, cave.blocks)
    where = instance(at, "primitive")
    return runner.heuristic(where, [entry])(where.world.state(square, facing)), runner.solve(where, "ucs").cost


@pytest.mark.parametrize("as_published", [False, True])
def test_heuristics_of_the_document_overestimate_in_small_caves(as_published: bool) -> None:
    """The document uses them for A*, which needs admissible heuristics."""
    smart = {"name": "smart_manhattan", "as_published": as_published}
    pit = Cave((3, 2), (0, 0), "N", (0, 0), (0, 0), None, frozenset({(1, 0)}))
    assert value_and_cost(pit, (2, 0), "N", smart) == (9, 8)
    assert value_and_cost(pit, (2, 0), "N", {"name": "smart_manhattan", "corrected": True}) == (8, 8)
    best = {"name": "best_neighbour_smart_manhattan", "as_published": as_published}
    corridor = Cave((1, 3), (0, 2), "N", (0, 0), (0, 1), (0, 1))
    assert value_and_cost(corridor, (0, 2), "N", best) == (27, 19)
    corrected = {"name": "best_neighbour_smart_manhattan", "corrected": True}
    assert value_and_cost(corridor, (0, 2), "N", corrected) == (17, 19)


def test_best_neighbour_as_published_is_not_consistent_without_free_neighbours() -> None:
    """GRAB costs 1, but the value drops by 2."""
    cave = Cave((2, 2), (0, 0), "N", (0, 0), (1, 1), None, frozenset({(1, 0), (0, 1)}))
    where = instance(cave, "primitive")
    for as_published, drop in ((True, 2), (False, 1)):
        h = runner.heuristic(where, [{"name": "best_neighbour", "as_published": as_published}])
        assert h(where.world.state((0, 0))) - h(where.world.state((0, 0), gold=True)) == drop
