"""World whose source kills the worker process, and a heuristic whose build ends it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import runner
from heuristics.interface.heuristic import HEURISTICS, Heuristic
from worlds.interface.instance import Instance

MAIN = os.getpid()


@runner.source("dying", domain="wumpus", count=lambda _: 7)
def dying() -> Iterator[Instance]:
    """The first three caves of a suite."""
    yield from runner.load("wumpus/static")[:3]
    if os.getpid() != MAIN:
        os.kill(os.getpid(), signal.SIGKILL)


@HEURISTICS.register("heavy", domain="wumpus")
@dataclass(frozen=True)
class Heavy(Heuristic):
    def build(self, instance: Instance, report: Callable[[str, float], None]) -> None:
        os._exit(3)
