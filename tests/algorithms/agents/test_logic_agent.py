"""The logic agent against its reference implementation in plain Python, and against published scores."""

from __future__ import annotations

import csv
import random

import pytest

pytest.importorskip("clingo")

from algorithms.agents.asp_agent import LogicPlayer
from tests.algorithms.agents.suite import SCORES, suite
from tests.naive import logic_agent as naive
from worlds.wumpus.online import DIED, CaveGame
from worlds.wumpus.rules import Cave
from worlds.wumpus.sources import classic

DEDUCTIONS = ["published", "sharp"]


def play(cave: Cave, agent) -> CaveGame:
    game = CaveGame(cave)
    while game.status is None:
        game.act(agent.act(game.percepts))
    return game


@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_every_action_is_that_of_the_twin(deduction: str) -> None:
    source = random.Random(deduction)
    for _ in range(40):
        side = source.randint(2, 7)
        cave = classic(side, side, source.choice([0.05, 0.2]), source.randrange(10**6))
        ours, theirs = play(cave, LogicPlayer(deduction)), play(cave, naive.LogicAgent(deduction == "sharp"))
        assert ours.actions == theirs.actions, cave
        assert ours.status != DIED


@pytest.mark.parametrize("games", [500, pytest.param(2500, marks=pytest.mark.long)])
@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_the_twin_never_dies(deduction: str, games: int) -> None:
    for seed in range(games):
        side = 3 + seed % 6
        game = play(classic(side, side, 0.2, seed), naive.LogicAgent(deduction == "sharp"))
        assert game.status != DIED
        assert game.score >= -1000 - 10


@pytest.mark.parametrize("player", ["agent", pytest.param("twin", marks=pytest.mark.long)])
@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_published_scores(deduction: str, player: str) -> None:
    """Scores in half of the suite, of the agent and of its reference implementation."""
    caves = suite()
    column = {"published": "agent_smallest_xy", "sharp": "agent_sharp_smallest_xy"}[deduction]
    with open(SCORES, encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            cave = caves[row["file"]]
            agent = LogicPlayer(deduction) if player == "agent" else naive.LogicAgent(deduction == "sharp")
            assert play(cave, agent).score == int(row[column]), row["file"]
