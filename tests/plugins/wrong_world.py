"""World in plain Python with one mistake, chosen by a parameter, and heuristics for it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import runner


@runner.register("world", "wrong")
@dataclass(frozen=True)
class Wrong(runner.PythonWorld):
    mistake: Literal["", "raises", "infinite"] = ""

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        assert isinstance(state, int)
        if self.mistake == "raises" and state == 2:
            raise LookupError("of the world")
        if state >= 9 and self.mistake != "infinite":
            return []
        return [("walk", state + 1, 1), ("jump", state + 2, 3)]

    def is_goal(self, state: Hashable) -> bool:
        return state == 9


@runner.python_heuristic("declared", domain="wrong", admissible=True)
def declared(state: int) -> float:
    return 20 - 2 * state if state < 9 else 0


@runner.python_heuristic("undeclared", domain="wrong")
def undeclared(state: int) -> float:
    return declared(state)


@runner.python_heuristic("raising", domain="wrong")
def raising(state: int) -> float:
    raise LookupError("of the heuristic")
