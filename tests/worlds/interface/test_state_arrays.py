"""Arrays of many states equal what plain Python computes from the states, one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import runner
from heuristics.onnx import DOMAINS
from tests.planning import needs_translator
from worlds.interface import Kernels, StateArrays
from worlds.rubik.rules import FIRST_EDGE_SLOT

Sizes = Callable[[Any, Any], Sequence[int]]
WORLDS: dict[str, tuple[dict[str, Any], Callable[[Any], Sequence[int]], Sizes]] = {
    "gridmap/random": ({"size": "9x7"}, list, lambda world, _: (world.grid.width, world.grid.height)),
    "hanoi/random": ({"disks": 5, "pegs": 4}, list, lambda world, state: [world.pegs] * len(state)),
    "npuzzle/random": ({"size": 3}, list, lambda _, state: [len(state)] * len(state)),
    "npuzzle/random 4": ({"size": 4}, list, lambda _, state: [len(state)] * len(state)),
    "npuzzle/random 3x7": ({"size": "3x7"}, list, lambda _, state: [len(state)] * len(state)),
    "npuzzle/random 9": ({"size": 9}, list, lambda _, state: [len(state)] * len(state)),
    "pancake/random": ({"size": 8}, list, lambda _, state: [len(state)] * len(state)),
    "pancake/random 25": ({"size": 25}, list, lambda _, state: [len(state)] * len(state)),
    "rubik/random": (
        {}, lambda state: [slot - FIRST_EDGE_SLOT * (n >= 8) for n, slot in enumerate(state)], lambda *_: [24] * 20
    ),
    "topspin/random": ({}, list, lambda _, state: [len(state)] * len(state)),
}  # fmt: skip
"""By source: its parameters, the values of a state, and how many values each variable has."""


def walked(world: Kernels, seed: str, steps: int = 60) -> list[Any]:
    """Return the states of a random walk from the start."""
    states, source = [world.initial()], random.Random(seed)
    for _ in range(steps):
        following = [after for _, after, _ in world.successors(states[-1])]
        states.append(source.choice(following or states))
    return states


def arrays_of(world: Kernels, states: Sequence[Any]) -> StateArrays:
    found = world.describe_all(np.array([world.packed(state) for state in states]))
    assert isinstance(found, StateArrays)
    return found


def naive_one_hot(values: Sequence[int], sizes: Sequence[int]) -> list[int]:
    return [int(value == each) for value, size in zip(values, sizes, strict=True) for each in range(size)]


def loaded(name: str, **parameters: Any) -> list[Kernels]:
    found = [each.world.kernels for each in runner.load(name.partition(" ")[0], **parameters)]
    return [each for each in found if each is not None]


@pytest.mark.parametrize("name", WORLDS)
def test_arrays_are_those_of_single_states(name: str) -> None:
    parameters, values_of, sizes_of = WORLDS[name]
    for world in loaded(name, count=3, seed=5, **parameters):
        states = walked(world, name)
        arrays = arrays_of(world, states)
        expected = [list(values_of(state)) for state in states]
        sizes = sizes_of(world, states[0])
        assert arrays.values.tolist() == expected
        assert arrays.one_hot.tolist() == [naive_one_hot(values, sizes) for values in expected]
        assert (str(arrays.values.dtype), str(arrays.one_hot.dtype)) == ("int64", "uint8")
        assert list(arrays) == [arrays[n] for n in range(len(arrays))] == states
        assert (list(arrays[1:4]), arrays[1:4].values.tolist()) == (states[1:4], expected[1:4])
        assert np.array_equal(np.array(arrays), np.array(states))
        assert len(arrays_of(world, states[:1]).values) == 1
        assert repr(arrays) == repr(states)


@needs_translator
def test_facts_of_planning_are_those_that_hold() -> None:
    for world in loaded("pddl/static")[:4]:
        states: Any = arrays_of(world, walked(world, "facts"))
        names = world.fact_table.names  # type: ignore[attr-defined]
        for state, facts in zip(states, states.facts, strict=True):
            assert {names[number] for number in np.flatnonzero(facts)} == {*state.values()}
        assert np.array_equal(states.facts, states.one_hot)


def test_images_show_obstacles_cell_and_goal() -> None:
    for world in loaded("gridmap/random", count=3, size="9x7"):
        grid, goal = world.grid, world.goal  # type: ignore[attr-defined]
        states: Any = arrays_of(world, walked(world, "image"))
        for state, image in zip(states, states.image, strict=True):
            cells = [[(x, y) for x in range(grid.width)] for y in range(grid.height)]
            planes = [
                [[grid.rows[y][x] not in ".GSW" for x, y in row] for row in cells],
                [[cell == state for cell in row] for row in cells],
                [[cell == goal for cell in row] for row in cells],
            ]
            assert image.tolist() == planes


def test_the_domains_with_arrays_are_those_of_onnx() -> None:
    for domain in DOMAINS:
        source = {"pddl": "pddl/static", "pacman": "pacman/static"}.get(domain, f"{domain}/random")
        assert loaded(source)[0].first_values.size > 1, domain
    for source in ("road/random", "snake/random", "wumpus/static"):
        assert loaded(source)[0].first_values.size == 1, source
