"""Number of goal facts that do not hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.compiled_heuristic import compiled_heuristic
from heuristics.pddl.task_of import task_of
from worlds.interface import Problem
from worlds.pddl.packing import packing_of


def goal_facts(problem: Problem) -> NDArray[np.int64]:
    """Return word, mask and bits of each goal fact."""
    task = task_of(problem)
    packing = packing_of(task)
    facts = [number for fact in task.goal for each in packing.combined([fact]) for number in each]
    return np.array(facts, np.uint64).view(np.int64)


@compiled_heuristic("goal_count", domain="pddl", tables=goal_facts, admissible=False, consistent=False, safe=True)
def goal_count(world, states, at):
    """Number of goal facts that do not hold.

    Not admissible: an operator may achieve several goal facts, or cost 0. Source: Fikes and Nilsson, "STRIPS: A new
    approach to the application of theorem proving to problem solving", AI 2, 1971.
    """
    count = 0
    for fact in range(world[-1], world.size - 1, 3):
        if states[at + world[fact]] & np.uint64(world[fact + 1]) != np.uint64(world[fact + 2]):
            count += 1
    return count
