"""The Bayesian agent: its posterior against lists of all caves, and its look-ahead against optimal play."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest

from algorithms.agents import chances, rooms
from algorithms.agents.bayes_agent import BayesAgent, BayesPlayer, planner_for
from algorithms.agents.belief import Belief, around, pit_likelihood
from algorithms.agents.explorer import START
from algorithms.agents.planner import Planner
from tests.algorithms.agents.games import play
from tests.naive import logic_agent
from tests.naive.best_score import all_caves, best_score
from worlds.wumpus.online import CaveGame, Percepts
from worlds.wumpus.rules import ACTIONS, Cave, Square
from worlds.wumpus.sources import classic

BEST_SCORES = {
    ((2,), 0.05): 772.1416666666665,
    ((2,), 0.2): 515.48,
    ((2, 3), 0.1): 681.8780363152345,
    ((2, 3), 0.3): 324.930871937283,
    ((3,), 0.2): 434.81095168,
}
"""Results of `best_score` by (sides, pit probability). Two tests, one of them long, compute them again."""


@pytest.mark.parametrize(("sides", "pits"), BEST_SCORES)
def test_the_unlimited_look_ahead_expects_the_best_possible_score(sides: tuple[int, ...], pits: float) -> None:
    """It loses less than 0.01 points, because it enters no new room on the way home."""
    found, best = Planner(max(sides), pits, None).expected_score(sides), BEST_SCORES[sides, pits]
    assert best - 0.01 < found < best + 1e-9


@pytest.mark.parametrize(("sides", "pits"), [case for case in BEST_SCORES if case[0] == (2,)])
def test_the_best_scores_of_2x2_caves_are_as_recorded(sides: tuple[int, ...], pits: float) -> None:
    assert best_score(sides, pits) == pytest.approx(BEST_SCORES[sides, pits], abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("sides", "pits"), [case for case in BEST_SCORES if case[0] != (2,)])
def test_the_best_scores_of_larger_caves_are_as_recorded(sides: tuple[int, ...], pits: float) -> None:
    assert best_score(sides, pits) == pytest.approx(BEST_SCORES[sides, pits], abs=1e-9)


def test_the_expected_score_in_4x4_caves_with_the_nearest_safe_rooms_first() -> None:
    """It is 0.21 below the best possible score, 345.87 (`python -m benchmarks.agents`)."""
    assert Planner(4, 0.2, 0).expected_score([4]) == pytest.approx(345.6523, abs=1e-3)


def test_a_deeper_look_ahead_approaches_the_unlimited_one() -> None:
    planner = Planner(3, 0.2, None)
    exact = planner.expected_score([3])
    values = [planner.expected_score([3], depth) for depth in (1, 3, 5, 7)]
    assert abs(values[-1] - exact) < abs(values[0] - exact)
    assert planner.expected_score([3], 20) == exact


def random_actions(source: random.Random, cave: Cave, attempts: int) -> list[str]:
    """Return random actions that the hunter survives. Of the attempts, those that end the game are left out."""
    game = CaveGame(cave)
    for _ in range(attempts):
        action = source.choice([*ACTIONS[:4], "MOVE"])
        trial = CaveGame(cave)
        for earlier in game.actions:
            trial.act(earlier)
        trial.act(action)
        if trial.status is None:
            game = trial
    return game.actions


class Follower(BayesPlayer):
    """Player that takes given actions, and whose memory is that of the agent."""

    def __init__(self, agent: BayesAgent, actions: list[str]) -> None:
        super().__init__(agent)
        self.rest = list(actions)

    def decide(self, percepts: Percepts) -> list[str]:
        self.belief()
        return [self.rest.pop(0)] if self.rest else ["GRAB"]


@pytest.mark.parametrize("sides", [[2], pytest.param([3], marks=pytest.mark.long), [2, 3]])
def test_the_posterior_equals_that_over_a_list_of_all_caves(sides: list[int]) -> None:
    source = random.Random(str(sides))
    everything = [cave for side in sides for cave in all_caves(side)]
    agent = BayesAgent(sides=sides, pit_probability=0.3)
    for _ in range(3 if 3 in sides else 12):
        cave = source.choice(everything)
        actions = random_actions(source, cave, source.randint(2, 14))
        player, game = Follower(agent, actions), CaveGame(cave)
        noticed = []
        for _ in range(len(actions)):
            noticed.append(game.percepts)
            game.act(player.act(game.percepts))
        noticed.append(game.percepts)
        player.act(game.percepts)
        if any(percepts.glitter for percepts in noticed):
            continue
        check_posterior(player.belief(), player, [cave for cave in everything if is_consistent(cave, actions, noticed)])


def is_consistent(cave: Cave, actions: list[str], noticed: list[Percepts]) -> bool:
    """Return whether the actions give these percepts in a cave."""
    game = CaveGame(cave)
    for action, percepts in zip(actions, noticed, strict=False):
        if game.status is not None or game.percepts != percepts:
            return False
        game.act(action)
    return game.status is None and game.percepts == noticed[-1]


def check_posterior(known: Belief, player: BayesPlayer, possible: list[Cave]) -> None:
    """Compare a belief with the list of the possible caves, weighted by their probabilities."""

    def chance(cave: Cave) -> float:
        others = cave.size[0] ** 2 - 1
        return 0.3 ** len(cave.pits) * 0.7 ** (others - len(cave.pits)) / others**2

    total = sum(map(chance, possible))
    sides: defaultdict[int, float] = defaultdict(float)
    for cave in possible:
        sides[cave.size[0]] += chance(cave) / total
    if not player.wumpus_dead:  # the agent does not update the sides by stenches of a dead wumpus
        assert {side: weight for side, weight in known.sides.items() if weight} == pytest.approx(dict(sides), abs=1e-9)
        assert known.wumpus == {cave.wumpus for cave in possible}
    assert not any(room in cave.pits for cave in possible for room in known.clear)


@pytest.mark.parametrize("pits", [0.05, 0.2, 0.5])
def test_pit_chances_equal_those_of_the_reference_implementation(pits: float) -> None:
    source = random.Random(pits)
    checked = 0
    while checked < 150:
        side = source.randint(2, 6)
        cave = classic(side, side, 0.3, source.randrange(10**6))
        visited = {(0, 0)}
        for _ in range(source.randint(0, 8)):
            near = sorted(set().union(*map(around, visited)) - visited - cave.pits)
            near = [room for room in near if cave.is_open(room)]
            visited |= {source.choice(near)} if near else set()
        breezy = {room for room in visited if around(room) & cave.pits}
        inside = frozenset((x, y) for x in range(side) for y in range(side))
        fresh = sorted(inside.intersection(*[set().union(*map(around, visited))]) - visited)
        if not fresh:
            continue
        checked += 1
        room = source.choice(fresh)
        expected = tuple(
            pit_likelihood(frozenset(visited | {room}), frozenset(breezy | ({room} if breeze else set())), inside, pits)
            / pit_likelihood(frozenset(visited), frozenset(breezy), inside, pits)
            for breeze in (False, True)
        )
        assert fast_chances(room, visited, breezy, side, pits) == pytest.approx(expected, abs=1e-9)


def fast_chances(room: Square, visited: set[Square], breezy: set[Square], side: int, pits: float) -> tuple[float, ...]:
    """Call `pit_chances` as Python, without compiling it."""
    clear = visited.union(*(around(other) for other in visited - breezy))
    inside = {(x, y) for x in range(side) for y in range(side)}
    known = (tuple(rooms.words_of(each & inside, side)) for each in (visited, breezy, clear))
    visited_words, breezy_words, clear_words = known
    scratch = np.zeros(chances.SCRATCH, np.uint64)
    board, beside = tuple(rooms.board(side, side)), rooms.geometry(side)[1]
    return chances.pit_chances(
        rooms.room_of(room, side), visited_words, breezy_words, clear_words, board, beside, pits, scratch
    )


TRIANGLE = {(x, y) for x in range(11) for y in range(11) if x + y < 11}
DIAGONAL = {(x, 10 - x) for x in range(11)}
ROWS = {(x, y) for x in range(11) for y in range(0, 11, 2)}


@pytest.mark.parametrize(
    ("room", "visited", "breezy"),
    [pytest.param((5, 6), TRIANGLE, DIAGONAL, id="11 breezy"), pytest.param((5, 5), ROWS, ROWS, id="66 breezy")],
)
def test_large_frontiers_give_probabilities(room: Square, visited: set[Square], breezy: set[Square]) -> None:
    """More breezy rooms than `MAX_FRONTIER` are not counted exactly."""
    calm, breeze = fast_chances(room, visited, breezy, 11, 0.2)
    assert 0 < calm < 1
    assert 0 < breeze < 1
    assert calm + breeze < 1


def test_decisions_do_not_depend_on_earlier_games() -> None:
    agent = BayesAgent(depth=3)
    caves = [classic(5, 5, 0.2, seed) for seed in range(12)]
    shared = [play(cave, agent.player(None, 0)).actions for cave in caves]
    alone = []
    for cave in reversed(caves):
        planner_for.cache_clear()
        alone.append(play(cave, agent.player(None, 0)).actions)
    assert alone == shared[::-1]


def test_a_large_budget_gives_the_same_actions_as_no_budget() -> None:
    for seed in range(5, 12):
        cave = classic(4, 4, 0.2, seed)
        within = BayesAgent(depth=3, budget_ms=60_000)
        assert play(cave, within.player(None, 0)).actions == play(cave, BayesAgent(depth=3).player(None, 0)).actions


def test_a_tiny_budget_still_ends_every_game() -> None:
    for seed in range(10):
        assert play(classic(5, 5, 0.2, seed), BayesAgent(depth=None, budget_ms=0.001).player(None, 0)).status


@pytest.mark.long
def test_it_scores_more_than_the_logic_agent() -> None:
    """Mean scores in random 4x4 caves, where the expected score of the sharp logic agent is 338."""
    caves = [classic(4, 4, 0.2, seed) for seed in range(3000)]
    sharp = [play(cave, logic_agent.LogicAgent(sharp=True)).score for cave in caves]
    gains = {}
    for name, agent in (("unknown", BayesAgent()), ("known", BayesAgent(sides=[4], depth=None))):
        scores = np.array([play(cave, agent.player(None, 0)).score for cave in caves])
        gains[name] = (scores - sharp).mean()
    assert gains["unknown"] > 5
    assert gains["known"] > 7


def test_it_leaves_at_once_if_there_is_a_breeze_in_the_first_room() -> None:
    player = BayesAgent().player(None, 0)
    assert player.act(Percepts(stench=False, breeze=True, glitter=False)) == "CLIMB"
    assert player.at == START
