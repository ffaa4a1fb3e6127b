"""Searches in plain Python: a function over the states of a problem (`algorithms.engine.search_problem`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from algorithms.engine.recorded_problem import RecordedProblem
from algorithms.engine.search import CUTOFF, SOLVED, UNSOLVABLE, Counts, Limiter, Search
from algorithms.engine.search_problem import Plan, SearchProblem
from heuristics.stack import BoundStack


class PythonSearch(Search):
    """Search by a function in plain Python.

    Parameters
    ----------
    function : callable
        Takes a `SearchProblem`; returns the actions of a plan, or None.
    stack : BoundStack
    is_complete : bool
        Whether the instance is unsolvable if the function returns None.
    promised_bound : float or None
        Suboptimality bound of every plan that the function returns.
    """

    def __init__(
        self,
        function: Callable[[SearchProblem], Plan | None],
        stack: BoundStack,
        *,
        is_complete: bool,
        promised_bound: float | None,
    ) -> None:
        self._function, self._stack = function, stack
        self._is_complete, self._promised_bound = is_complete, promised_bound
        h = stack.evaluate(stack.problem.initial)
        self._initial_h = None if h == math.inf else int(h)
        self._problem = SearchProblem(stack, self)
        self._is_solved = False

    def run(self, limiter: Limiter) -> str:
        """Call the function."""
        if self.record is not None:
            self._problem = RecordedProblem(self._stack, self, self.record)
        problem = self._problem
        ended, plan = problem.run(self._function, limiter)
        if ended:
            return ended
        if plan is not None:
            problem.conclude(plan)
        elif problem.best is None:
            return UNSOLVABLE if self._is_complete else CUTOFF
        self._is_solved = True
        return SOLVED

    def warm(self) -> None:
        """Call the kernels once, uncounted."""
        warming = SearchProblem(self._stack, self)
        warming.expand(warming.start)
        warming.h(warming.start)
        warming.is_goal(warming.start)

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        return self._problem.complete_counts()

    @property
    def columns(self) -> dict[str, int | None]:
        """Counts by their columns. The memory is unknown, and the nodes, too, unless the function counts them."""
        counts = self.counts
        return {**counts.by_column(), "peak_nodes": counts.peak_nodes or None, "memory_bytes": None}

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._initial_h

    @property
    def has_solution(self) -> bool:
        """Whether a plan is known."""
        return self._problem.best is not None

    def path(self) -> list[int]:
        """Return the actions of the best plan."""
        return [] if self._problem.best is None else self._problem.best[1]

    @property
    def cost(self) -> int:
        """Cost of `path`."""
        return 0 if self._problem.best is None else self._problem.best[0]

    @property
    def bound(self) -> float | None:
        """Bound that the algorithm promises for the plan that it returns."""
        return self._promised_bound if self._is_solved else None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the algorithm's own metrics."""
        return self._problem.measured
