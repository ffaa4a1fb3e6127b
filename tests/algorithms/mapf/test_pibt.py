"""PIBT makes the plans of its slow twin, and gives up at its horizon."""

from __future__ import annotations

import pytest

import runner
from tests.algorithms.mapf.teams import UNSOLVABLE, any_teams, team
from tests.naive.mapf import NaiveTeam, pibt
from tests.sampling import covering
from worlds.mapf.world import MapfInstance


@covering({"agents": [1, 4, 8], "swap": [False, True]})
def test_plans_are_those_of_the_slow_twin(agents: int, swap: bool) -> None:
    statuses = set()
    swaps = 0
    for number, instance in enumerate(any_teams(agents, 40, agents, 40, largest=7)):
        world = instance.world
        if world.proof_of_unsolvability() is not None:
            continue
        twin = NaiveTeam(world.grid, world.starts, world.targets, number, swap)
        path = pibt(twin, world.starts, 60)
        swaps += twin.swaps
        result = runner.solve(instance, {"name": "pibt", "horizon": 60, "seed": number, "swap": swap})
        statuses.add(result.status)
        if path is None:
            assert (result.status, result.expanded) == ("cutoff", 60)
        else:
            assert result.status == "solved"
            assert result.plan is not None
            assert [state.cells for state in world.played(result.plan)[0]] == path
    assert "solved" in statuses
    assert agents == 1 or "cutoff" in statuses
    assert (swaps > 0) == (swap and agents > 1)


@pytest.mark.parametrize("instance", UNSOLVABLE.values(), ids=UNSOLVABLE)
def test_what_cannot_be_solved_ends_at_the_horizon(instance: MapfInstance) -> None:
    result = runner.solve(instance, {"name": "pibt", "horizon": 200})
    assert (result.status, result.expanded) == ("cutoff", 200)


def test_steps_that_do_not_fit_end_at_the_limit_of_memory() -> None:
    instance = UNSOLVABLE["exchange in a corridor"]
    result = runner.solve(instance, {"name": "pibt", "horizon": 100_000}, limits={"memory": 4096})
    assert result.status == "memory_limit"


@pytest.mark.parametrize(("swap", "status"), [(False, "cutoff"), (True, "solved")])
def test_agents_with_crossed_goals_in_a_corridor_pass_each_other_where_it_branches(swap: bool, status: str) -> None:
    crossed = team(["...........", "@@.@@@@@@@@"], [(5, 0), (8, 0)], [(9, 0), (4, 0)])
    assert runner.solve(crossed, {"name": "pibt", "swap": swap}).status == status
