"""The heuristic for the number of steps to a goal of `ees` and `focal`, and the dynamic variant of `focal`."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import runner
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.graphs import plain
from tests.loaded import kernels_of
from tests.naive.bounded_suboptimal import bounded_suboptimal
from worlds.interface.instance import Instance

NAMES = ["ees", "focal"]
GRIDS: list[dict[str, Any]] = [
    {}, {"diagonal": 1.5}, {"weights": {".": 2, "T": 3}}, {"directions": 4, "weights": {".": 1.5}},
]  # fmt: skip


def gaps(stack: tuple[int, ...]) -> int:
    return sum(abs(one - other) > 1 for one, other in zip(stack, (*stack[1:], len(stack)), strict=True))


def compared(instance: Instance, name: str, heuristic: str, distance: Any, weight: float = 1.2) -> dict[str, Any]:
    """Compare a search with the naive one, where `distance` is a function of a described state."""
    bound = sections.stack_of_entries(instance.world.domain, [heuristic]).prepare(instance.problem())
    p = plain(bound)

    def steps(state: bytes) -> float:
        return float(distance(bound.problem.unpack(np.frombuffer(bytearray(state), np.uint64))))

    expected = bounded_suboptimal(p.initial, p.successors, p.is_goal, p.h, name, weight, distance=steps)
    found = runner.solve(instance, {"name": name, "weight": weight}, [heuristic])
    counts = {key: getattr(found, key) for key in ("status", "expanded", "generated", "reopened")}
    assert counts == {key: expected[key] for key in counts}
    return expected


@pytest.mark.parametrize("count", [2, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("costs", ["length", "heavy"])
def test_the_steps_of_pancakes_are_their_gaps(name: str, costs: str, count: int) -> None:
    """The searches with the smaller weight are large enough for the node store to grow."""
    differs = 0
    instances = runner.load("pancake/random", size=7, count=count, costs=costs)
    for instance, weight in zip(instances, [1.02, 1.3] * (count // 2), strict=True):
        expected = compared(instance, name, "gap", gaps, weight)
        p = plain(sections.stack_of_entries("pancake", ["gap"]).prepare(instance.problem()))
        differs += expected != bounded_suboptimal(p.initial, p.successors, p.is_goal, p.h, name, weight)
    assert (differs > 0) == (costs == "heavy")  # a gap costs 2 with "length", which changes no order


@pytest.mark.parametrize("name", NAMES)
def test_the_steps_on_a_map_are_the_larger_difference(name: str) -> None:
    for instance in runner.load("gridmap/random", size=20, count=5):
        world: Any = instance.world
        goal = world.goal
        compared(instance, name, "octile", lambda cell, goal=goal: max(abs(cell[0] - goal[0]), abs(cell[1] - goal[1])))


def with_other_costs() -> list[Instance]:
    grids = [runner.load("gridmap/random", size=9, count=1, **each)[0] for each in GRIDS]
    pancakes = [runner.load("pancake/random", size=6, count=1, costs=each)[0] for each in ("length", "heavy")]
    tasks = [each for each in runner.load("pddl/static") if each.id in ("kitchen#dinner", "sokoban#one_box")]
    return [*grids, *pancakes, *tasks]


def test_worlds_with_unit_costs_have_the_same_steps() -> None:
    for instance in with_other_costs():
        unit = kernels_of(instance.world).with_unit_costs()
        assert unit is not None
        problem, other = instance.problem(), Instance(unit, "unit").problem()
        state, source, costs = problem.initial, random.Random(instance.id), set()
        assert (other.initial == state).all()
        for _ in range(30):
            steps, of_unit = problem.successors(state), other.successors(state)
            assert [(after.tobytes(), code) for after, _, code in steps] == [
                (after.tobytes(), code) for after, _, code in of_unit
            ]
            costs |= {cost for _, cost, _ in of_unit}
            if steps:
                state = source.choice(steps)[0].copy()
        assert len(costs) == 1, instance.source


def test_a_chosen_heuristic_estimates_the_steps() -> None:
    board = runner.load("npuzzle/random", size="3x3", count=1)[0]
    plain_search = runner.solve(board, "ees", ["manhattan"])
    same = runner.solve(board, {"name": "ees", "distance": "manhattan"}, ["manhattan"])
    other = runner.solve(board, {"name": "ees", "distance": ["misplaced"]}, ["manhattan"])
    assert (same.expanded, same.bound) == (plain_search.expanded, plain_search.bound)
    assert other.expanded != same.expanded
    assert (other.status, other.parameters) == ("solved", 'distance=["misplaced"]')
    assert 1 <= (other.bound or math.inf) <= 1.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"distance": "manhatan"}, "algorithm.distance: npuzzle has no heuristic 'manhatan'; did you mean 'manhattan'"),
        ({"distance": ["manhattan", "x"]}, "algorithm.distance[1]: npuzzle has no heuristic 'x'"),
        ({"distance": [{"name": "manhattan", "k": 3}]}, "algorithm.distance[0].k: unknown parameter of heuristic"),
        ({"distance": 3}, "algorithm.distance: expected str | list | null, got int"),
        ({"distance": []}, "algorithm.distance: expected a heuristic, or null for the one of h"),
        ({"distance": "none"}, "algorithm.distance: expected a heuristic, or null for the one of h"),
        ({"distance": "manhattan", "dynamic": True}, "algorithm.distance: not used with algorithm.dynamic=true"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], message: str) -> None:
    board = runner.load("npuzzle/random", count=1)[0]
    with pytest.raises(UserError) as caught:
        runner.solve(board, {"name": "focal", **given}, ["manhattan"])
    assert str(caught.value).startswith(message)


def test_the_dynamic_variant_of_focal_search_is_dynamic_potential_search() -> None:
    board = runner.load("npuzzle/random", size="3x3", count=1)[0]
    dynamic = runner.solve(board, {"name": "focal", "dynamic": True, "weight": 1.3}, ["manhattan"])
    potential = runner.solve(board, {"name": "dps", "weight": 1.3}, ["manhattan"])
    assert (dynamic.algorithm, dynamic.run_id, dynamic.expanded) == ("dps", potential.run_id, potential.expanded)
