"""Places of workers on the machine: a physical core if they are pinned, and a control group if there are any."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from runner.config import Measure
from runner.machine import (
    ControlGroup,
    Core,
    Delegation,
    allowed_processors,
    delegated,
    pin,
    processors_left,
    reserved_cores,
)


class Place:
    """Place of one worker at a time.

    Parameters
    ----------
    number : int
    core : Core, optional
    delegation : Delegation, optional
        Makes the control group of the worker.

    Attributes
    ----------
    core : Core or None
        Core that the worker keeps to.
    group : ControlGroup or None
        Control group of the worker.
    """

    def __init__(self, number: int = 0, core: Core | None = None, delegation: Delegation | None = None) -> None:
        self.core = core
        self.group: ControlGroup | None = None
        self._number = number
        self._delegation = delegation

    def prepare(self) -> None:
        """Make the control group of the next worker."""
        if self._delegation is not None:
            self.group = self._delegation.worker(self._number)

    def enter(self) -> None:
        """Let this process, the worker, take the place."""
        if self.core is not None:
            pin(self.core)
        if self.group is not None:
            self.group.add()

    def leave(self) -> bool:
        """End what the worker has left, and return whether the system killed a process at the limit of its memory."""
        if self.group is None or self._delegation is None:
            return False
        is_killed_at_limit = self.group.is_killed_at_limit
        self.group = None
        self._delegation.remove_worker(self._number)
        return is_killed_at_limit


@contextmanager
def places(workers: int, *, pinned: bool, measure: Measure) -> Iterator[list[Place]]:
    """Yield a place for each worker. Meanwhile the command itself keeps to the processors that no worker has.

    Raises
    ------
    UserError
        If there are not enough physical cores, or control groups are required, and there are none.
    """
    before = allowed_processors()
    groups = nullcontext() if measure == "process" or not workers else delegated(is_required=measure == "cgroup")
    with reserved_cores(workers if pinned else 0) as cores, groups as delegation:
        core_of_worker: list[Core | None] = [*cores] or [None] * workers
        if cores:
            os.sched_setaffinity(0, processors_left(cores))
        try:
            yield [Place(number, core, delegation) for number, core in enumerate(core_of_worker)]
        finally:
            if cores:
                os.sched_setaffinity(0, before)
