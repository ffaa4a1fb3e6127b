"""The rules of the Wumpus cave under full information, in plain Python.

A cave is a grid of squares (x, y), 0-based, (0, 0) at the bottom left, north is +y. The hunter fetches the gold and
climbs out at the exit. Every action costs 1, but SHOOT costs 10 while there is an arrow. This module is the reference
implementation: it validates plans, and tests compare with it. The search uses the packed `worlds.wumpus.search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.base import suggest

Square = tuple[int, int]

MOVE, RIGHT, LEFT, SHOOT, GRAB, CLIMB = ACTIONS = ("MOVE", "RIGHT", "LEFT", "SHOOT", "GRAB", "CLIMB")
COST = {MOVE: 1, RIGHT: 1, LEFT: 1, GRAB: 1, CLIMB: 1, SHOOT: 10}
FACINGS = "NESW"
STEP = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}

PRIZE = 1000
DEATH = -1000


@dataclass(frozen=True)
class Cave:
    """Cave with the hunter at its start.

    Attributes
    ----------
    size : (int, int)
        Width and height in squares.
    hunter, facing
        Start square and facing (one of "NESW").
    gold, exit : (int, int)
    wumpus : (int, int) or None
        Square of the wumpus; None if there is no wumpus.
    pits, blocks : frozenset of (int, int)
        Pits may lie under the gold or the wumpus. Blocks are walls.
    """

    size: tuple[int, int]
    hunter: Square
    facing: str
    gold: Square
    exit: Square
    wumpus: Square | None = None
    pits: frozenset[Square] = frozenset()
    blocks: frozenset[Square] = frozenset()

    def is_open(self, square: Square) -> bool:
        """Return whether a square is inside the cave and not a block."""
        x, y = square
        return 0 <= x < self.size[0] and 0 <= y < self.size[1] and square not in self.blocks


@dataclass(slots=True)
class Play:
    """State of a game, changed by `act`. The cave itself never changes."""

    square: Square
    facing: str
    has_gold: bool = False
    has_arrow: bool = True
    wumpus_alive: bool = True
    alive: bool = True
    climbed_out: bool = False
    cost: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no further action has an effect."""
        return self.climbed_out or not self.alive

    @property
    def reward(self) -> int:
        """Score: 1000 for climbing out with the gold, -1000 for dying, minus the cost of all actions."""
        if not self.alive:
            return DEATH - self.cost
        return (PRIZE if self.climbed_out and self.has_gold else 0) - self.cost


def start(cave: Cave) -> Play:
    """Return the state before the first action."""
    return Play(cave.hunter, cave.facing, wumpus_alive=cave.wumpus is not None)


def act(cave: Cave, play: Play, action: str) -> None:
    """Take one action. An action without effect costs too, until the game is over.

    Raises
    ------
    ValueError
        If the action is unknown.
    """
    if action not in COST:
        raise ValueError(f"there is no action {action!r}{suggest(action, COST)}")
    if play.climbed_out or not play.alive:
        return
    play.cost += COST[action] if action != SHOOT or play.has_arrow else 1
    if action == MOVE:
        square = ahead(play.square, play.facing)
        if cave.is_open(square):
            play.square = square
            play.alive = not (square in cave.pits or (square == cave.wumpus and play.wumpus_alive))
    elif action == RIGHT:
        play.facing = FACINGS[(FACINGS.index(play.facing) + 1) % 4]
    elif action == LEFT:
        play.facing = FACINGS[FACINGS.index(play.facing) - 1]
    elif action == GRAB:
        play.has_gold = play.has_gold or play.square == cave.gold
    elif action == CLIMB:
        play.climbed_out = play.square == cave.exit
    elif play.has_arrow:
        play.has_arrow = False
        play.wumpus_alive = play.wumpus_alive and not arrow_hits(cave, play.square, play.facing)


def simulate(cave: Cave, plan: Sequence[str]) -> Play:
    """Return the state after all actions of a plan."""
    play = start(cave)
    for action in plan:
        act(cave, play, action)
    return play


def ahead(square: Square, facing: str) -> Square:
    """Return the next square in a direction."""
    return square[0] + STEP[facing][0], square[1] + STEP[facing][1]


def arrow_hits(cave: Cave, square: Square, facing: str) -> bool:
    """Return whether an arrow from a square hits the wumpus. It flies to the wall or a block; pits do not stop it."""
    while cave.is_open(square):
        if square == cave.wumpus:
            return True
        square = ahead(square, facing)
    return False
