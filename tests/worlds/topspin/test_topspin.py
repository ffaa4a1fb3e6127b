"""TopSpin: packed turns compared with the rules, its sources, and which rings can be reached."""

from __future__ import annotations

import random
from math import factorial
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from worlds.interface.instance import Instance
from worlds.permutations.world import are_even
from worlds.topspin import TopSpin


def test_a_turn_reverses_the_tokens_from_its_place_on_round_the_ring() -> None:
    steps = {name: after for name, after, _ in TopSpin((0, 1, 2, 3, 4), 3).successors((0, 1, 2, 3, 4))}
    assert steps["turn 0"] == (2, 1, 0, 3, 4)
    assert steps["turn 4"] == (0, 4, 2, 3, 1)
    assert list(steps) == [f"turn {first}" for first in range(5)]


@pytest.mark.parametrize(("tokens", "turnstile"), [(2, 2), (3, 3), (6, 4), (16, 5), (17, 4), (40, 20)])
def test_packed_turns_are_those_of_the_rules(tokens: int, turnstile: int) -> None:
    source = random.Random(tokens)
    world = TopSpin(tuple(range(tokens)), turnstile)
    problem = Instance(world, "any").problem()
    for _ in range(20):
        ring = tuple(source.sample(range(tokens), tokens))
        packed = problem.pack(ring)
        expected = [(after, 1, first) for first, (_, after, _) in enumerate(world.successors(ring))]
        for backward in (False, True):
            found = problem.successors(packed, backward=backward)
            assert [(problem.unpack(state), cost, code) for state, cost, code in found] == expected
        assert problem.recognises(packed) == (ring == world.goal)


def test_uniform_rings_can_be_reached() -> None:
    """It is refused where the complete space has fewer rings than there are (even) permutations."""
    for tokens in range(4, 9):
        for turnstile in range(2, tokens + 1):
            world = TopSpin(tuple(range(tokens)), turnstile)
            reached = runner.levels(Instance(world, "any"))["states"].sum()
            is_complete = reached == factorial(tokens) // (1 + are_even(world.moves))
            if is_complete:
                for each in runner.load("topspin/random", tokens=tokens, turnstile=turnstile, count=3):
                    assert runner.solve(each, "frontier").valid
            else:
                with pytest.raises(
                    UserError, match=r"world\.shuffle: uniform: turns of . tokens do not reach all rings"
                ):
                    runner.load("topspin/random", tokens=tokens, turnstile=turnstile, count=1)


def test_a_walk_leads_back_to_the_goal_in_at_most_its_steps() -> None:
    for each in runner.load("topspin/random", tokens=18, turnstile=4, shuffle="walk", steps=5, count=4):
        result = runner.solve(each, "astar", ["pattern_database"])
        assert result.valid
        assert result.cost is not None
        assert result.cost <= 5


def test_the_turnstile_is_not_larger_than_the_ring(tmp_path: Path) -> None:
    file = tmp_path / "rings.txt"
    file.write_text("3 1 2 4\nfive: 0 1 2 4 3\n", encoding="utf-8")
    found = runner.load("topspin/file", path=str(file), turnstile=4)
    assert [(each.id, each.world.initial()) for each in found] == [("rings_1", (2, 0, 1, 3)), ("five", (0, 1, 2, 4, 3))]
    with pytest.raises(UserError, match="expected at most the number of tokens, 4, got 5"):
        runner.load("topspin/file", path=str(file), turnstile=5)
    with pytest.raises(UserError, match="expected at most the number of tokens, 12, got 13"):
        runner.load("topspin/random", turnstile=13, shuffle="walk")
