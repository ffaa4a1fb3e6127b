"""Places of workers on the machine: a physical core for each if they are pinned."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from runner.machine.processors import Core, allowed_processors, cores_for, pin, processors_left


@dataclass(frozen=True)
class Place:
    """Place of one worker at a time.

    Attributes
    ----------
    core : Core or None
        Core that the worker keeps to.
    """

    core: Core | None = None

    def enter(self) -> None:
        """Let this process, a worker, take the place."""
        if self.core is not None:
            pin(self.core)


@contextmanager
def places(workers: int, *, pinned: bool) -> Iterator[list[Place]]:
    """Yield a place for each worker. Meanwhile the command itself keeps to the processors that no worker has.

    Raises
    ------
    UserError
        If there are not enough physical cores.
    """
    cores = cores_for(workers) if pinned else []
    before = allowed_processors()
    if cores:
        os.sched_setaffinity(0, processors_left(cores))
    try:
        yield [Place(core) for core in cores] or [Place() for _ in range(workers)]
    finally:
        if cores:
            os.sched_setaffinity(0, before)
