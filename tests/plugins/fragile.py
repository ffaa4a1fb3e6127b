"""Heuristic that raises an exception for some caves as long as there is a file ``broken``."""

from pathlib import Path

import runner
from worlds.interface.instance import Instance


@runner.python_heuristic("fragile", domain="wumpus")
def fragile(state: object, world: Instance) -> int:
    if Path("broken").exists() and world.id.endswith(("3", "7")):
        raise ValueError("broken")
    return 0
