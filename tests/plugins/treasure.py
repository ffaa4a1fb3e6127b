"""Second game besides the cave: an agent digs for a treasure in a corridor. A dragon at the end eats it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from algorithms.agents.interface import Agent, Player
from algorithms.interface.algorithm import ALGORITHMS
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.python_heuristic import PythonHeuristic
from runner.base.metric import Metric
from runner.base.status import Status
from worlds.interface.game import Game
from worlds.interface.instance import Instance, Problem
from worlds.interface.python_world import PythonWorld
from worlds.interface.replay import Replay
from worlds.interface.sources import SOURCES
from worlds.interface.world import Playable

RICH = Status("rich", is_answer=True, is_success=True, meaning="with the treasure")
POOR = Status("poor", is_answer=True, meaning="with nothing")
EATEN = Status("eaten", is_answer=True, meaning="by the dragon")
LOST = Status("lost", retry="limits", meaning="after 100 actions")

PRIZE, MAX_ACTIONS = 50, 100


@SOURCES.register("treasure")
@dataclass(frozen=True)
class Treasure(Playable, PythonWorld):
    """A corridor of `length` places; the last is the dragon's."""

    metrics = (
        Metric("digs", log_scale=False, meaning="number of digs"),
        Metric("gems", "g", better="more", aggregate="mean", digits=1, log_scale=False, meaning="that were found"),
    )

    statuses = (RICH, POOR, EATEN, LOST)

    length: Annotated[int, Meta(ge=2, le=1000)] = 8
    count: int = 1
    seed: int = 0

    @property
    def place(self) -> int:
        """Place of the treasure."""
        return (5 * self.seed + 3) % (self.length - 1)

    def initial(self) -> tuple[int, bool]:
        return 0, False

    def successors(self, state: Any) -> list[tuple[str, tuple[int, bool], int]]:
        at, has_treasure = state
        steps = [("east", (at + 1, has_treasure), 1)] if at + 1 < self.length - 1 else []
        steps += [("west", (at - 1, has_treasure), 1)] if at else []
        return [*steps, ("dig", (at, has_treasure or at == self.place), 2)]

    def is_goal(self, state: Any) -> bool:
        return state == (0, True)

    def measured(self, plan: Sequence[str] | None) -> dict[str, float | None]:
        return {} if plan is None else {"digs": plan.count("dig"), "gems": 12.5}

    def as_played(self, name: str) -> Treasure:
        return self

    def new_game(self) -> Game:
        return Corridor(self)

    def replay(self, plan: Sequence[str]) -> Replay:
        if "leave" not in plan and "east" not in plan[-1:]:
            return super().replay(plan)
        game = self.new_game()
        for action in plan:
            game.act(action)
        return Replay(game.status == RICH.name, game.cost, game.score)


class Corridor(Game):
    """Game in a corridor."""

    def __init__(self, rules: Treasure) -> None:
        self._rules, self._at, self._gems = rules, 0, 0.0
        self.actions: list[str] = []

    @property
    def percepts(self) -> tuple[int, bool]:
        return self._at, self._gems > 0

    def act(self, action: str) -> None:
        self.actions.append(action)
        self._at += {"east": 1, "west": -1}.get(action, 0)
        if action == "dig" and self._at == self._rules.place:
            self._gems = 12.5

    @property
    def status(self) -> str | None:
        if self._at == self._rules.length - 1:
            return EATEN.name
        if self.actions[-1:] == ["leave"]:
            return (RICH if self._gems else POOR).name
        return LOST.name if len(self.actions) >= MAX_ACTIONS else None

    @property
    def score(self) -> int:
        return (PRIZE if self.status == RICH.name else -PRIZE if self.status == EATEN.name else 0) - self.cost

    @property
    def cost(self) -> int:
        return len(self.actions)

    @property
    def measured(self) -> dict[str, float | None]:
        return {"digs": self.actions.count("dig"), "gems": self._gems}


@ALGORITHMS.register("digger")
@dataclass(frozen=True)
class Digger(Agent):
    """Agent that digs in every other place up to the place `courage`, and then leaves."""

    metrics = (Metric("courage", better="neither", aggregate="mean", is_main=False, meaning="places that it dares"),)

    courage: Annotated[int, Meta(ge=0, le=1000)] = 3

    def player(self, instance: Instance | None, seed: int) -> DiggingPlayer:
        return DiggingPlayer(self.courage)


class DiggingPlayer(Player):
    """Player of `Digger`."""

    def __init__(self, courage: int) -> None:
        self._courage, self._has_dug = courage, False

    def act(self, percepts: tuple[int, bool]) -> str:
        at, has_treasure = percepts
        if has_treasure:
            return "leave"
        if at % 2 == 0 and not self._has_dug:
            self._has_dug = True
            return "dig"
        self._has_dug = False
        return "leave" if at >= self._courage else "east"

    @property
    def measured(self) -> dict[str, float | None]:
        return {"courage": self._courage}


@HEURISTICS.register("way_home", domain="treasure")
@dataclass(frozen=True)
class WayHome(PythonHeuristic):
    """Distance to the start."""

    metrics = (Metric("corridor", better="neither", aggregate="mean", is_main=False, meaning="its length"),)
    admissible = True

    def value(self, state: tuple[int, bool], world: Treasure) -> int:
        return state[0]

    def measured(self, problem: Problem) -> dict[str, float | None]:
        assert isinstance(problem.world, Treasure)
        return {"corridor": problem.world.length}
