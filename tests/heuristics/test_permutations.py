"""Pattern databases of pancakes and TopSpin against sets of placements."""

from __future__ import annotations

import random
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from runner.config.cell import sections
from worlds.interface.instance import Instance
from worlds.pancake import Pancakes
from worlds.permutations.world import PermutationWorld
from worlds.topspin import TopSpin


def naive(world: PermutationWorld, group: list[int], target: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return the distance of each placement of a group, as the place of each of its items."""
    distance = {tuple(target.index(item) for item in group): 0}
    for places, depth in (queue := list(distance.items())):
        for move in world.moves:
            after = tuple(move[place] for place in places)
            if after not in distance:
                distance[after] = depth + 1
                queue.append((after, depth + 1))
    return distance


@pytest.mark.parametrize(
    ("world", "partition", "groups"),
    [
        (Pancakes((2, 0, 1)), "auto", [[0, 1, 2]]),
        (Pancakes((3, 1, 0, 5, 2, 4)), "2-3", [[0, 1], [2, 3, 4]]),
        (TopSpin((3, 1, 0, 5, 2, 4), 4), [[5, 0], [1, 2, 4]], [[5, 0], [1, 2, 4]]),
        (Pancakes(tuple(reversed(range(22)))), 2, [[0, 1]]),
        (TopSpin((*range(1, 30), 0), 10), "1-2", [[0], [1, 2]]),
    ],
)
def test_values_are_the_largest_distance_of_a_group(
    world: PermutationWorld, partition: Any, groups: list[list[int]]
) -> None:
    source = random.Random(str(partition))
    stack = sections.stack_of(world.domain, {"stack": [{"name": "pattern_database", "partition": partition}]})
    bound = stack.prepare(Instance(world, "any").problem())
    for target, term in ((world.goal, bound), (world.initial(), stack.prepare_backward(bound.problem))):
        tables = [naive(world, group, target) for group in groups]
        for _ in range(20):
            state = tuple(source.sample(world.goal, len(world.goal)))
            values = [
                table[tuple(state.index(item) for item in group)] for table, group in zip(tables, groups, strict=True)
            ]
            assert term.evaluate(bound.problem.pack(state)) == max(values)


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        ("8-5", "'8-5' gives no groups of 12 items; expected sizes such as 6-6, lists of items, or auto"),
        ([[1, 1]], "expected groups of the items 0 to 11, each once in a group"),
        ([], "expected groups of 1 to 10 items"),
        (11, "got one of 11 of 12 items"),
    ],
)
def test_wrong_groups_are_refused(partition: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.heuristic(
            runner.load("topspin/random", count=1)[0], [{"name": "pattern_database", "partition": partition}]
        )
