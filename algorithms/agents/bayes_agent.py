"""The Bayesian agent: it weighs risks by their exact probabilities and looks ahead."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated

from msgspec import Meta

from algorithms.agents import lookahead
from algorithms.agents.belief import Belief, Rooms, belief, is_ahead
from algorithms.agents.explorer import SOLVER_METRICS, START, SolverPlayer
from algorithms.agents.interface import Agent
from algorithms.agents.macro_actions import KILLED, READY, SHOT
from algorithms.agents.planner import Planner
from algorithms.agents.rooms import MAX_SIDE
from algorithms.interface import ALGORITHMS
from runner.base import UserError
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB, GRAB, MOVE, SHOOT, STEP, Square

MAX_SIDE_TO_THE_END = 4
Side = Annotated[int, Meta(ge=2, le=MAX_SIDE)]


@ALGORITHMS.register("bayes_agent")
@dataclass(frozen=True)
class BayesAgent(Agent):
    """Maximise the expected score, looking several macro-actions ahead.

    A macro-action enters a new room, shoots, or leaves the cave. The posterior over pits, wumpus, gold and the side of
    the cave is exact while at most 12 breezy rooms share unvisited neighbours. With an unlimited look-ahead
    (``depth=null detour=null``) play is optimal for caves that match its parameters, with two exceptions. The agent
    shoots only while the wumpus may be in at most four rooms. With the gold it returns through known safe rooms only.

    Parameters
    ----------
    depth : int or None
        Number of macro-actions looked ahead; the score beyond is estimated. None: unlimited. This needs `budget_ms`
        or `sides` of at most 4.
    budget_ms : float or None
        Milliseconds per decision for looking deeper and deeper, up to `depth`. The decision then depends on the speed
        of the machine. None: look `depth` ahead, however long it takes.
    detour : int or None
        While there are safe new rooms, consider only those that cost at most so many actions more than the nearest.
        None: consider all rooms, and shots.
    pit_probability : float
        Probability of a pit in any room but the first, as the agent assumes.
    sides : list of int
        Possible sides of the cave, all equally likely at the start. A larger cave is explored up to the largest of
        them.
    """

    metrics = SOLVER_METRICS

    depth: Annotated[int, Meta(ge=1, le=125)] | None = 4
    budget_ms: Annotated[float, Meta(gt=0)] | None = None
    detour: Annotated[int, Meta(ge=0, le=1000)] | None = 0
    pit_probability: Annotated[float, Meta(gt=0, lt=1)] = 0.2
    sides: Annotated[list[Side], Meta(min_length=1)] = field(default_factory=lambda: [4, 5, 6, 7, 8, 9, 10])

    def player(self, instance: Instance | None, seed: int) -> BayesPlayer:
        """Make a player."""
        return BayesPlayer(self)

    def warm(self) -> None:
        """Compile the look-ahead, and the kernel that grows its table."""
        lookahead.move_table.compiled  # noqa: B018
        BayesPlayer(replace(self, depth=1)).act(Percepts(stench=False, breeze=False, glitter=False))

    def check(self, instance: Instance) -> None:
        """Refuse an instance that agents cannot play, and an unlimited look-ahead that takes too long."""
        if self.depth is None and self.budget_ms is None and max(self.sides) > MAX_SIDE_TO_THE_END:
            raise UserError(
                f"algorithm.depth: null takes too long for sides above {MAX_SIDE_TO_THE_END}; "
                "set algorithm.sides=[4] or less, or algorithm.budget_ms"
            )
        super().check(instance)


class BayesPlayer(SolverPlayer):
    """Player that performs the best macro-action, one after the other."""

    def __init__(self, agent: BayesAgent) -> None:
        super().__init__()
        self._agent = agent
        self._hit_rooms: Rooms | None = None

    @property
    def _arrow(self) -> int:
        return KILLED if self.wumpus_dead else READY if self.shot is None else SHOT

    def decide(self, percepts: Percepts) -> Sequence[str]:
        """Return the path to the next new room, or to a shot, or home."""
        if percepts.glitter:
            return [GRAB]
        agent, believed = self._agent, self.belief()
        if self.has_gold:
            return self._leave(believed)
        start = time.perf_counter()
        seconds = None if agent.budget_ms is None else agent.budget_ms / 1000
        planner = planner_for(max(agent.sides), agent.pit_probability, agent.detour)
        macro_action = planner.best_macro_action(
            believed, _from_zero(self.at), self.facing, self._arrow, agent.depth, seconds, self.deadline
        )
        self.count(time.perf_counter() - start)
        if macro_action.room is None:
            return self._leave(believed)
        x, y = macro_action.room
        if macro_action.shoots:
            return [*self.path((x + 1, y + 1), self.explored.keys(), macro_action.facing), SHOOT]
        dx, dy = STEP[macro_action.facing]
        return [*self.path((x + 1 - dx, y + 1 - dy), self.explored.keys(), macro_action.facing), MOVE]

    def belief(self) -> Belief:
        """Return the posterior, given everything noticed so far."""
        shot = None if self.shot is None else (_from_zero(self.shot[0]), self.shot[1])
        known = partial(
            belief,
            {_from_zero(room): noticed for room, noticed in self.explored.items()},
            self._agent.pit_probability,
            self._agent.sides,
            self.side,
        )
        if self.wumpus_dead and self._hit_rooms is None and shot is not None:
            self._hit_rooms = frozenset(room for room in known().wumpus if is_ahead(*shot, room))
        return known(shot, self._hit_rooms)

    def _leave(self, believed: Belief) -> list[str]:
        """Return the path home through rooms that are safe and inside the cave for every possible side."""
        if self.at == START:
            return [CLIMB]
        side = min(believed.sides)
        return self.path(START, {(x + 1, y + 1) for x, y in believed.safe if 0 <= x < side and 0 <= y < side})


def _from_zero(room: Square) -> Square:
    return room[0] - 1, room[1] - 1


@lru_cache(maxsize=1)
def planner_for(largest_side: int, pit_probability: float, detour: int | None) -> Planner:
    """Return the planner. All games share it, so that values computed in one are reused in the next."""
    return Planner(largest_side, pit_probability, detour)
