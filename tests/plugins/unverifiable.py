"""World, a line of five steps, whose validation does not return, needs too much memory, or kills the process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Hashable
from dataclasses import dataclass

import runner

GOALS: list[Hashable] = []


@runner.register("world", "unverifiable")
@dataclass(frozen=True)
class Unverifiable(runner.PythonWorld):
    how: str = "sleep"

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        assert isinstance(state, int)
        return [("right", state + 1, 1)]

    def is_goal(self, state: Hashable) -> bool:
        if state != 5:
            return False
        if GOALS:  # the search has found it
            if self.how == "sleep":
                time.sleep(600)
            elif self.how == "eat":
                raise MemoryError
            os.kill(os.getpid(), signal.SIGKILL)
        GOALS.append(state)
        return True
