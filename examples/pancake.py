"""World and heuristic in plain Python: flip the top of a stack of pancakes until the stack is sorted.

python -m runner 'plugins=[runner.examples.pancake]' world=pancake algorithm=astar heuristic=gap
"""

import random
from dataclasses import dataclass

from runner import PythonWorld, python_heuristic, register


@register("world", "pancake")
@dataclass(frozen=True)
class Pancake(PythonWorld):
    domain = "plain_pancake"  # `pancake` is the compiled domain of the package
    size: int = 8
    count: int = 10
    seed: int = 0
    unit_costs = True

    def initial(self):
        return tuple(random.Random(self.seed).sample(range(self.size), self.size))

    def successors(self, state):
        for k in range(2, self.size + 1):
            yield f"flip {k}", state[k - 1 :: -1] + state[k:], 1

    def is_goal(self, state):
        return state == tuple(range(self.size))

    predecessors = successors  # every flip undoes itself; with the goals, this allows bidirectional search

    def goals(self):
        return [tuple(range(self.size))]


def gap_from_start(state, world):
    """Number the pancakes by their places in the start, and count the gaps."""
    start = world.initial()
    return gap([start.index(pancake) for pancake in state])


@python_heuristic("gap", domain="plain_pancake", admissible=True, consistent=True, backward=gap_from_start)
def gap(state):
    """Count neighbours that differ by more than one: each needs a flip of its own (Helmert 2010)."""
    return sum(abs(a - b) > 1 for a, b in zip(state, (*state[1:], len(state))))
