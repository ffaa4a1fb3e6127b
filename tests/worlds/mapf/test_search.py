"""Joint search of several agents: the kernels follow the rules, and A* finds the known costs."""

from __future__ import annotations

import random
from typing import Any

import pytest

import runner
from tests.loaded import load as load_all
from tests.teams import any_instance
from worlds.mapf.sources import SUITES
from worlds.mapf.world import MapfInstance, MapfWorld

BENCHMARK = str(SUITES / "benchmark" / "empty-8-8-random-1.scen")


def load(world: str, **parameters: Any) -> list[MapfInstance]:
    return load_all(MapfWorld, f"mapf/{world}", **parameters)


@pytest.mark.parametrize("agents", [1, 2, 3, 4])
def test_kernels_have_the_steps_of_the_rules_in_their_order(agents: int) -> None:
    source = random.Random(agents)
    for _ in range(12):
        instance = any_instance(source, agents)
        if instance.world.proof_of_unsolvability():
            continue
        world, problem = instance.world, instance.problem()
        state = world.initial()
        for _ in range(6):
            steps = list(world.successors(state))
            packed = problem.successors(world.pack(state))
            assert [world.name_of(None, code) for _, _, code in packed] == [action for action, _, _ in steps]
            assert [(problem.unpack(after), cost) for after, cost, _ in packed] == [
                (after, cost) for _, after, cost in steps
            ]
            state = source.choice(steps)[1]


def optimum(instance: MapfInstance) -> tuple[str, float | None]:
    result = runner.solve(instance, "astar", "distances")
    assert result.valid is not False
    return result.status, result.cost


def test_joint_astar_finds_the_published_costs() -> None:
    found = [optimum(each) for each in load("scenario", path=BENCHMARK, agents=[2, 4])]
    assert found == [("solved", 10), ("solved", 22)]


@pytest.mark.parametrize(
    ("objective", "costs"),
    [
        ("sum_of_costs", {"bay": 11, "blocked_way": 6, "corridor": None, "rotation": 4, "swap": 7}),
        ("makespan", {"bay": 6, "blocked_way": 3, "corridor": None, "rotation": 1, "swap": 4}),
    ],
)
def test_the_tiny_suite_has_known_costs(objective: str, costs: dict[str, int | None]) -> None:
    for each in load("static", objective=objective):
        cost = costs.pop(each.id)
        assert optimum(each) == ("unsolvable" if cost is None else "solved", cost)
    assert costs == {}


@pytest.mark.parametrize("objective", ["sum_of_costs", "makespan"])
def test_suboptimal_joint_paths_cost_what_their_plans_cost(objective: str) -> None:
    for each in load("all", width=2, height=2, objective=objective):
        best = optimum(each)
        for algorithm in ("beam", "greedy"):
            result = runner.solve(each, algorithm, "distances")
            assert (result.status, result.valid) == (best[0], True if best[0] == "solved" else None)
            assert result.cost is None or result.cost >= (best[1] or 0)


def test_the_rules_of_many_agents_validate_but_are_not_searched() -> None:
    (instance,) = load("static", suite="benchmark")
    assert instance.world.agents == 32
    with pytest.raises(runner.UserError, match="astar"):
        runner.solve(instance, "astar", "distances")
