"""The reference agent of the "Hakuna Matata" document: it sees the cave."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from algorithms.agents.explorer import turned
from algorithms.agents.interface import Agent, Player
from algorithms.interface import ALGORITHMS
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB, GRAB, LEFT, MOVE, RIGHT, SHOOT, Cave, Square, ahead
from worlds.wumpus.world import CaveWorld

MIRRORED = {LEFT: RIGHT, RIGHT: LEFT, MOVE: MOVE}
INTO_THE_WUMPUS = 10


class Guided(Player):
    """Player that follows a plan."""

    def __init__(self, plan: list[str]) -> None:
        self._rest = iter(plan)

    def act(self, percepts: Percepts) -> str:
        """Return the next action of the plan."""
        return next(self._rest)


@ALGORITHMS.register("perfect_agent")
@dataclass(frozen=True)
class PerfectAgent(Agent):
    """Take the optimal path to the gold and the same path back; climb out at once if there is no path.

    A turn and a move cost 1. The move into the wumpus's room counts as 10 and is played as a shot and a move.
    Of paths with equal cost, one that begins with a left turn comes first: reversed, its last turn can be omitted.
    The whole plan is not optimal, because another path back may be cheaper. (`astar` on the same cave with
    ``world.facing=E`` is optimal.) Source: the "Hakuna Matata" document.
    """

    omniscient: ClassVar[bool] = True

    def player(self, instance: Instance | None, seed: int) -> Guided:
        """Plan for the cave and make a player that follows the plan."""
        assert instance is not None
        assert isinstance(instance.world, CaveWorld)
        return Guided(plan(instance.world.cave))


def plan(cave: Cave) -> list[str]:
    """Return all actions of the game."""
    path = None if cave.gold in cave.pits else optimal_path(cave)
    if path is None:
        return [CLIMB]
    back = [MIRRORED[action] for action in reversed(path) if action != SHOOT]
    if path[:1] == [LEFT]:
        back.pop()
    return [*path, GRAB, LEFT, LEFT, *back, CLIMB] if path else [GRAB, CLIMB]


def optimal_path(cave: Cave) -> list[str] | None:
    """Return the turns, moves and shots of an optimal path to the gold; None if there is no path."""
    closed: set[tuple[Square, str]] = set()
    order = count()
    queue: list[tuple[int, bool, int, Square, str, list[str]]]
    queue = [(0, True, next(order), cave.hunter, cave.facing, [])]
    while queue:
        cost, no_left_start, _, square, facing, path = heapq.heappop(queue)
        if square == cave.gold:
            return path
        if (square, facing) in closed:
            continue
        closed.add((square, facing))
        for action in (MOVE, LEFT, RIGHT):
            after = ahead(square, facing) if action == MOVE else square
            if cave.is_open(after) and after not in cave.pits:
                shoots = action == MOVE and after == cave.wumpus
                no_left_start = no_left_start if path else action != LEFT
                total = cost + (INTO_THE_WUMPUS if shoots else 1)
                longer = [*path, SHOOT, MOVE] if shoots else [*path, action]
                heapq.heappush(queue, (total, no_left_start, next(order), after, turned(facing, action), longer))
    return None
