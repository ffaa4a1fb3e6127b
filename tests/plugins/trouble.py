"""World in plain Python of three instances; the second raises an exception."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import runner


@runner.register("world", "trouble")
@dataclass(frozen=True)
class Trouble(runner.PythonWorld):
    count: int = 3
    seed: int = 0

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        if self.seed == 1:
            raise LookupError("in my world")
        assert isinstance(state, int)
        return [("on", state + 1, 1)]

    def is_goal(self, state: Hashable) -> bool:
        return state == 3
