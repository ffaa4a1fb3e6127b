"""Common properties of all agents: they use percepts only, obey the rules, and repeat a game with the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import runner
from algorithms.agents.explorer import Explorer
from algorithms.agents.interface import Agent, Player, play
from algorithms.engine.search import Limits
from algorithms.interface.algorithm import ALGORITHMS
from runner.config.cell import sections
from tests.algorithms.agents.games import rooms_entered
from tests.registered import AGENTS
from worlds.interface import instance as interface
from worlds.interface.game import Game
from worlds.interface.instance import Instance
from worlds.wumpus.online import ESCAPED, ESCAPED_WITH_GOLD, STATUSES, CaveGame, Percepts, as_played, unplayable_reason
from worlds.wumpus.rules import FACINGS, Cave, ahead
from worlds.wumpus.sources import classic
from worlds.wumpus.world import CaveWorld

Parameters = dict[str, Any]


def sees_percepts_only(name: str) -> bool:
    cls = ALGORITHMS.find(name)
    assert issubclass(cls, Agent)
    return not cls.omniscient


VARIANTS: list[Parameters] = [
    *({"name": name} for name in AGENTS),
    {"name": "asp_agent", "deduction": "sharp"},
    {"name": "bayes_agent", "sides": [4], "detour": None, "depth": 2},
    {"name": "bayes_agent", "sides": [2, 11], "pit_probability": 0.5, "depth": 3},
    {"name": "random_agent", "seed": 7},
]


def agent(parameters: Parameters) -> Agent:
    chosen = sections.algorithm_of(parameters)
    assert isinstance(chosen, Agent)
    return chosen


class HiddenGame:
    """Game without a reference to its cave, so that a player that inspects it finds percepts only."""

    def __init__(self, cave: Cave) -> None:
        game = CaveGame(cave)

        def act(action: str) -> tuple[Percepts, str | None]:
            game.act(action)
            return game.percepts, game.status

        self.act: Callable[[str], tuple[Percepts, str | None]] = act
        self.first = game.percepts


def actions_by_percepts(parameters: Parameters, cave: Cave, seed: int = 3) -> list[str]:
    """Return the actions of a player that gets percepts only."""
    player, game = agent(parameters).player(None, seed), HiddenGame(cave)
    percepts, actions = game.first, list[str]()
    status: str | None = None
    while status is None:
        actions.append(player.act(percepts))
        percepts, status = game.act(actions[-1])
    return actions


def game_of(parameters: Parameters, cave: Cave, seed: int = 3) -> CaveGame:
    """Play a game, which ends with a status of the cave; some agents never die."""
    chosen = agent(parameters)
    game = CaveGame(cave)
    instance = Instance(CaveWorld(as_played(cave)), "test") if chosen.omniscient else None
    assert play(game, chosen.player(instance, seed), Limits()) == game.status
    assert game.status in {each.name for each in STATUSES}
    if parameters["name"] in ("asp_agent", "perfect_agent", "climb_agent"):
        assert game.status in (ESCAPED_WITH_GOLD.name, ESCAPED.name)
    return game


def caves(seed: str, number: int) -> list[Cave]:
    """Return random square caves with various sides and pit probabilities, some without a wumpus."""
    source = random.Random(seed)
    made = []
    for index in range(number):
        side = source.choice([1, 2, 3, 4, 4, 5, 6, 7]) if index else 1
        cave = (
            Cave((1, 1), (0, 0), "N", (0, 0), (0, 0))
            if side == 1
            else classic(side, side, source.choice([0.0, 0.05, 0.2, 0.5]), source.randrange(10**6))
        )
        made.append(replace(cave, wumpus=None) if source.random() < 0.15 else cave)
    return made


@pytest.mark.parametrize("parameters", [v for v in VARIANTS if not sees_percepts_only(v["name"])], ids=str)
def test_every_game_of_an_agent_that_sees_the_cave_ends_with_a_status_of_it(parameters: Parameters) -> None:
    for cave in caves(str(parameters), 8):
        game_of(parameters, cave)


@pytest.mark.parametrize("parameters", [v for v in VARIANTS if sees_percepts_only(v["name"])], ids=str)
def test_actions_depend_on_percepts_only(parameters: Parameters) -> None:
    """An agent acts the same without access to the cave, and in caves that differ only where it noticed nothing."""
    source = random.Random(str(parameters))
    changed = 0
    for cave in caves(f"hidden {parameters}", 12):
        game = game_of(parameters, cave)
        assert actions_by_percepts(parameters, cave) == game.actions
        entered = rooms_entered(cave, game.actions)
        noticed = entered | {ahead(room, facing) for room in entered for facing in FACINGS}
        others = [(x, y) for x in range(cave.size[0]) for y in range(cave.size[1]) if (x, y) not in noticed]
        if others and not game.measured["arrow_used"] and cave.wumpus not in noticed and cave.gold not in entered:
            pits = (cave.pits & noticed) | {room for room in others if source.random() < 0.5}
            wumpus = source.choice(others) if cave.wumpus else None
            other = replace(cave, pits=frozenset(pits), gold=source.choice(others), wumpus=wumpus)
            assert actions_by_percepts(parameters, other) == game.actions
            changed += other != cave
    assert changed > 2 or parameters["name"] == "random_agent"  # it shoots in most games


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_a_seed_determines_the_game_and_matters_to_the_random_agent_only(parameters: Parameters) -> None:
    cave = classic(6, 6, 0.1, 5)
    first, second, other = (game_of(parameters, cave, seed).actions for seed in (1, 1, 2))
    assert first == second
    assert (first != other) == (parameters["name"] == "random_agent")


def test_caves_that_agents_cannot_play_have_a_reason() -> None:
    cave = classic(4, 4, 0.2, 1)
    assert unplayable_reason(cave) is None
    assert unplayable_reason(replace(cave, size=(4, 5))) == "is not square"
    assert unplayable_reason(replace(cave, blocks=frozenset({(1, 1)}))) == "has blocks"
    assert unplayable_reason(replace(cave, hunter=(1, 0), exit=(1, 0))) == "does not start in the corner (0, 0)"
    assert unplayable_reason(replace(cave, exit=(1, 0))) == "has its exit elsewhere than at the start"


def test_a_time_limit_ends_a_game() -> None:
    game = CaveGame(classic(4, 4, 0.2, 1))
    assert play(game, agent({"name": "random_agent"}).player(None, 0), Limits(time=0.0)) == "time_limit"
    assert game.actions == []


def test_games_in_caves_are_games() -> None:
    assert issubclass(CaveGame, Game)


class Deciding(Explorer):
    def __init__(self, decided: Any) -> None:
        super().__init__()
        self.decided = decided

    def decide(self, percepts: Percepts) -> Any:
        return self.decided(self) if callable(self.decided) else self.decided


class WithoutSuper(Deciding):
    def __init__(self) -> None:
        self.decided = ["MOVE"]


class Acting(Player):
    def act(self, percepts: Percepts) -> Any:
        return ["MOVE"]


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Deciding([]), r"decide returned \[\]; expected a list of at least one action"),
        (Deciding(None), "decide returned None; expected a list"),
        (Deciding("MOVE"), "decide returned 'MOVE'; expected a list"),
        (Deciding(["FLY"]), "there is no action 'FLY'; choose from: MOVE"),
        (Deciding([["MOVE"]]), r"decide returned \[\['MOVE'\]\]; expected a list"),
        (Deciding(lambda self: self.path((3, 3), {(1, 1)})), r"no path from \(1, 1\) to \(3, 3\) through"),
        (WithoutSuper(), r"WithoutSuper.__init__ must call super\(\).__init__\(\)"),
        (Acting(), r"act returned \['MOVE'\]; expected the name of one action"),
    ],
)
def test_mistakes_of_players_are_explained(player: Player, message: str) -> None:
    world = interface.as_played(runner.load("wumpus/random", size=4, count=1)[0]).world.playable
    assert world is not None
    game = world.new_game()
    with pytest.raises((TypeError, ValueError), match=message):
        play(game, player, Limits())
