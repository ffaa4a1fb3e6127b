"""World whose source repeats its instances, or raises an exception, depending on its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import runner
from worlds.interface import Instance


@runner.register("world", "repeats")
@dataclass(frozen=True)
class Repeats(runner.PythonWorld):
    start: int = 0
    distinct: int = 3
    end: int = 99
    unit_costs = True

    def initial(self) -> int:
        return self.start

    def successors(self, state: Any) -> Iterator[tuple[str, int, int]]:
        if self.start == 1:
            raise ValueError("odd")
        yield "up", state + 1, 1

    def is_goal(self, state: Any) -> bool:
        return state == self.start + 9

    def instances(self) -> Iterator[Instance]:
        for number in range(40):
            if number == self.end:
                raise RuntimeError("the source has ended")
            yield from Repeats(number % self.distinct).made()

    def made(self) -> Iterator[Instance]:
        return super().instances()

    def __len__(self) -> int:
        return 40
