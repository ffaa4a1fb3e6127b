"""The agent that takes any action, whatever it notices."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from algorithms.agents.interface import Agent, Player
from runner.registry import register
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import ACTIONS


class RandomPlayer(Player):
    """Draws actions."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def act(self, percepts: Percepts) -> str:
        """Any of the six actions, all equally likely."""
        return ACTIONS[int(self._source.random() * len(ACTIONS))]


@register("algorithm", "random_agent")
@dataclass(frozen=True)
class RandomAgent(Agent):
    """Draws every action from all six, uniformly. Each cave has a stream of its own, whatever was played before.

    Parameters
    ----------
    seed : int
        Another one makes other streams.
    """

    seed: Annotated[int, Meta(ge=0, lt=2**62)] = 0

    def player(self, instance: Instance | None, seed: int) -> RandomPlayer:
        """Somebody who draws; `seed` depends on the parameter of that name, too."""
        return RandomPlayer(seed)
