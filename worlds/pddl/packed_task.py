"""A task with everything that is derived from it once: the packing of its states, and what kernels see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worlds.pddl.fact_names import FactNames
from worlds.pddl.packing import Packing, packing_of
from worlds.pddl.search import world_of
from worlds.pddl.task import Task


@dataclass(frozen=True, eq=False)
class PackedTask:
    """A task in its packed form.

    Attributes
    ----------
    task : Task
    """

    task: Task

    @cached_property
    def packing(self) -> Packing:
        """Packing of the states."""
        return packing_of(self.task)

    @cached_property
    def world(self) -> NDArray[np.int64]:
        """The task as kernels see it."""
        return world_of(self.task, self.packing)

    @cached_property
    def fact_names(self) -> FactNames:
        """Names of the facts that hold in packed states."""
        return FactNames(self.task, self.packing)
