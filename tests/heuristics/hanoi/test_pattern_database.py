"""Pattern databases of the Tower of Hanoi: against sets of states, and against published expansions."""

from __future__ import annotations

import random
from dataclasses import replace
from statistics import mean
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from runner.base.own_places import ROOT
from runner.config.cell import sections
from tests.naive.frontier import levels
from worlds.hanoi import Hanoi
from worlds.interface.instance import Instance

INSTANCES = ROOT / "runner" / "features" / "atlas" / "siag2025_hanoi" / "towers.txt"


def naive(world: Hanoi, state: tuple[int, ...], target: tuple[int, ...], groups: list[list[int]]) -> int:
    """Add up the distances of the groups, each on pegs of its own."""
    total = 0
    for group in groups:
        alone, goal = (tuple(pegs[disk - 1] for disk in group) for pegs in (state, target))
        found = levels(replace(world, start=alone, goal=goal))
        total += next(depth for depth, level in enumerate(found) if alone in level)
    return total


@pytest.mark.parametrize(
    ("disks", "pegs", "partition", "groups"),
    [
        (5, 3, "3-2", [[3, 4, 5], [1, 2]]),
        (5, 4, "auto", [[3, 4, 5], [1, 2]]),
        (4, 5, [[1, 4], [2, 3]], [[1, 4], [2, 3]]),
        (1, 3, "auto", [[1]]),
        (4, 3, 4, [[1, 2, 3, 4]]),
    ],
)
def test_values_are_the_distances_of_the_groups(disks: int, pegs: int, partition: Any, groups: list[list[int]]) -> None:
    source = random.Random(disks)
    start, goal, *states = [tuple(source.randrange(pegs) for _ in range(disks)) for _ in range(10)]
    world = Hanoi(start, goal, pegs)
    stack = sections.stack_of("hanoi", {"stack": [{"name": "pattern_database", "partition": partition}]})
    bound = stack.prepare(Instance(world, "any").problem())
    backward = stack.prepare_backward(bound.problem)
    for state in states:
        assert bound.evaluate(bound.problem.pack(state)) == naive(world, state, goal, groups)
        assert backward.evaluate(bound.problem.pack(state)) == naive(world, state, start, groups)


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        ("6-5", "'6-5' is no partition of 12 disks; expected sizes of groups such as 6-6"),
        ("many", "'many' is no partition"),
        ([[1, 2], [4]], "expected each of the disks 1 to 12 once, in groups"),
    ],
)
def test_wrong_partitions_are_refused(partition: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.solve(
            runner.load("hanoi/random", disks=12, count=1)[0],
            "astar",
            [{"name": "pattern_database", "partition": partition}],
        )
    with pytest.raises(UserError, match="use smaller groups"):
        runner.heuristic(runner.load("hanoi/tower", disks=9)[0], [{"name": "pattern_database", "partition": 9}])


@pytest.mark.long
@pytest.mark.parametrize(("partition", "thousands"), [("6-6", 3239), ("8-4", 1925), ("10-2", 276)])
def test_expansions_are_the_published_ones(partition: str, thousands: int) -> None:
    """Mean expansions of A* before the last layer of 50 towers of 12 disks (Siag and Shperberg, AIJ 348, 2025)."""
    results = [
        runner.solve(each, "astar", [{"name": "pattern_database", "partition": partition}])
        for each in runner.load("hanoi/file", path=str(INSTANCES))
    ]
    assert round(mean(result.expanded_before_last_layer or 0 for result in results) / 1000) == thousands
