"""Declared properties in all states and steps of all caves up to 3x3, and of thousands of larger random caves."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import Stack
from tests.caves import any_cave, distances, instance, reachable
from tests.heuristics.wumpus.every_cave import INFINITY, Space, caves, packed_states, values
from tests.stacks import COMPLETE, by_hand
from worlds.wumpus.rules import Cave

CORRECTED: list[dict[str, Any]] = [
    {"name": "smart_manhattan", "corrected": True},
    {"name": "best_neighbour_smart_manhattan", "corrected": True},
]
ENTRIES: list[str | dict[str, Any]] = ["manhattan", "plain_manhattan", *COMPLETE, *CORRECTED]
DECLARED = [by_hand([entry]) for entry in ENTRIES]
SIZES: list[Any] = [*((1, n) for n in range(1, 4)), *((n, 1) for n in range(2, 4)), (2, 2)]
SIZES += [
    pytest.param(size, marks=pytest.mark.long)
    for size in ((1, 4), (4, 1), (2, 3), (3, 2), (1, 5), (5, 1), (1, 6), (6, 1))
]


def check(found: list[Cave], stacks: list[Stack]) -> None:
    """Fail if a declared property of a stack does not hold in one of the caves."""
    space = Space(found)
    h_star = space.h_star()
    for stack in stacks:
        h = np.zeros(h_star.shape, np.int64)
        for row, cave in enumerate(found):
            bound = stack.prepare(instance(cave, "primitive").problem())
            h[row] = values(bound, packed_states(cave)).reshape(h_star.shape[1:])
        too_much = space.valid & (h > h_star)
        if stack.admissible:
            assert not too_much.any(), (stack, found[int(np.argmax(too_much.any(axis=(1, 2, 3, 4))))])
        if stack.consistent:
            drops = space.valid & (h > space.best_after(h))
            assert not drops.any(), (stack, found[int(np.argmax(drops.any(axis=(1, 2, 3, 4))))])


def test_the_exact_costs_equal_those_of_a_backward_search() -> None:
    source = random.Random(2)
    some = source.sample(list(caves(2, 3, "pits")), 30) + source.sample(list(caves(2, 3, "blocks")), 30)
    space, compared = Space(some), 0
    h_star = space.h_star()
    for row, cave in enumerate(some):
        if cave.wumpus in (None, cave.hunter) or cave.hunter in cave.pits:
            continue
        successors = reachable(instance(cave, "primitive", "none").problem())
        wanted = distances(successors)
        by_state = dict(zip(packed_states(cave).tolist(), h_star[row].ravel().tolist(), strict=True))
        for state in successors.keys() & by_state.keys():
            assert by_state[state] == wanted.get(state, INFINITY), cave
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize("obstacles", ["pits", "blocks"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_declared_properties_hold_in_every_small_cave(size: tuple[int, int], obstacles: str) -> None:
    check(list(caves(*size, obstacles)), DECLARED)


@pytest.mark.parametrize("count", [50, pytest.param(700, marks=pytest.mark.long)])
@pytest.mark.parametrize("size", [(3, 3), (4, 4), (5, 3), (6, 5), (1, 9), (9, 1)], ids=str)
def test_declared_properties_hold_in_random_caves(size: tuple[int, int], count: int) -> None:
    """The caves have both pits and blocks."""
    source = random.Random(str(size))
    check([any_cave(source, *size, source.choice([0.1, 0.3]), source.choice([0, 0.2])) for _ in range(count)], DECLARED)


@pytest.mark.long
@pytest.mark.parametrize("obstacles", ["pits", "blocks"])
def test_declared_properties_hold_in_every_cave_of_nine_squares(obstacles: str) -> None:
    """Checks a hundred thousand caves with pits or with blocks, which takes minutes."""
    every = caves(3, 3, obstacles)
    while some := list(itertools.islice(every, 4000)):
        check(some, DECLARED)


def test_every_heuristic_is_checked_here_or_in_test_properties() -> None:
    names = {h.registered_name for stack in DECLARED for h in stack.heuristics}
    elsewhere = {"pivots", "obstacle", "iterative_shift", "flood_fill", "area_pruning"}  # in test_properties
    assert names | elsewhere == set(HEURISTICS.names(domain="wumpus"))
