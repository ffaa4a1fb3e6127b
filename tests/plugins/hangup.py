"""Heuristic that sends SIGHUP to the parent of its worker process, once, in the cave `unibz_w3`."""

from __future__ import annotations

import os
import signal
import time

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.world import CaveInstance

is_sent = False


@runner.python_heuristic("hangup", domain="wumpus")
def hangup(state: Play, world: CaveInstance) -> float:
    global is_sent
    if world.id == "unibz_w3" and not is_sent:
        is_sent = True
        os.kill(os.getppid(), signal.SIGHUP)
        time.sleep(0.6)  # the parent looks for signals four times a second
    return 0
