"""Heuristic that sleeps at its first evaluation in each cave: 3 s in `unibz_w2`, 0.3 s in the others."""

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
        time.sleep(3 if world.id == "unibz_w2" else 0.3)
    return 0
