"""World whose source kills the worker process, and a heuristic whose build ends it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from heuristics.interface import HEURISTICS, Heuristic
from worlds.interface import Instance
from worlds.sources import WORLDS
from worlds.wumpus.sources import StaticCaves
from worlds.wumpus.world import CaveInstance

MAIN = os.getpid()


@WORLDS.register("dying")
@dataclass(frozen=True)
class Dying(StaticCaves):
    def instances(self) -> Iterator[CaveInstance]:
        yield from islice(super().instances(), 3)
        if os.getpid() != MAIN:
            os.kill(os.getpid(), signal.SIGKILL)


@HEURISTICS.register("heavy", domain="wumpus")
@dataclass(frozen=True)
class Heavy(Heuristic):
    def build(self, instance: Instance, report: Callable[[str, float], None]) -> None:
        os._exit(3)
