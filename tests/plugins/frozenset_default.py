"""World with a parameter whose default value cannot be written in YAML."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import runner


@runner.register("world", "odd")
@dataclass(frozen=True)
class Odd(runner.PythonWorld):
    some: frozenset[int] = frozenset({3})

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        return []

    def is_goal(self, state: Hashable) -> bool:
        return True
