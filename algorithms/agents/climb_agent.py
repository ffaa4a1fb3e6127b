"""The agent that leaves at once: the baseline of all agents."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.agents.interface import Agent, Player
from algorithms.interface import ALGORITHMS
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB


class Climber(Player):
    """Player that climbs out."""

    def act(self, percepts: Percepts) -> str:
        """Climb out."""
        return CLIMB


@ALGORITHMS.register("climb_agent")
@dataclass(frozen=True)
class ClimbAgent(Agent):
    """Climb out with the first action. The score is always -1."""

    def player(self, instance: Instance | None, seed: int) -> Climber:
        """Make a player."""
        return Climber()
