"""Planning task of a packed problem."""

from __future__ import annotations

from worlds.interface import Problem
from worlds.pddl.instance import PlanningInstance
from worlds.pddl.task import Task


def task_of(problem: Problem) -> Task:
    """Return the task of a packed problem, with the costs of the instance."""
    assert isinstance(problem.instance, PlanningInstance)
    return problem.instance.task
