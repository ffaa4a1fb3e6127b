"""Heuristics for caves, compared with naive implementations in random states of random caves."""

from __future__ import annotations

import random

import pytest

import runner
from tests.caves import any_cave, instance, published_kind
from tests.heuristics.wumpus.test_green_team import NAIVE as GREEN_TEAM
from tests.naive import wumpus_heuristics as naive
from tests.stacks import WUMPUS, by_hand
from worlds.interface.instance import Unsolvable
from worlds.wumpus.rules import FACINGS

WITH_TERMS = [name for name in WUMPUS if hasattr(naive, name)]


@pytest.mark.parametrize("name", WITH_TERMS)
def test_values_equal_those_of_the_naive_implementation(name: str) -> None:
    source = random.Random(name)
    naive_value = getattr(naive, name)
    checked, positive = 0, 0
    for number in range(60):
        pits = source.choice([0.15, 0.3, 0.45])
        cave = (
            any_cave(source, source.randint(1, 7), source.randint(2, 7), pits)
            if number % 2
            else published_kind(source, source.randint(3, 7), pits)
        )
        where = instance(cave)
        try:
            bound = by_hand([name]).prepare(where.problem())
        except Unsolvable:
            assert runner.solve(where, "ucs").status == "unsolvable"
            continue
        for _ in range(60):
            square = source.randrange(cave.size[0]), source.randrange(cave.size[1])
            if not cave.is_open(square):
                continue
            facing, gold = source.choice(FACINGS), source.random() < 0.5
            wumpus = cave.wumpus is not None and source.random() < 0.5
            state = where.world.state(location=square, facing=facing, gold=gold, wumpus=wumpus)
            expected = naive_value(cave, square, facing, gold, wumpus)
            assert bound.evaluate(state) == expected, (cave, square, facing, gold, wumpus)
            checked += 1
            positive += expected > 0
    assert checked > 750
    assert positive > 15


def test_every_heuristic_is_compared() -> None:
    assert {*WITH_TERMS, *(name.split()[0] for name in GREEN_TEAM), "area_pruning"} == {*WUMPUS}
