"""World with states and instances without end."""

from dataclasses import dataclass
from pathlib import Path

import runner


@runner.register("world", "endless")
@dataclass(frozen=True)
class Endless(runner.PythonWorld):
    count: int = 10**9
    seed: int = 0

    def initial(self):
        if self.seed == 5:
            Path("marker").touch()
        return 0

    def successors(self, state):
        return [("on", state + 1, 1)]

    def is_goal(self, state):
        return state == 1


@runner.python_heuristic("two", domain="endless")
def two(state):
    return 2 if state == 0 else 0
