"""Definitions of tasks: where the SAS+ task of an instance comes from, and what plays its plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from worlds.interface import Replay
from worlds.pddl import rules
from worlds.pddl.state import PlanningState
from worlds.pddl.task import CostMode, Task
from worlds.refusal import impossible


class Definition(ABC):
    """What defines a planning task."""

    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Return what distinguishes the task, as JSON-compatible values."""

    @abstractmethod
    def task(self) -> Task:
        """Return the task in SAS+, with the costs of the files.

        Raises
        ------
        worlds.interface.Unsolvable
            If there is proof that the task has no solution.
        """

    @abstractmethod
    def replay(self, plan: Sequence[str], costs: CostMode) -> Replay:
        """Play a plan by the rules."""


@dataclass(frozen=True, eq=False)
class SasDefinition(Definition):
    """A task that was read from a SAS+ file.

    Attributes
    ----------
    text : str
        Content of the file.
    """

    text: str = field(repr=False)
    translated: Task = field(repr=False)

    def key(self) -> dict[str, Any]:
        """Return a digest of the file."""
        return {"sas": sha256(self.text.encode()).hexdigest()}

    def task(self) -> Task:
        """Return the task of the file."""
        return self.translated

    def replay(self, plan: Sequence[str], costs: CostMode) -> Replay:
        """Play a plan by `worlds.pddl.rules`."""
        task = self.translated.with_costs(costs)
        steps = [(task.initial, 0), *rules.play(task, plan)]
        played, (end, cost) = len(steps) - 1, steps[-1]
        if played == len(plan):
            return Replay(rules.is_goal(task, end), cost)
        allowed = (operator.name for operator, _ in rules.successors(task, end))
        return Replay(False, cost, failure=impossible(played + 1, plan[played], PlanningState(task, end), allowed))
