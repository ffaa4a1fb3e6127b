"""Game of an agent on an instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.agents.interface import Agent, Player, play
from algorithms.engine import Limits
from runner.execution.attempt import Attempt
from runner.execution.solver_base import SolverBase
from worlds.interface import Game, Instance, as_played

_WARMING_GAME_SECONDS = 0.1
_SEED_DIGITS = 12
"""Number of digits of the `run_id` that seed the random choices of an agent."""


class GameAttempt(Attempt):
    """Game of an agent. A replay of its actions validates the score."""

    def __init__(self, solver: SolverBase, agent: Agent, instance: Instance, columns: dict[str, Any]) -> None:
        super().__init__(solver, instance, columns)
        self._agent = agent
        self._game: Game | None = None
        self._player: Player | None = None

    def _warm(self) -> None:
        self._agent.warm()

    def _rehearse(self) -> None:
        instance = as_played(self._instance)
        world = instance.world.playable
        assert world is not None  # `as_played` has refused worlds that are no games
        player = self._agent.player(instance if self._agent.omniscient else None, seed=0)
        play(world.new_game(), player, Limits(time=_WARMING_GAME_SECONDS), self._is_stopped)

    def _run(self) -> str:
        self._instance = as_played(self._instance)
        world = self._instance.world.playable
        assert world is not None  # `as_played` has refused worlds that are no games
        game = self._game = world.new_game()
        self._start_clock()
        seed = int(self.columns["run_id"][:_SEED_DIGITS], 16)
        self._player = self._agent.player(self._instance if self._agent.omniscient else None, seed)
        status = play(game, self._player, self._limits, self._is_stopped)
        if game.status is not None and game.status not in {each.name for each in world.statuses}:
            raise ValueError(f"status '{game.status}' is not declared: add a Status to the statuses of the world")
        return status

    def _count(self) -> None:
        game = self._game
        if game is None or self._player is None:
            return
        plan = tuple(game.actions)
        if game.status is not None:
            replay = self._instance.world.replay(plan)
            valid = (replay.cost, replay.reward) == (game.cost, game.score)
            self.columns.update(plan=plan, cost=game.cost, length=len(plan), reward=game.score, valid=valid)
        self.columns["actions"] = len(plan)

    def _measured(self, status: str) -> Mapping[str, float | str | None]:  # noqa: ARG002
        game = {} if self._game is None else self._game.measured
        return {**game, **({} if self._player is None else self._player.measured)}
