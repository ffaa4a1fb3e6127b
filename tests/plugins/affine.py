"""Heuristic that writes, once in each process, which processors it may use. The process ends in the third cave."""

import os
from functools import cache
from pathlib import Path

import runner
from worlds.interface.instance import Instance

PROCESSORS = Path("processors")


@cache
def note(process: int) -> None:
    with PROCESSORS.open("a") as file:
        file.write(f"{sorted(os.sched_getaffinity(process))}\n")


@runner.python_heuristic("affine", domain="wumpus")
def affine(state: object, world: Instance) -> int:
    note(os.getpid())
    if world.id == "unibz_w3":
        os._exit(7)
    return 0
