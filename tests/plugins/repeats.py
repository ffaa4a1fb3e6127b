"""World whose source repeats its instances, or raises an exception, depending on its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import runner
from worlds.interface import Instance
from worlds.sources import Source


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


@runner.register("world", "repeats")
@dataclass(frozen=True)
class Repeats(Source):
    distinct: int = 3
    end: int = 99
    domain = Climb.__name__

    def instances(self) -> Iterator[Instance]:
        for number in range(40):
            if number == self.end:
                raise RuntimeError("the source has ended")
            yield Instance(Climb(number % self.distinct), f"climb_{number % self.distinct}")

    def __len__(self) -> int:
        return 40
