"""Heuristic that sleeps at its first evaluation in each cave: 1.2 s in `unibz_w2`, 0.1 s in the others."""

from __future__ import annotations

import time

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.world import CaveInstance

SEEN: set[str] = set()


@runner.python_heuristic("slow", domain="wumpus")
def slow(state: Play, world: CaveInstance) -> float:
    if world.id not in SEEN:
        SEEN.add(world.id)
        time.sleep(1.2 if world.id == "unibz_w2" else 0.1)
    return 0
