"""The logic agent against the naive one in plain Python, and against published scores."""

from __future__ import annotations

import csv
import itertools
import random
from typing import get_args

import pytest

pytest.importorskip("clingo")

from algorithms.agents.asp_agent import Deduction, LogicPlayer
from tests.algorithms.agents.games import Acting, play
from tests.algorithms.agents.suite import SCORES, suite
from tests.naive import logic_agent as naive
from worlds.wumpus.online import DIED
from worlds.wumpus.sources import classic

DEDUCTIONS: tuple[Deduction, ...] = get_args(Deduction)


@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_every_action_is_that_of_the_naive_agent(deduction: Deduction) -> None:
    source = random.Random(deduction)
    for _ in range(8):
        side = source.randint(2, 7)
        cave = classic(side, side, source.choice([0.05, 0.2]), source.randrange(10**6))
        game, expected = play(cave, LogicPlayer(deduction)), play(cave, naive.LogicAgent(deduction == "sharp"))
        assert game.actions == expected.actions, cave
        assert game.status != DIED.name


@pytest.mark.parametrize("games", [60, pytest.param(2500, marks=pytest.mark.long)])
@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_the_naive_agent_never_dies(deduction: Deduction, games: int) -> None:
    for seed in range(games):
        side = 3 + seed % 6
        game = play(classic(side, side, 0.2, seed), naive.LogicAgent(deduction == "sharp"))
        assert game.status != DIED.name
        assert game.score >= -1000 - 10


@pytest.mark.parametrize(
    ("implementation", "step"),
    [("agent", 8), pytest.param("agent", 1, marks=pytest.mark.long), pytest.param("naive", 1, marks=pytest.mark.long)],
)
@pytest.mark.parametrize("deduction", DEDUCTIONS)
def test_scores_equal_the_published_ones(deduction: Deduction, implementation: str, step: int) -> None:
    """Scores of the agent and of the naive one in half of the suite, or in every eighth cave of it."""
    caves = suite()
    column = {"published": "agent_smallest_xy", "sharp": "agent_sharp_smallest_xy"}[deduction]
    with open(SCORES, encoding="utf-8", newline="") as lines:
        for row in itertools.islice(csv.DictReader(lines), 0, None, step):
            cave = caves[row["file"]]
            is_naive = implementation == "naive"
            player: Acting = naive.LogicAgent(deduction == "sharp") if is_naive else LogicPlayer(deduction)
            assert play(cave, player).score == int(row[column]), row["file"]
