"""Heuristic that sleeps at its first evaluation in each cave: 1.2 s in `unibz_w2`, 0.1 s in the others."""

from __future__ import annotations

import time

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.sources import StaticCaves
from worlds.wumpus.world import CaveWorld

CAVES = {each.id: each.rules.cave for each in StaticCaves().instances()}
SEEN: set[CaveWorld] = set()


@runner.python_heuristic("slow", domain="wumpus")
def slow(state: Play, world: CaveWorld) -> float:
    if world not in SEEN:
        SEEN.add(world)
        time.sleep(1.2 if world.cave == CAVES["unibz_w2"] else 0.1)
    return 0
