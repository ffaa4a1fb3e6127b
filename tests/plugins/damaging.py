"""Heuristic that writes over the environment.json of its run, or removes it if the file ``damage`` is empty."""

from pathlib import Path

import runner

CALLS = iter(range(100))
DAMAGE = Path("damage").read_text()
ENVIRONMENT = Path("out/environment.json")


@runner.python_heuristic("damaging", domain="wumpus")
def damaging(state: object) -> int:
    if next(CALLS, None) is None:  # often enough
        return 0
    if DAMAGE:
        ENVIRONMENT.write_text(DAMAGE)
    else:
        ENVIRONMENT.unlink(missing_ok=True)
    return 0
