"""Exhaustive sources: number of instances, no duplicates, and no missing instance."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.loaded import load
from worlds.interface.instance import Instance
from worlds.wumpus.rules import Square
from worlds.wumpus.world import CaveWorld

CaveKey = tuple[Square, "Square | None", frozenset[Square]]

SIZES: list[tuple[str, dict[str, Any], int]] = [
    ("wumpus/all", {"size": "2x1"}, 2 * 2 * 2),
    ("wumpus/all", {"size": 2}, 8 + (4 * 4 * 8 + 2 * 2 * 4) // 2),
    ("wumpus/all", {"size": 2, "mirrored": "all"}, 8 + 8 + 4 * 4 * 8),
    ("wumpus/all", {"size": [3, 2], "pits": 1}, 1268 - 1268 + 8 + 3 * 3 * 3 + (4 * 4 * 4 + 2 * 2 * 2) // 2 + 6 * 6 * 6),
    ("wumpus/all", {"size": 3}, 11_780),
    ("npuzzle/all", {"size": 2}, 12),
    ("npuzzle/all", {"size": [2, 3]}, 360),
    ("npuzzle/all", {"size": "3x2", "goal": "blank_first"}, 360),
    ("snake/all", {"rows": 1, "columns": 3, "candies": 2, "max_capacity": 2}, 2 + 2 * 2 + 4),
    ("snake/all", {"rows": 2, "columns": 2, "candies": 9, "max_capacity": 1}, 1 + 1 + 7),
    ("gridmap/all", {"width": 2, "height": 1}, 4 + 1 + 1),
    ("gridmap/all", {"width": 3, "height": 1, "terrains": "."}, 4 + 9),
    ("gridmap/all", {"width": 2, "height": 2, "terrains": ".W"}, 2 * 4 * 4 + 16 * 16),
    ("gridmap/all", {"width": 2, "height": 1, "terrains": ".T", "weights": {"T": 2}}, 4 * 4),
]


def content(instance: Instance) -> str:
    return repr({key: value for key, value in instance.key().items() if key != "id"})


@pytest.mark.parametrize(("world", "parameters", "count"), SIZES, ids=lambda value: str(value))
def test_instances_have_the_expected_number_and_differ(world: str, parameters: dict[str, Any], count: int) -> None:
    source = sections.source_of({"name": world, **parameters})
    instances = list(source.instances())
    assert len(source) == len(instances) == count
    assert len({instance.id for instance in instances}) == count
    assert len(set(map(content, instances))) == count
    assert list(source.samples())
    assert source.exhaustive


def test_other_sources_are_not_exhaustive() -> None:
    assert sections.source_of({"name": "wumpus/random"}).exhaustive is None


def test_of_each_small_cave_and_its_mirror_image_exactly_one_is_listed() -> None:
    def key(gold: Square, wumpus: Square | None, pits: Iterable[Square]) -> CaveKey:
        return gold, wumpus, frozenset(pits)

    def mirror(square: Square) -> Square:
        return square[1], square[0]

    found = {
        key(cave.gold, cave.wumpus, cave.pits)
        for instance in load(CaveWorld, "wumpus/all", size=2)
        if (cave := instance.world.cave).size == (2, 2)
    }
    squares = list(itertools.product(range(2), range(2)))
    for gold, wumpus in itertools.product(squares, [None, *squares[1:]]):
        for count in range(4):
            for pits in itertools.combinations(squares[1:], count):
                this = key(gold, wumpus, pits)
                other = key(mirror(gold), None if wumpus is None else mirror(wumpus), map(mirror, pits))
                assert this in found or other in found
                assert (this in found) + (other in found) == 1 + (this == other)


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("wumpus/all", {"size": 7}, "world.size: expected sides up to 6"),
        ("wumpus/all", {"size": 1}, "world.size: a random cave needs|at least 2 squares"),
        ("wumpus/all", {"size": [3]}, r"world.size: expected \[width, height\]"),
        ("wumpus/all", {"size": [3, 3, 3]}, r"world.size: expected \[width, height\]"),
        ("wumpus/all", {"pits": -1}, "world.pits"),
        ("npuzzle/all", {"size": 4}, "world.size: expected at most 10 cells"),
        ("npuzzle/all", {"size": 3, "goal": "blank_lst"}, "did you mean 'blank_last'"),
        ("snake/all", {"rows": 5, "columns": 5}, "world.rows: expected boards of 2 to 16 cells"),
        ("snake/all", {"rows": 1, "columns": 1}, "world.rows: expected boards of 2 to 16 cells"),
    ],
)
def test_sizes_out_of_range_are_refused(world: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load(world, **parameters)
