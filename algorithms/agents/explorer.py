"""What agents that explore have in common: where they are, what they have noticed, and ways through what they know.

Rooms are counted from 1: a game begins in (1, 1), facing east.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from algorithms.agents.interface import Player
from runner.metric import Metric
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, GRAB, LEFT, MOVE, RIGHT, SHOOT, Square, ahead

START: Square = (1, 1)
ARRIVALS = "ENWS"
SOLVER_METRICS = (
    Metric(
        "solver_calls",
        aggregate="mean",
        log=False,
        is_main=False,
        label="solver calls",
        meaning="how often an agent has asked its solver: the answer-set program, the look ahead",
    ),
    Metric("solver_seconds", "s", digits=6, is_main=False, label="solver time", meaning="wall time of that"),
)


class Explorer(Player):
    """A player who remembers.

    Attributes
    ----------
    at : (int, int)
        The room.
    facing : {"N", "E", "S", "W"}
    explored : dict of Percepts
        What was noticed in the rooms where a decision was taken.
    side : int or None
        Of the cave, once a wall was bumped into.
    shot : ((int, int), str) or None
        Room and direction of the shot.
    has_gold, wumpus_dead : bool
    """

    def __init__(self) -> None:
        self.at, self.facing = START, "E"
        self.explored: dict[Square, Percepts] = {}
        self.side: int | None = None
        self.shot: tuple[Square, str] | None = None
        self.has_gold = self.wumpus_dead = False
        self._plan: deque[str] = deque()
        self._last = ""

    @abstractmethod
    def decide(self, percepts: Percepts) -> Sequence[str]:
        """What to do next, at least one action; asked again when it is done, or after a bump."""

    def act(self, percepts: Percepts) -> str:
        """The next action, given what is noticed now."""
        if self._last == MOVE and percepts.bump:
            wall = ahead(self.at, self.facing)
            self.side = self.side or (max(wall) - 1 if min(wall) > 0 else None)
            self._plan.clear()
        elif self._last == MOVE:
            self.at = ahead(self.at, self.facing)
        self.wumpus_dead = self.wumpus_dead or percepts.scream
        if not self._plan:
            self.explored[self.at] = percepts
            self._plan.extend(self.decide(percepts))
        action = self._last = self._plan.popleft()
        self.facing = turned(self.facing, action)
        self.has_gold = self.has_gold or (action == GRAB and percepts.glitter)
        if action == SHOOT and self.shot is None:
            self.shot = self.at, self.facing
        return action

    def way(self, goal: Square, rooms: AbstractSet[Square], facings: str = ARRIVALS) -> list[str]:
        """The fewest moves and turns to a room, through the given rooms (and the goal), facing as asked for there.

        Of equally short ways, the one that arrives in the first of the facings.

        Raises
        ------
        ValueError
            If no way leads there.
        """
        found: dict[tuple[Square, str], list[str]] = {(self.at, self.facing): []}
        queue = deque(found)
        while queue:
            room, facing = queue.popleft()
            for action in (MOVE, LEFT, RIGHT):
                after = (ahead(room, facing) if action == MOVE else room), turned(facing, action)
                if after not in found and (after[0] in rooms or after[0] == goal):
                    found[after] = [*found[room, facing], action]
                    queue.append(after)
        return min((found[goal, facing] for facing in facings if (goal, facing) in found), key=len)


def turned(facing: str, action: str) -> str:
    """The facing after an action."""
    turn = {LEFT: -1, RIGHT: 1}.get(action, 0)
    return FACINGS[(FACINGS.index(facing) + turn) % 4]


class SolverPlayer(Explorer):
    """An explorer that asks a solver, and counts that (`SOLVER_METRICS`)."""

    def __init__(self) -> None:
        super().__init__()
        self.solver_calls, self.solver_seconds = 0, 0.0

    def count(self, seconds: float) -> None:
        """Count a call of the solver."""
        self.solver_calls += 1
        self.solver_seconds += seconds

    @property
    def measured(self) -> dict[str, float | None]:
        """Calls of the solver, and their time."""
        return {"solver_calls": self.solver_calls, "solver_seconds": self.solver_seconds}
