"""Planning task of a packed problem."""

from __future__ import annotations

from worlds.interface import Problem
from worlds.pddl.task import Task
from worlds.pddl.world import PlanningWorld


def task_of(problem: Problem) -> Task:
    """Return the task of a packed problem, with the costs of the instance."""
    assert isinstance(problem.instance.rules, PlanningWorld)
    return problem.instance.rules.task
