"""Games: instances played by an agent that observes percepts only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class Game(ABC):
    """Game of an agent in an instance. The agent observes percepts only.

    Attributes
    ----------
    actions : list of str
        Actions taken so far.
    """

    actions: list[str]

    @property
    @abstractmethod
    def percepts(self) -> Any:
        """Current percepts, an object of the domain."""

    @abstractmethod
    def act(self, action: str) -> None:
        """Take one action. It changes the percepts, or ends the game and sets `status`.

        Raises
        ------
        ValueError
            If there is no such action, or the game is over.
        """

    @property
    @abstractmethod
    def status(self) -> str | None:
        """Name of one of the world's `statuses` after the end of the game; None before."""

    @property
    @abstractmethod
    def score(self) -> int:
        """Score so far."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """Cost of all actions so far."""

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the domain's own metrics for this game."""
        return {}
