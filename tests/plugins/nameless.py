"""World with an action whose name cannot be encoded in UTF-8."""

from dataclasses import dataclass
from typing import Any

import runner


@runner.register("world", "nameless")
@dataclass(frozen=True)
class Nameless(runner.PythonWorld):
    def initial(self) -> int:
        return 0

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [("a\udc80\n", state + 1, 1), ("b", state, 1)]

    def is_goal(self, state: Any) -> bool:
        return state == 2
