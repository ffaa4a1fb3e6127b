"""Base of agents that explore: it keeps position and percepts, and finds shortest paths through known rooms.

Rooms are counted from 1: a game begins in (1, 1), facing east.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from algorithms.agents.interface import Player
from runner.base import Metric
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, GRAB, LEFT, MOVE, RIGHT, SHOOT, Square, ahead

START: Square = (1, 1)
FACING_ORDER = "ENWS"
SOLVER_METRICS = (
    Metric(
        "solver_calls",
        aggregate="mean",
        log_scale=False,
        is_main=False,
        label="solver calls",
        meaning="number of calls of an agent's solver: the answer-set program or the look-ahead",
    ),
    Metric("solver_seconds", "s", digits=6, is_main=False, label="solver time", meaning="wall time of these calls"),
)


class Explorer(Player):
    """Player that remembers.

    Attributes
    ----------
    at : (int, int)
        Room of the hunter.
    facing : {"N", "E", "S", "W"}
    explored : dict of Percepts
        Percepts by room, for all rooms where a decision was taken.
    side : int or None
        Side of the cave; None until the hunter has bumped into a far wall.
    shot : ((int, int), str) or None
        Room and direction of the shot; None before it.
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
        """Return the next actions, at least one. Called again when they are done or after a bump."""

    def act(self, percepts: Percepts) -> str:
        """Return the next action, given the present percepts.

        Raises
        ------
        TypeError
            If `decide` returns no list of actions, or a subclass has not called ``super().__init__()``.
        """
        if "_plan" not in vars(self):
            raise TypeError(f"{type(self).__name__}.__init__ must call super().__init__()")
        if self._last == MOVE and percepts.bump:
            wall = ahead(self.at, self.facing)
            self.side = self.side or (max(wall) - 1 if min(wall) > 0 else None)
            self._plan.clear()
        elif self._last == MOVE:
            self.at = ahead(self.at, self.facing)
        self.wumpus_dead = self.wumpus_dead or percepts.scream
        if not self._plan:
            self.explored[self.at] = percepts
            self._plan.extend(_checked(self.decide(percepts)))
        action = self._last = self._plan.popleft()
        self.facing = turned(self.facing, action)
        self.has_gold = self.has_gold or (action == GRAB and percepts.glitter)
        if action == SHOOT and self.shot is None:
            self.shot = self.at, self.facing
        return action

    def path(self, goal: Square, rooms: AbstractSet[Square], facings: str = FACING_ORDER) -> list[str]:
        """Return a shortest path (moves and turns) to a room that ends with one of the given facings.

        The path leads through the given rooms and the goal. Of equally short paths, the facing that is first in
        `facings` wins.

        Raises
        ------
        ValueError
            If there is no path.
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
        paths = [found[goal, facing] for facing in facings if (goal, facing) in found]
        if not paths:
            raise ValueError(f"there is no path from {self.at} to {goal} through the rooms {sorted(rooms)}")
        return min(paths, key=len)


def _checked(actions: object) -> list[str]:
    """Return the actions that `decide` returned, if they are a list of at least one."""
    found = list(actions) if isinstance(actions, (list, tuple, deque)) else []
    if not found or not all(isinstance(each, str) for each in found):
        raise TypeError(f"decide returned {actions!r}; expected a list of at least one action, such as [MOVE]")
    return found


def turned(facing: str, action: str) -> str:
    """Return the facing after an action."""
    turn = {LEFT: -1, RIGHT: 1}.get(action, 0)
    return FACINGS[(FACINGS.index(facing) + turn) % 4]


class SolverPlayer(Explorer):
    """Explorer that calls a solver and counts the calls (`SOLVER_METRICS`)."""

    def __init__(self) -> None:
        super().__init__()
        self.solver_calls, self.solver_seconds = 0, 0.0

    def count(self, seconds: float) -> None:
        """Count a call of the solver that took so many seconds."""
        self.solver_calls += 1
        self.solver_seconds += seconds

    @property
    def measured(self) -> dict[str, float | None]:
        """Number of calls of the solver and their time in seconds."""
        return {"solver_calls": self.solver_calls, "solver_seconds": self.solver_seconds}
