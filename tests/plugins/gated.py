"""Heuristic that lets as many caves pass in each process as the file ``gate`` says, until the file is removed."""

from __future__ import annotations

import time
from pathlib import Path

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.world import CaveInstance

GATE = Path("gate")
SEEN: set[str] = set()


@runner.python_heuristic("gated", domain="wumpus")
def gated(state: Play, world: CaveInstance) -> float:
    if world.id not in SEEN:
        SEEN.add(world.id)
        if GATE.exists():
            pass_or_wait(int(GATE.read_text()))
    return 0


def pass_or_wait(caves: int) -> None:
    if len(SEEN) == caves:
        time.sleep(0.05)  # the rows of caves that take less are sent together, when one has taken longer
    while len(SEEN) > caves and GATE.exists():
        time.sleep(0.02)
