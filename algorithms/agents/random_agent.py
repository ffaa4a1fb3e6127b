"""The agent that draws its actions at random."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from algorithms.agents.interface import Agent, Player
from algorithms.interface import ALGORITHMS
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import ACTIONS


class RandomPlayer(Player):
    """Player that draws its actions."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def act(self, percepts: Percepts) -> str:
        """Draw one of the six actions, all equally likely."""
        return ACTIONS[int(self._source.random() * len(ACTIONS))]


@ALGORITHMS.register("random_agent")
@dataclass(frozen=True)
class RandomAgent(Agent):
    """Draw every action uniformly from all six. Each cave has its own random stream.

    Parameters
    ----------
    seed : int
        Seed that all streams depend on.
    """

    seed: Annotated[int, Meta(ge=0, lt=2**62)] = 0

    def player(self, instance: Instance | None, seed: int) -> RandomPlayer:
        """Make a player. The argument `seed` depends on the parameter `seed` as well."""
        return RandomPlayer(seed)
