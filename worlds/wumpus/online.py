"""Games in a hidden cave: the player gets percepts only.

The rules are those of `worlds.wumpus.rules`. The hunter starts facing east, and the exit is its start square.
Source: the online game of the "Hakuna Matata" document, clarified.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from runner.base import Metric, Status
from worlds.interface import Game
from worlds.wumpus import rules
from worlds.wumpus.rules import FACINGS, LEFT, MOVE, RIGHT, Cave, ahead

MAX_ACTIONS = 1000

ESCAPED_WITH_GOLD = Status(
    "escaped_with_gold", is_answer=True, is_success=True, meaning="the hunter climbed out with the gold"
)
ESCAPED = Status("escaped", is_answer=True, meaning="the hunter climbed out without the gold")
DIED = Status("died", is_answer=True, meaning="the hunter fell into a pit, or the wumpus ate it")
ACTION_LIMIT = Status("action_limit", is_answer=True, meaning=f"the game ended after {MAX_ACTIONS:,} actions")
STATUSES = (ESCAPED_WITH_GOLD, ESCAPED, DIED, ACTION_LIMIT)
METRICS = (
    Metric("arrow_used", is_main=False, meaning="whether an agent has shot the arrow"),
    Metric("rooms_explored", better="neither", log_scale=False, meaning="number of different rooms visited alive"),
)


@dataclass(frozen=True)
class Percepts:
    """Percepts of the hunter.

    Attributes
    ----------
    stench : bool
        The wumpus, dead or alive, is on this square or on one of the four around it.
    breeze : bool
        A pit is on one of the four squares around.
    glitter : bool
        The gold lies here.
    bump : bool
        A move was blocked. It lasts until the next turn or successful move.
    scream : bool
        The arrow has hit. It lasts until the next turn or successful move.
    """

    stench: bool
    breeze: bool
    glitter: bool
    bump: bool = False
    scream: bool = False


def unplayable_reason(cave: Cave) -> str | None:
    """Return why agents cannot play in a cave; None if they can. They need a square cave and a start in its corner."""
    if cave.size[0] != cave.size[1]:
        return "is not square"
    if cave.blocks:
        return "has blocks"
    if cave.hunter != (0, 0):
        return "does not start in the corner (0, 0)"
    return None if cave.exit == cave.hunter else "has its exit elsewhere than at the start"


def as_played(cave: Cave) -> Cave:
    """Return the cave as agents play it: the hunter faces east, and its start is the exit."""
    return replace(cave, facing="E", exit=cave.hunter)


class CaveGame(Game):
    """Game in a cave, which the player sees through percepts only.

    Parameters
    ----------
    cave : Cave
        Cave of the game; its facing and exit are replaced by `as_played`.
    """

    def __init__(self, cave: Cave) -> None:
        self._cave = as_played(cave)
        self._play = rules.start(self._cave)
        self._bump = self._scream = False
        self._entered = {self._play.square}
        self.actions = []

    @property
    def percepts(self) -> Percepts:
        """Present percepts of the hunter."""
        cave, play = self._cave, self._play
        around = [ahead(play.square, facing) for facing in FACINGS]
        return Percepts(
            stench=cave.wumpus is not None and cave.wumpus in (play.square, *around),
            breeze=any(square in cave.pits for square in around),
            glitter=play.square == cave.gold and not play.has_gold,
            bump=self._bump,
            scream=self._scream,
        )

    def act(self, action: str) -> None:
        """Take one action, which updates `percepts` and `status`.

        Raises
        ------
        ValueError
            If the action is unknown or the game is over.
        """
        if self.status is not None:
            raise ValueError("the game is over")
        square, alive = self._play.square, self._play.wumpus_alive
        rules.act(self._cave, self._play, action)
        if self._play.alive:
            self._entered.add(self._play.square)
        self.actions.append(action)
        if action in (LEFT, RIGHT) or self._play.square != square:
            self._bump = self._scream = False
        elif action == MOVE:
            self._bump = True
        elif self._play.wumpus_alive != alive:
            self._scream = True

    @property
    def status(self) -> str | None:
        """Name of the status that the game has ended with; None while it goes on."""
        if not self._play.alive:
            return DIED.name
        if self._play.climbed_out:
            return (ESCAPED_WITH_GOLD if self._play.has_gold else ESCAPED).name
        return ACTION_LIMIT.name if len(self.actions) >= MAX_ACTIONS else None

    @property
    def score(self) -> int:
        """Score: 1000 for climbing out with the gold, -1000 for dying, minus the cost of all actions."""
        return self._play.reward

    @property
    def cost(self) -> int:
        """Cost of all actions: 1 each, but 10 for the first shot."""
        return self._play.cost

    @property
    def measured(self) -> dict[str, float | None]:
        """Values of `METRICS`."""
        return {"arrow_used": not self._play.has_arrow, "rooms_explored": len(self._entered)}
