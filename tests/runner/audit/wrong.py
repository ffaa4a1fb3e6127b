"""Wumpus heuristics that are wrong on purpose, each in one way."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from heuristics.python_heuristic import PythonHeuristic
from heuristics.stack import Stack
from worlds.wumpus.rules import Play

_calls = itertools.count()


@dataclass(frozen=True)
class Wrong(PythonHeuristic):
    """Heuristic that is 0 except in one kind of state."""

    registered_name = "wrong"
    admissible = True
    consistent = True


class OffByOne(Wrong):
    """2 where only CLIMB is missing, facing north: 1 is right."""

    def value(self, state: Play, world: Any) -> float:
        return 2 if _before_the_end(state, world) and state.facing == "N" else 0


class OffByOneAtStart(Wrong):
    """3 at the start of a cave whose gold is there. GRAB and CLIMB cost 2."""

    def value(self, state: Play, world: Any) -> float:
        cave = world.cave
        at_start = state.square == cave.hunter == cave.gold == cave.exit and not state.has_gold
        return 3 if at_start and not state.climbed_out else 0


class InconsistentOverOneEdge(Wrong):
    """2 at the exit without the gold, facing south. Admissible, as GRAB and CLIMB are missing; but a turn costs 1."""

    def value(self, state: Play, world: Any) -> float:
        return 2 if state.square == world.cave.exit and state.facing == "S" and not state.has_gold else 0


class InfiniteAtOneState(Wrong):
    """Infinite where only CLIMB is missing, facing west."""

    def value(self, state: Play, world: Any) -> float:
        return math.inf if _before_the_end(state, world) and state.facing == "W" else 0


class NotZeroAtGoals(Wrong):
    """1 at goals, facing north."""

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


def _before_the_end(state: Play, world: Any) -> bool:
    return state.has_gold and state.square == world.cave.exit and not state.climbed_out


def stack(heuristic: Wrong) -> Stack:
    return Stack((heuristic,))
