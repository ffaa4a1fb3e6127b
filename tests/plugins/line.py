"""World in plain Python, a line of integers, and a heuristic for it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import runner


@runner.register("world", "my_line")
@dataclass(frozen=True)
class Line(runner.PythonWorld):
    length: int = 5

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        assert isinstance(state, int)
        return [("right", state + 1, 1), ("left", state - 1, 1)]

    def is_goal(self, state: Hashable) -> bool:
        return state == self.length


@runner.python_heuristic("my_distance", domain="my_line", admissible=True)
def my_distance(state: int, world: Line, factor: int = 1) -> float:
    return factor * abs(world.length - state)
