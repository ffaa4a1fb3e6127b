"""Sources of caves: suites, random caves and files."""

from __future__ import annotations

import random

import pytest

import runner
from runner.base.errors import UserError
from tests.loaded import load
from worlds.wumpus.rules import Cave
from worlds.wumpus.sources import classic, unibz
from worlds.wumpus.world import CaveWorld


def test_the_default_suite_holds_the_seven_unibz_caves() -> None:
    caves = load(CaveWorld, "wumpus/static")
    assert [cave.id for cave in caves] == [f"unibz_w{n}" for n in range(1, 8)]
    assert caves[0].world.cave == Cave((10, 10), (0, 0), "N", (5, 5), (0, 0), (0, 9))


def test_each_size_has_its_own_caves() -> None:
    caves = load(CaveWorld, "wumpus/random", count=2, size=[4, "5x3"])
    assert [cave.world.cave.size for cave in caves] == [(4, 4), (4, 4), (5, 3), (5, 3)]
    assert len({cave.id for cave in caves}) == 4


def test_classic_caves_never_change() -> None:
    """The same seed must give the same cave in all versions, because published results depend on it."""
    assert classic(4, 4, 0.2, 0) == Cave(
        (4, 4), (0, 0), "N", (1, 1), (0, 0), (2, 2), frozenset({(1, 0), (3, 2), (1, 2), (1, 3)})
    )


def test_classic_caves_have_the_expected_distribution() -> None:
    caves = [classic(5, 5, 0.2, seed) for seed in range(4000)]
    assert all((0, 0) not in {*cave.pits, cave.gold, cave.wumpus} for cave in caves)
    squares = 24 * len(caves)
    assert abs(sum(len(cave.pits) for cave in caves) / squares - 0.2) < 0.01
    for kind in ("gold", "wumpus"):
        corner = sum(getattr(cave, kind) == (4, 4) for cave in caves)
        assert abs(corner / len(caves) - 1 / 24) < 0.012
    assert any(cave.gold in cave.pits for cave in caves)
    assert any(cave.gold == cave.wumpus for cave in caves)


def test_unibz_caves_draw_random_numbers_in_the_specified_order() -> None:
    """The test draws them in the order that the specification lists."""
    for seed in range(50):
        random.seed(seed)
        width, height, found = 5, 4, []
        for _ in range(2):
            square = (random.randint(0, width - 1), random.randint(0, height - 1))
            while square == (0, 0):
                square = (random.randint(0, width - 1), random.randint(0, height - 1))
            found.append(square)
        pits = set()
        for y in range(height):
            for x in range(width):
                if random.random() < 0.3 and (x, y) != (0, 0):
                    pits.add((x, y))
        assert unibz(width, height, 0.3, seed) == Cave((5, 4), (0, 0), "N", found[1], (0, 0), found[0], frozenset(pits))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 0}, "world.size: expected a side"),
        ({"size": 1}, "at least 2 squares"),
        ({"size": 2000}, "1 to 1000"),
        ({"size": "4y5"}, "such as 10, or 8x5"),
        ({"size": []}, "empty"),
        ({"size": [3, 3]}, "listed twice"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load("wumpus/random", **parameters)
