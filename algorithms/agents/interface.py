"""What an agent is: an algorithm that is asked for one action at a time, and sees only what is noticed after it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from algorithms.engine.search import CPU_LIMIT, INTERRUPTED, TIME_LIMIT, Limits
from algorithms.interface import Algorithm, UseOfHeuristic
from runner.registry import Incompatible
from worlds.game import Game
from worlds.interface import Instance


class Player(ABC):
    """One who plays one game.

    Attributes
    ----------
    deadline : float or None
        When `time.perf_counter` says this, the time of the game is over. A player who thinks for long may raise
        TimeoutError then.
    """

    deadline: float | None = None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the agent's own `metrics`."""
        return {}

    @abstractmethod
    def act(self, percepts: Any) -> str:
        """The next action, given what is noticed now."""


class Agent(Algorithm):
    """Base of all agents. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    omniscient : bool
        Whether it is shown the instance. Others know nothing but their parameters and what they notice.
    """

    heuristic: ClassVar[UseOfHeuristic] = "ignored"
    omniscient: ClassVar[bool] = False

    @abstractmethod
    def player(self, instance: Instance | None, seed: int) -> Player:
        """Somebody to play one game.

        Parameters
        ----------
        instance : Instance or None
            What is played; None unless the agent is omniscient.
        seed : int
            For whatever is left to chance; made from the identity of the row.
        """

    def warm(self) -> None:
        """Load what the first game needs, so that it is not measured."""

    def check(self, instance: Instance) -> None:
        """Refuse what is no game."""
        try:
            instance.online()
        except Incompatible as error:
            raise Incompatible(f"algorithm: {self.registered_name}: {error}") from None


def play(game: Game, player: Player, limits: Limits, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """Let a player play until the game is over, the time is up or it is told to stop; returns the status.

    Raises
    ------
    ValueError
        If the player does what is not possible.
    """
    if limits.time is not None:
        player.deadline = time.perf_counter() + limits.time
    cpu_deadline = None if limits.cpu is None else time.process_time() + limits.cpu
    while game.status is None:
        if is_stopped():
            return INTERRUPTED
        if player.deadline is not None and time.perf_counter() >= player.deadline:
            return TIME_LIMIT
        if cpu_deadline is not None and time.process_time() >= cpu_deadline:
            return CPU_LIMIT
        try:
            action = player.act(game.percepts)
        except TimeoutError:
            return TIME_LIMIT
        game.act(action)
    return game.status
