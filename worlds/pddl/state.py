"""States as heuristics in plain Python see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from worlds.pddl.task import Task, Values


class PlanningState(Mapping[str, str]):
    """State of a planning task: a mapping from the name of each variable to the name of its value.

    Parameters
    ----------
    task : Task
    numbers : tuple of int
        Value of each variable, by number.
    """

    def __init__(self, task: Task, numbers: Values) -> None:
        self.task, self.numbers = task, numbers

    def __getitem__(self, variable: str) -> str:
        number = self.task.numbers[variable]
        return self.task.facts[number][self.numbers[number]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.task.names)

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PlanningState) and other.task is self.task:
            return self.numbers == other.numbers
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return f"{{{', '.join(sorted(self.facts))}}}"

    @cached_property
    def facts(self) -> frozenset[str]:
        """Names of all facts that hold, such as ``on(a, b)``. Facts that can never change are not among them."""
        return self.task.true_facts(self.numbers)
