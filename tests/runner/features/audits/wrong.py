"""Heuristics for caves that break one of their declarations on purpose."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from heuristics.interface.python_heuristic import PythonHeuristic
from heuristics.interface.stack import Stack
from runner.base.errors import UserError
from worlds.interface.instance import Instance
from worlds.npuzzle.rules import Board
from worlds.wumpus.rules import Play

_calls = itertools.count()


@dataclass(frozen=True)
class Wrong(PythonHeuristic):
    """Heuristic that is 0 except in one kind of state."""

    registered_name = "wrong"
    admissible: ClassVar[bool | None] = True
    consistent: ClassVar[bool | None] = True


class OffByOne(Wrong):
    """2 instead of 1 where only CLIMB is missing and the hunter faces north."""

    def value(self, state: Play, world: Any) -> float:
        return 2 if _only_climb_is_missing(state, world) and state.facing == "N" else 0


class OffByOneAtStart(Wrong):
    """3 instead of 2 (GRAB and CLIMB) at the start of a cave whose gold and exit are there."""

    def value(self, state: Play, world: Any) -> float:
        cave = world.cave
        at_start = state.square == cave.hunter == cave.gold == cave.exit and not state.has_gold
        return 3 if at_start and not state.climbed_out else 0


class InconsistentOverOneEdge(Wrong):
    """2 at the exit without the gold if the hunter faces south; a turn away costs 1.

    Admissible, because GRAB and CLIMB are missing.
    """

    def value(self, state: Play, world: Any) -> float:
        return 2 if state.square == world.cave.exit and state.facing == "S" and not state.has_gold else 0


class InfiniteAtOneState(Wrong):
    """Infinite where only CLIMB is missing and the hunter faces west."""

    def value(self, state: Play, world: Any) -> float:
        return math.inf if _only_climb_is_missing(state, world) and state.facing == "W" else 0


class NotZeroAtGoals(Wrong):
    """1 at goals if the hunter faces north."""

    def value(self, state: Play, world: Any) -> float:
        return int(state.has_gold and state.climbed_out and state.facing == "N")


class Turned(Wrong):
    """40 where the hunter faces north or east, so that searches avoid these states."""

    def value(self, state: Play, world: Any) -> float:
        return 0 if state.climbed_out or state.facing in "SW" else 40


class Forgetful(Wrong):
    """Value that changes with each call."""

    admissible = None
    consistent = None

    def value(self, state: Play, world: Any) -> float:
        return next(_calls) % 7


class KnowsOneSize(Wrong):
    """2 instead of 1 on one board of 2x3 cells, and a default on boards of other sizes."""

    def value(self, state: Board, world: Any) -> float:
        if len(state) != 6:
            return 20
        return 2 if state == (1, 2, 3, 4, 0, 5) else 0


class RefusesCavesWithoutWumpus(Wrong):
    """40 everywhere but at goals."""

    def check(self, instance: Instance) -> None:
        if instance.world.identity()["wumpus"] is None:
            raise UserError("heuristic: needs a wumpus")

    def value(self, state: Play, world: Any) -> float:
        return 0 if state.climbed_out else 40


def _only_climb_is_missing(state: Play, world: Any) -> bool:
    return state.has_gold and state.square == world.cave.exit and not state.climbed_out


def stack(heuristic: Wrong) -> Stack:
    return Stack((heuristic,))
