"""Base classes of agents: algorithms that get percepts and choose one action at a time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from algorithms.engine import Limits
from algorithms.interface import Algorithm, UseOfHeuristic
from runner.base import CPU_LIMIT, INTERRUPTED, TIME_LIMIT, Incompatible
from worlds.interface import Game, Instance, as_played


class Player(ABC):
    """Player of one game.

    Attributes
    ----------
    deadline : float or None
        Value of `time.perf_counter` at which the game's time is up; None without a limit. A player whose decisions
        take long may raise TimeoutError then.
    """

    deadline: float | None = None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the agent's `metrics`, by name."""
        return {}

    @abstractmethod
    def act(self, percepts: Any) -> str:
        """Return the next action, given the present percepts."""


class Agent(Algorithm):
    """Base of all agents. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    omniscient : bool
        Whether the agent sees the instance. Other agents know only their parameters and percepts.
    """

    heuristic: ClassVar[UseOfHeuristic] = "ignored"
    omniscient: ClassVar[bool] = False

    @abstractmethod
    def player(self, instance: Instance | None, seed: int) -> Player:
        """Make a player for one game.

        Parameters
        ----------
        instance : Instance or None
            Instance that is played; None unless the agent is omniscient.
        seed : int
            Seed for random choices, derived from the identity of the row.
        """

    def warm(self) -> None:
        """Import and compile what games need, so that the first game's time does not include it."""

    def check(self, instance: Instance) -> None:
        """Refuse an instance that agents cannot play."""
        try:
            as_played(instance)
        except Incompatible as error:
            raise Incompatible(f"algorithm: {self.registered_name}: {error}") from None


def play(game: Game, player: Player, limits: Limits, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """Play until the game is over, a limit is reached or `is_stopped` says so; return the status.

    Raises
    ------
    ValueError
        If the player returns an unknown action.
    TypeError
        If it returns anything else than the name of one action.
    """
    if limits.time is not None:
        player.deadline = time.perf_counter() + limits.time
    cpu_deadline = None if limits.cpu is None else time.process_time() + limits.cpu
    while game.status is None:
        if is_stopped():
            return INTERRUPTED.name
        if player.deadline is not None and time.perf_counter() >= player.deadline:
            return TIME_LIMIT.name
        if cpu_deadline is not None and time.process_time() >= cpu_deadline:
            return CPU_LIMIT.name
        try:
            action = player.act(game.percepts)
        except TimeoutError:
            return TIME_LIMIT.name
        if not isinstance(action, str):
            raise TypeError(f"act returned {action!r}; expected the name of one action")
        game.act(action)
    return game.status
