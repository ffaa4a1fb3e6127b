"""The agent that leaves at once: what all others must beat."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.agents.interface import Agent, Player
from runner.registry import register
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB


class Climber(Player):
    """Climbs."""

    def act(self, percepts: Percepts) -> str:
        """Climb out."""
        return CLIMB


@register("algorithm", "climb_agent")
@dataclass(frozen=True)
class ClimbAgent(Agent):
    """Climbs out with the first action; its score is always -1."""

    def player(self, instance: Instance | None, seed: int) -> Climber:
        """Somebody who climbs."""
        return Climber()
