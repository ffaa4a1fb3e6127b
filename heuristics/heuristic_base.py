"""Base of heuristics in the form of Pyperplan, whose files `heuristics.pddl.file` runs unchanged; not that of ours."""

from __future__ import annotations

from typing import Any


class TaskHeuristic:
    """Heuristic of a task. A subclass has ``__init__(self, task)``.

    The task is a `worlds.pddl.strips.StripsTask`.
    """

    def __call__(self, node: Any) -> float:
        """Estimate the cost from a state to a goal.

        Parameters
        ----------
        node
            Its attribute `state` is the set of the facts that hold, a frozenset of str such as ``(at p1 l0)``.
        """
        raise NotImplementedError


Heuristic = TaskHeuristic
"""Its name in the files of Pyperplan."""
