"""Rules of several agents: conflicts, and what plans cost, against cases made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.teams import instance
from worlds.gridmap.rules import GridCell
from worlds.mapf.rules import JointState, Objective
from worlds.mapf.world import MapfWorld

CORRIDOR = ["....."]
BLOCK = ["..", ".."]


def team(rows: Sequence[str], *ends: tuple[GridCell, GridCell], objective: Objective = "sum_of_costs") -> MapfWorld:
    """Return a world of agents with a start and a goal each."""
    return instance(rows, [start for start, _ in ends], [goal for _, goal in ends], objective).world


def failure(world: MapfWorld, *plan: str) -> str | None:
    return world.replay(plan).failure


def test_two_agents_are_never_in_one_cell() -> None:
    world = team(CORRIDOR, ((0, 0), (1, 0)), ((2, 0), (3, 0)))
    assert failure(world, "rl") == "step 1: agents 1 and 2 are both in (1, 0)"
    assert failure(world, "rw", "rw") == "step 2: agents 1 and 2 are both in (2, 0)"  # a waiting agent is in the way


def test_two_agents_never_exchange_cells() -> None:
    world = team(CORRIDOR, ((0, 0), (3, 0)), ((3, 0), (0, 0)))
    assert failure(world, "rl", "rl") == "step 2: agents 1 and 2 exchange (1, 0) and (2, 0)"


def test_an_agent_may_follow_another_one() -> None:
    world = team(CORRIDOR, ((0, 0), (2, 0)), ((1, 0), (3, 0)))
    assert (failure(world, "rr", "rr"), world.replay(["rr", "rr"]).cost) == (None, 4)


def test_a_full_cycle_may_rotate() -> None:
    world = team(BLOCK, ((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0)))
    replay = world.replay(["rdlu"])
    assert (replay.reaches_goal, replay.cost, replay.failure) == (True, 4, None)


def test_an_agent_stays_at_its_goal_and_is_in_the_way() -> None:
    world = team(CORRIDOR, ((2, 0), (1, 0)), ((3, 0), (0, 0)))
    assert failure(world, "ll", "wl") == "step 2: agents 1 and 2 are both in (1, 0)"
    state, cost = world.step_of(world.initial(), "lw") or (world.initial(), -1)
    assert cost == 2
    settled, cost = world.step_of(state, ".w") or (world.initial(), -1)
    assert (settled.settled, cost) == ((True, False), 1)
    assert {action[0] for action, _, _ in world.successors(settled)} == {"."}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (["uw"], r"step 1: agent 1 cannot do 'u' from (0, 0) to (0, -1)"),
        (["rr"], r"step 1: agent 2 cannot do 'r' from (4, 0) to (5, 0)"),
        ([".w"], r"step 1: agent 1 cannot do '.' in (0, 0)"),
        (["rw", "r"], r"step 2: 'r' has not one letter of u d l r w . for each of 2 agents"),
        (["rx"], r"step 1: 'rx' has not one letter of u d l r w . for each of 2 agents"),
    ],
)
def test_an_impossible_action_is_named(plan: list[str], message: str) -> None:
    assert failure(team(CORRIDOR, ((0, 0), (1, 0)), ((4, 0), (3, 0))), *plan) == message


@pytest.mark.parametrize(
    ("plan", "reaches_goal", "cost", "makespan"),
    [
        ("r", True, 1, 1),
        ("rww", True, 1, 1),  # waits after the last arrival are free
        ("wwr", True, 3, 3),
        ("rwrl", True, 4, 4),  # the wait before the later departure costs
        ("rwrlww", True, 4, 4),
        ("rr", False, 2, 2),
        ("", False, 0, 0),
    ],
)
def test_an_agent_costs_the_time_of_its_last_arrival(plan: str, reaches_goal: bool, cost: int, makespan: int) -> None:
    world = team(CORRIDOR, ((0, 0), (1, 0)))
    replay = world.replay(list(plan))
    assert (replay.reaches_goal, replay.cost) == (reaches_goal, cost)
    assert world.measured(list(plan)) == {"agents": 1, "sum_of_costs": cost, "makespan": makespan}


def test_the_makespan_is_the_largest_time_of_a_last_arrival() -> None:
    plan = ["rl", "wl", "wl"]
    ends = ((0, 0), (1, 0)), ((4, 0), (2, 0))
    assert team(CORRIDOR, *ends).replay(plan[:2]).cost == 3
    world = team(CORRIDOR, *ends, objective="makespan")
    assert world.replay(plan[:2]).cost == 2
    assert failure(world, *plan) == "step 3: agents 1 and 2 are both in (1, 0)"
    assert world.step_of(world.initial(), "..") is None  # settling is not needed


def test_an_agent_that_waits_at_its_goal_at_a_cost_leaves_it_again() -> None:
    """Otherwise a joint path would cost more than its plan."""
    world = team(CORRIDOR, ((0, 0), (0, 0)))
    step = world.step_of(world.initial(), "w")
    assert step == (JointState(((0, 0),), (False,), (True,)), 1)
    assert not world.is_goal(step[0])
    assert [action for action, _, _ in world.successors(step[0])] == ["r", "w"]
    assert world.starting_at(step[0]) is None
    assert world.replay(["w", "r", "l"]).cost == 3


def test_an_agent_that_cannot_reach_its_goal_even_alone_is_a_proof() -> None:
    world = team(["..@."], ((0, 0), (1, 0)), ((1, 0), (3, 0)))
    assert world.proof_of_unsolvability() == "agent 2 cannot reach its goal"
