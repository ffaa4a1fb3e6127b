"""Heuristics that read the goal facts alone: whether they hold, and how many do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import compiled_heuristic
from heuristics.pddl.facts import task_of
from worlds.compile import as_index
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.search import GOAL, facts_hold


def least_cost(problem: Problem) -> NDArray[np.int64]:
    """Return the cost of the cheapest operator."""
    return np.array([task_of(problem).least_cost])


@compiled_heuristic("blind", domain="pddl", tables=least_cost, admissible=True, consistent=True)
def blind(constants, states, at):
    """0 at goals, else the cost of the cheapest operator of the task.

    Admissible and consistent. Source: Fast Downward's heuristic of this name.
    """
    least = constants[constants[-1]]
    return 0 if facts_hold(constants, GOAL, states, at) else least


def goal_facts(problem: Problem) -> NDArray[np.int64]:
    """Return the number of goal facts; then word, mask and bits of each."""
    task = task_of(problem)
    packing = Packing(task)
    facts = [number for fact in task.goal for each in packing.combined([fact]) for number in each]
    return np.array([len(facts) // 3, *facts], np.uint64).view(np.int64)


@compiled_heuristic("goal_count", domain="pddl", tables=goal_facts, admissible=False, consistent=False, safe=True)
def goal_count(constants, states, at):
    """Number of goal facts that do not hold.

    Not admissible: an operator may achieve several goal facts, or cost 0. Source: Fikes and Nilsson, "STRIPS: A new
    approach to the application of theorem proving to problem solving", AI 2, 1971.
    """
    first, count = as_index(constants[-1]), 0
    for number in range(as_index(constants[first])):
        fact = first + 1 + 3 * number
        if states[at + as_index(constants[fact])] & np.uint64(constants[fact + 1]) != np.uint64(constants[fact + 2]):
            count += 1
    return count
