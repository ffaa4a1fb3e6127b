"""World with infinitely many states and a billion instances."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import runner


@runner.register("world", "endless")
@dataclass(frozen=True)
class Endless(runner.PythonWorld):
    count: int = 10**9
    seed: int = 0

    def initial(self) -> int:
        if self.seed == 5:
            Path("marker").touch()
        return 0

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [("on", state + 1, 1)]

    def is_goal(self, state: Any) -> bool:
        return state == 1


@runner.python_heuristic("two", domain="endless")
def two(state: int) -> int:
    return 2 if state == 0 else 0
