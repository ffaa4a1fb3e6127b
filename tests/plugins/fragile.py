"""Heuristic that fails on some caves as long as there is a file ``broken``."""

from pathlib import Path

import runner


@runner.python_heuristic("fragile", domain="wumpus")
def fragile(state, world):
    if Path("broken").exists() and world.id.endswith(("3", "7")):
        raise ValueError("broken")
    return 0
