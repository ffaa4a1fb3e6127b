"""The game that agents play: percepts, scores, and ends."""

from __future__ import annotations

import pytest

from runner.base.status import Status
from worlds.wumpus.online import ACTION_LIMIT, DIED, ESCAPED, ESCAPED_WITH_GOLD, CaveGame, Percepts
from worlds.wumpus.rules import Cave

CAVE = Cave((3, 2), (0, 0), "N", (1, 0), (2, 1), (0, 1), frozenset({(2, 1)}))


def game(*actions: str, cave: Cave = CAVE) -> CaveGame:
    made = CaveGame(cave)
    for action in actions:
        made.act(action)
    return made


def test_percepts_report_wumpus_pits_and_gold() -> None:
    assert game().percepts == Percepts(stench=True, breeze=False, glitter=False)
    assert game("MOVE").percepts == Percepts(stench=False, breeze=False, glitter=True)
    assert game("MOVE", "GRAB").percepts.glitter is False
    assert game("MOVE", "MOVE").percepts == Percepts(stench=False, breeze=True, glitter=False)
    here = Cave((2, 1), (0, 0), "N", (1, 0), (0, 0), None, frozenset())
    assert game(cave=here).percepts == Percepts(False, False, False)


def test_a_dead_wumpus_still_causes_a_stench() -> None:
    dead = game("LEFT", "SHOOT")
    assert dead.percepts.scream
    assert dead.percepts.stench
    assert game("LEFT", "SHOOT", "MOVE").status is None


def test_a_bump_and_a_scream_last_until_the_next_turn_or_move() -> None:
    bumped = ["RIGHT", "MOVE"]
    assert game(*bumped).percepts.bump
    assert game(*bumped, "GRAB").percepts.bump
    assert game(*bumped, "SHOOT").percepts.bump  # misses
    assert not game(*bumped, "SHOOT").percepts.scream
    assert not game(*bumped, "LEFT").percepts.bump
    screaming = ["LEFT", "SHOOT"]
    assert game(*screaming, "GRAB").percepts.scream
    assert not game(*screaming, "LEFT").percepts.scream
    assert not game(*screaming, "MOVE").percepts.scream
    assert game("MOVE", "MOVE", "MOVE").percepts.bump
    assert game("MOVE", "MOVE", "MOVE", "CLIMB").percepts.bump  # a useless climb


@pytest.mark.parametrize(
    ("actions", "status", "score"),
    [
        (["CLIMB"], ESCAPED, -1),
        (["MOVE", "GRAB", "LEFT", "LEFT", "MOVE", "CLIMB"], ESCAPED_WITH_GOLD, 994),
        (["LEFT", "MOVE"], DIED, -1002),
        (["MOVE", "MOVE", "LEFT", "MOVE"], DIED, -1004),
        (["LEFT", "SHOOT", "CLIMB"], ESCAPED, -12),
        (["SHOOT", "SHOOT", "CLIMB"], ESCAPED, -12),
        (["RIGHT"] * 1000, ACTION_LIMIT, -1000),
    ],
)
def test_games_end_with_the_expected_status_and_score(actions: list[str], status: Status, score: int) -> None:
    played = game(*actions)
    assert (played.status, played.score) == (status.name, score)
    with pytest.raises(ValueError, match="the game is over"):
        played.act("LEFT")


def test_a_game_without_an_end_has_no_status() -> None:
    assert game("MOVE", "MOVE", "LEFT").status is None


def test_unknown_actions_are_refused() -> None:
    with pytest.raises(ValueError, match="'FLY'"):
        game("FLY")
