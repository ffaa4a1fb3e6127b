"""Explanations of plans that the rules do not accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

import runner
from tests.algorithms.mapf.teams import team
from tests.plugins.line import Line
from worlds.interface.instance import Instance
from worlds.interface.replay import Replay
from worlds.interface.validation import plan_violation
from worlds.mapf.rules import LETTERS
from worlds.mapf.search import DIGIT, WAIT_CODE


@dataclass(frozen=True)
class Toll(Line):
    """Line where the rules, but not the kernel, charge 3 for the second step."""

    def replay(self, plan: Sequence[str]) -> Replay:
        played = super().replay(plan)
        return Replay(played.reaches_goal, played.cost + 2 * (len(plan) > 1))


def explained(instance: Instance, codes: Sequence[int], cost: int) -> str | None:
    problem = instance.problem()
    return plan_violation(instance, problem, codes, cost, instance.world.replay(problem.plan(codes)))


@pytest.mark.parametrize(
    ("world", "codes", "cost", "why"),
    [
        (Line(2), [0, 0], 2, None),
        (Line(2), [0], 1, "the rules allow every action, but the plan does not reach a goal; the last state is 1"),
        (Toll(3), [0, 0, 0], 3, "action 2, right: in the state 1 it costs 3 by the rules, 1 by the kernel"),
        (Line(2), [0, 0], 1, "the plan costs 2 by the rules, 1 by the search"),
    ],
)
def test_what_the_rules_do_not_accept_is_told(world: Line, codes: list[int], cost: int, why: str | None) -> None:
    assert explained(Instance(world, "line"), codes, cost) == why


def test_a_plan_that_the_rules_refuse_is_not_valid_although_it_needs_no_goal() -> None:
    """As walks of checks are. Their costs do not add up, so the cost of the replay is the expected one."""
    instance = team(["..."], [(0, 0)], [(2, 0)])
    replay = instance.world.replay(["l"])
    assert replay.failure is not None
    left = [LETTERS.index("l")]
    why = plan_violation(instance, instance.problem(), left, replay.cost, replay, needs_goal=False)
    assert why == replay.failure


@pytest.mark.parametrize("agents", [1, 12])
def test_plans_of_joint_actions_whose_costs_do_not_add_up(agents: int) -> None:
    """Waits at the goal cost nothing at the end. Steps of many agents have more successors than fit in memory."""
    lines = [(0, line) for line in range(agents)]
    instance = team(["..."] * agents, lines, [(1, line) for line in range(agents)])
    right, wait = (sum(code * DIGIT**agent for agent in range(agents)) for code in (LETTERS.index("r"), WAIT_CODE))
    assert explained(instance, [right, wait], agents) is None
    assert explained(instance, [right, wait], agents + 1) == (
        f"the plan costs {agents} by the rules, {agents + 1} by the search"
    )
    why = explained(instance, [right, right], 2 * agents) or ""
    assert why.startswith(
        "the rules allow every action, but the plan does not reach a goal; the last state is agents 1 in (2, 0)"
    )


def test_an_impossible_action_is_named_with_the_state_and_what_is_allowed() -> None:
    failure = Instance(Line(2), "line").world.replay(["right", "up"]).failure
    assert failure == "action 2, up: in the state 1 the rules allow only right, left"
    board = runner.load("npuzzle/random", size=2)[0]
    failure = board.world.replay("UDUU").failure or ""
    assert failure.startswith(("action 1, U: in the state (", "action 4, U: in the state ("))
    cave = next(
        each for each in runner.load("wumpus/random", size=4, count=50) if each.world.replay(["MOVE"] * 4).failure
    )
    assert (cave.world.replay(["MOVE"] * 4).failure or "").endswith(
        ("the hunter dies by it, of a pit", "of the wumpus")
    )
