"""LaCAM makes the plans of its slow twin and is complete; LaCAM* is optimal, compared with A* over joint states."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import runner
from algorithms.engine.search import StepStatus
from algorithms.mapf.joint_exploration import JointExploration
from heuristics.interface.stack import Stack
from tests.algorithms.mapf.teams import UNSOLVABLE, any_teams, team
from tests.naive.mapf import NaiveTeam, lacam
from worlds.mapf.rules import Objective
from worlds.mapf.world import MapfInstance

LIMIT = 300


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("agents", [3, 8])
def test_plans_are_those_of_the_slow_twin(agents: int, swap: bool) -> None:
    constraints = 0
    swaps = 0
    for number, instance in enumerate(any_teams(agents, 24, agents, 40, largest=7)):
        world = instance.world
        if world.proof_of_unsolvability() is not None or len(world.roadmap.cells) < 2 * agents:
            continue
        twin = NaiveTeam(world.grid, world.starts, world.targets, number, swap)
        path, tried = lacam(twin, world.starts, LIMIT)
        result = runner.solve(instance, {"name": "lacam", "seed": number, "swap": swap}, limits={"nodes": LIMIT})
        assert result.expanded == tried
        constraints += tried
        swaps += twin.swaps
        if path is None:
            assert result.status == ("node_limit" if tried == LIMIT else "unsolvable")
        else:
            assert result.plan is not None
            assert [state.cells for state in world.played(result.plan)[0]] == path
    assert constraints > 50
    assert (swaps > 0) == swap


@pytest.mark.parametrize("objective", get_args(Objective))
@pytest.mark.parametrize(("agents", "cells"), [(2, 12), (3, 7)])
def test_star_has_the_costs_of_joint_astar(agents: int, cells: int, objective: Objective) -> None:
    statuses = []
    for instance in any_teams(agents, 60, agents, cells, objective=objective):
        limits = {"nodes": 1_000_000}
        optimal = runner.solve(instance, "astar", ["distances"], limits=limits)
        result = runner.solve(instance, {"name": "lacam", "star": True}, limits=limits)
        first = runner.solve(instance, "lacam", limits=limits)
        assert (result.status, result.cost) == (optimal.status, optimal.cost)
        assert first.status == optimal.status
        if optimal.cost is not None:
            assert result.bound == 1.0
            assert first.cost is not None
            assert first.cost >= optimal.cost
        statuses.append(optimal.status)
    assert {*statuses} == {"solved", "unsolvable"}


@pytest.mark.parametrize("instance", UNSOLVABLE.values(), ids=UNSOLVABLE)
@pytest.mark.parametrize("star", [False, True])
def test_what_cannot_be_solved_is_unsolvable(instance: MapfInstance, star: bool) -> None:
    assert runner.solve(instance, {"name": "lacam", "star": star}, limits={"nodes": 1_000_000}).status == "unsolvable"


@pytest.mark.parametrize("objective", get_args(Objective))
def test_waits_at_the_goal_before_a_later_departure_cost(objective: Objective) -> None:
    """The first agent is at its goal, and must let the other one pass."""
    instance = team(["....", "@@.@"], [(2, 0), (0, 0)], [(2, 0), (3, 0)], objective)
    assert runner.solve(instance, {"name": "lacam", "star": True}).cost == (6 if objective == "sum_of_costs" else 3)


def test_the_search_is_the_same_in_small_steps_and_when_memory_grows() -> None:
    """Four agents must exchange places: more nodes and constraints than fit at first."""
    sides = [(0, 1), (2, 1), (1, 0), (1, 2)]
    problem = team(["...", "...", "..."], sides, [sides[1], sides[0], sides[3], sides[2]]).problem()
    counts = []
    for budget in (7, 1_000_000):
        exploration = JointExploration(Stack().prepare(problem), star=True)
        growths = 0
        costs = []
        while (status := exploration.step(budget)) != StepStatus.SOLVED:
            if status == StepStatus.OUT_OF_MEMORY:
                assert not exploration.grow(exploration.counts.memory_bytes)
                assert exploration.grow(None)
                growths += 1
            if status == StepStatus.IMPROVED:
                costs.append(exploration.paths.shape[1])
        assert growths > 0
        assert np.array_equal(exploration.paths[:, -1], exploration.goals)
        counts.append((exploration.counts, growths, costs))
    assert counts[0] == counts[1]
