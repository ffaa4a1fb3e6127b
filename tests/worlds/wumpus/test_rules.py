"""The rules of the cave: the effect of each action."""

from __future__ import annotations

import pytest

from worlds.wumpus import rules
from worlds.wumpus.rules import Cave, Play

CAVE = Cave((4, 3), (0, 0), "N", (2, 1), (0, 0), (0, 2), frozenset({(1, 1)}), frozenset({(3, 0)}))


def play(*plan: str, cave: Cave = CAVE) -> Play:
    return rules.simulate(cave, plan)


def test_four_turns_restore_the_facing() -> None:
    assert [play(*["RIGHT"] * n).facing for n in range(5)] == list("NESWN")
    assert [play(*["LEFT"] * n).facing for n in range(5)] == list("NWSEN")


def test_walls_and_blocks_stop_a_move_but_it_costs() -> None:
    assert (play("LEFT", "MOVE").square, play("LEFT", "MOVE").cost) == ((0, 0), 2)
    assert play("RIGHT", "MOVE", "MOVE", "MOVE").square == (2, 0)


def test_the_hunter_dies_in_a_pit_and_with_a_living_wumpus() -> None:
    in_pit = play("MOVE", "RIGHT", "MOVE")
    assert (in_pit.alive, in_pit.reward, in_pit.is_over) == (False, -1003, True)
    eaten = play("MOVE", "MOVE")
    assert (eaten.alive, eaten.reward) == (False, -1002)
    assert play("MOVE", "MOVE", "LEFT") == eaten


def test_the_arrow_flies_over_pits_and_kills_the_wumpus() -> None:
    shot = play("SHOOT")
    assert (shot.wumpus_alive, shot.has_arrow, shot.cost) == (False, False, 10)
    assert play("SHOOT", "MOVE", "MOVE").alive
    beyond_a_pit = Cave((4, 3), (0, 1), "E", (0, 2), (0, 0), (3, 1), frozenset({(1, 1)}))
    assert not play("SHOOT", cave=beyond_a_pit).wumpus_alive


def test_a_block_stops_the_arrow_and_there_is_one_arrow() -> None:
    cave = Cave((4, 3), (0, 0), "E", (0, 2), (0, 0), (3, 0), frozenset(), frozenset({(2, 0)}))
    assert play("SHOOT", cave=cave).wumpus_alive
    missed = play("RIGHT", "SHOOT", "LEFT", "SHOOT")
    assert (missed.wumpus_alive, missed.cost) == (True, 13)


def test_grab_works_only_at_the_gold_and_climb_only_at_the_exit() -> None:
    assert not play("GRAB").has_gold
    assert play("RIGHT", "MOVE", "MOVE", "LEFT", "MOVE", "GRAB").has_gold
    assert not play("RIGHT", "MOVE", "CLIMB").climbed_out
    assert (play("CLIMB").climbed_out, play("CLIMB").reward) == (True, -1)


def test_a_plan_reaches_the_goal_with_the_expected_cost_and_reward() -> None:
    end = play(
        "RIGHT", "MOVE", "MOVE", "LEFT", "MOVE", "GRAB", "LEFT", "LEFT", "MOVE", "RIGHT", "MOVE", "MOVE", "CLIMB"
    )
    assert (end.climbed_out, end.has_gold, end.cost, end.reward) == (True, True, 13, 987)


def test_unknown_actions_are_refused() -> None:
    with pytest.raises(ValueError, match="JUMP"):
        play("JUMP")


def test_a_cave_without_a_wumpus_starts_without_a_living_wumpus() -> None:
    assert not rules.start(Cave((2, 2), (0, 0), "N", (1, 1), (0, 0))).wumpus_alive
