"""World with an action whose name cannot be encoded."""

from dataclasses import dataclass

import runner


@runner.register("world", "nameless")
@dataclass(frozen=True)
class Nameless(runner.PythonWorld):
    def initial(self):
        return 0

    def successors(self, state):
        return [("a\udc80\n", state + 1, 1), ("b", state, 1)]

    def is_goal(self, state):
        return state == 2
