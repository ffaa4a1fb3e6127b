"""Agent with a parameter, a memory and a metric: explore safe rooms, shoot east once at a stench, then go home.

python -m runner 'plugins=[runner.examples.patient]' algorithm=patient algorithm.patience=5 \
    world=wumpus/random world.size=4
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from algorithms.agents.explorer import START, Explorer
from runner import Metric, register
from runner.plugin import Agent
from worlds.wumpus.rules import CLIMB, GRAB, SHOOT


class Patient(Explorer):
    def __init__(self, patience):
        super().__init__()  # position, facing, explored rooms
        self.patience, self.walks = patience, 0

    def decide(self, percepts):
        known = self.explored.keys()
        if percepts.glitter:
            return [GRAB]
        new = self.new_rooms()
        if new and not self.has_gold and self.walks < self.patience:
            self.walks += 1
            return min((self.path(room, known) for room in new), key=len)
        if percepts.stench and self.shot is None and not self.has_gold:
            return [*self.path(self.at, known, "E"), SHOOT]  # turn east, then shoot
        return [CLIMB] if self.at == START else self.path(START, known)

    def new_rooms(self):
        """Return the rooms beside explored ones where neither a breeze nor a living wumpus was perceived."""
        quiet = [
            room
            for room, percepts in self.explored.items()
            if not percepts.breeze and (self.wumpus_dead or not percepts.stench)
        ]
        beside = {(x + dx, y + dy) for x, y in quiet for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        inside = [room for room in beside if min(room) >= 1 and (self.side is None or max(room) <= self.side)]
        return sorted(room for room in inside if room not in self.explored)

    @property
    def measured(self):
        return {"walks": self.walks}


@register("algorithm", "patient")
@dataclass(frozen=True)
class PatientAgent(Agent):
    """Walk to the nearest safe room, at most `patience` times; shoot east at a stench; go home.

    Parameters
    ----------
    patience : int
        Maximum number of walks.
    """

    metrics = (Metric("walks", better="neither", aggregate="mean", digits=1, meaning="walks to new rooms"),)

    patience: Annotated[int, Meta(ge=0)] = 10

    def player(self, instance, seed):
        return Patient(self.patience)
