"""A game: a play of an instance by an agent that does not see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class Game(ABC):
    """A play of an instance by an agent that does not see it, but notices percepts.

    Attributes
    ----------
    actions : list of str
        Those taken so far.
    """

    actions: list[str]

    @property
    @abstractmethod
    def percepts(self) -> Any:
        """What is noticed now, in the domain's own words."""

    @abstractmethod
    def act(self, action: str) -> None:
        """Take one action, after which there are new percepts, or a `status`.

        Raises
        ------
        ValueError
            If there is no such action, or the game is over.
        """

    @property
    @abstractmethod
    def status(self) -> str | None:
        """How the game has ended: one of the instance's `statuses`; None while it goes on."""

    @property
    @abstractmethod
    def score(self) -> int:
        """What the play is worth so far."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """Cost of all actions."""

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the domain's own metrics."""
        return {}
