"""Agent that sees only percepts: go straight on, and turn back at the first sign of danger.

python -m runner 'plugins=[runner.examples.timid]' algorithm=timid world=wumpus/random world.size=4
"""

from dataclasses import dataclass

from algorithms.agents.explorer import START, Explorer
from runner import register
from runner.plugin import Agent
from worlds.wumpus.rules import CLIMB, GRAB, MOVE


class Careful(Explorer):
    def decide(self, percepts):
        if percepts.glitter:
            return [GRAB]
        if self.has_gold or percepts.breeze or percepts.stench or percepts.bump:
            return [CLIMB] if self.at == START else self.path(START, self.explored.keys())
        return [MOVE]


@register("algorithm", "timid")
@dataclass(frozen=True)
class Timid(Agent):
    """Move straight on until there is a stench, a breeze or a bump, then go back and climb out."""

    def player(self, instance, seed):
        return Careful()
