"""World whose source repeats its instances, or raises an exception, depending on its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import runner


@dataclass(frozen=True)
class Climb(runner.PythonWorld):
    start: int
    unit_costs = True

    def initial(self) -> int:
        return self.start

    def successors(self, state: Any) -> Iterator[tuple[str, int, int]]:
        if self.start == 1:
            raise ValueError("odd")
        yield "up", state + 1, 1

    def is_goal(self, state: Any) -> bool:
        return state == self.start + 9


@runner.source("repeats", domain=Climb.__name__, count=lambda _: 40)
def repeats(distinct: int = 3, end: int = 99) -> Iterator[tuple[str, Climb]]:
    """The same climbs again and again."""
    for number in range(40):
        if number == end:
            raise RuntimeError("the source has ended")
        yield f"climb_{number % distinct}", Climb(number % distinct)
