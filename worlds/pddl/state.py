"""States as heuristics in plain Python see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worlds.interface import Words
from worlds.pddl.packed_task import PackedTask
from worlds.pddl.task import Task


class PlanningState(Mapping[str, str]):
    """State of a planning task: a mapping from the name of each variable to the name of its value.

    A search makes one for each value of a heuristic, so names are looked up only when they are asked for.

    Parameters
    ----------
    packed : PackedTask
        Task of the state.
    state : ndarray of uint64
        Packed state.
    """

    __slots__ = ("_facts", "_packed", "_words")

    def __init__(self, packed: PackedTask, state: Words) -> None:
        self._packed = packed
        self._words: list[int] = state.tolist()
        self._facts: frozenset[str] | None = None

    @property
    def task(self) -> Task:
        """Task of the state."""
        return self._packed.task

    def __getitem__(self, variable: str) -> str:
        number = self.task.numbers[variable]
        word, shift, mask = self._packed.packing.fields[number]
        return self.task.facts[number][self._words[word] >> shift & mask]

    def __iter__(self) -> Iterator[str]:
        return iter(self.task.names)

    def __len__(self) -> int:
        return len(self.task.names)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PlanningState) and other.task is self.task:
            return self._words == other._words
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(tuple(self._words))

    def __repr__(self) -> str:
        return f"{{{', '.join(sorted(self.facts))}}}"

    @property
    def facts(self) -> frozenset[str]:
        """Names of all facts that hold, such as ``on(a, b)``. Facts that can never change are not among them."""
        if self._facts is None:
            self._facts = self._packed.fact_names.of(self._words)
        return self._facts
