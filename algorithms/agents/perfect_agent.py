"""The yardstick of the "Hakuna Matata" document: an agent that is shown the cave."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from algorithms.agents.explorer import turned
from algorithms.agents.interface import Agent, Player
from runner.registry import register
from worlds.interface import Instance
from worlds.wumpus.instance import WumpusInstance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB, GRAB, LEFT, MOVE, RIGHT, SHOOT, Cave, Square, ahead

MIRRORED = {LEFT: RIGHT, RIGHT: LEFT, MOVE: MOVE}
INTO_THE_WUMPUS = 10


class Guided(Player):
    """Follows a plan."""

    def __init__(self, plan: list[str]) -> None:
        self._rest = iter(plan)

    def act(self, percepts: Percepts) -> str:
        """The next action of the plan."""
        return next(self._rest)


@register("algorithm", "perfect_agent")
@dataclass(frozen=True)
class PerfectAgent(Agent):
    """Takes the cheapest way to the gold and the same way back; climbs out at once if none leads to it.

    On the way a turn and a move cost 1, and the move into the room of the wumpus 10, done as a shot and a move.
    Of equally cheap ways, one that begins with a left turn comes first, because on the way back its last turn is left
    out. Not optimal: the way back could be another one. (`astar` is, on the same cave with ``world.facing=E``.)
    Source: the "Hakuna Matata" document.
    """

    omniscient: ClassVar[bool] = True

    def player(self, instance: Instance | None, seed: int) -> Guided:
        """Somebody with a plan for this cave."""
        assert isinstance(instance, WumpusInstance)
        return Guided(plan(instance.cave))


def plan(cave: Cave) -> list[str]:
    """All actions."""
    way = None if cave.gold in cave.pits else optimal_path(cave)
    if way is None:
        return [CLIMB]
    back = [MIRRORED[action] for action in reversed(way) if action != SHOOT]
    if way[:1] == [LEFT]:
        back.pop()
    return [*way, GRAB, LEFT, LEFT, *back, CLIMB] if way else [GRAB, CLIMB]


def optimal_path(cave: Cave) -> list[str] | None:
    """Turns, moves and shots that lead to the gold; None if no way does."""
    done: set[tuple[Square, str]] = set()
    order = count()
    queue: list[tuple[int, bool, int, Square, str, list[str]]]
    queue = [(0, True, next(order), cave.hunter, cave.facing, [])]
    while queue:
        cost, is_plain, _, square, facing, way = heapq.heappop(queue)
        if square == cave.gold:
            return way
        if (square, facing) in done:
            continue
        done.add((square, facing))
        for action in (MOVE, LEFT, RIGHT):
            after = ahead(square, facing) if action == MOVE else square
            if cave.is_open(after) and after not in cave.pits:
                shoots = action == MOVE and after == cave.wumpus
                plain = action != LEFT if not way else is_plain
                total = cost + (INTO_THE_WUMPUS if shoots else 1)
                longer = [*way, SHOOT, MOVE] if shoots else [*way, action]
                heapq.heappush(queue, (total, plain, next(order), after, turned(facing, action), longer))
    return None
