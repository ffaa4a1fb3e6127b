"""Anytime search: best-first searches one after the other, each for a better solution than the last."""

from __future__ import annotations

from algorithms.engine.best_first import BestFirstSearch, Priority
from algorithms.engine.search import Counts, Search, Status
from heuristics.stack import BoundStack

_SUMMED = ("expanded", "generated", "evaluated", "reopened")
_MAXIMA = ("peak_nodes", "memory_bytes")


class AnytimeSearch(Search):
    """Restarts with every priority of a list, and looks for cheaper solutions only.

    Parameters
    ----------
    stack : BoundStack
    priorities : list of Priority
    """

    def __init__(self, stack: BoundStack, priorities: list[Priority]) -> None:
        self._stack = stack
        self._priorities, self._waiting = priorities, priorities[1:]
        self._is_over = False
        self._search = BestFirstSearch(stack, priorities[0])
        self._begun = 1
        self._finished: list[Counts] = []
        self._best: tuple[int, list[int]] | None = None
        self._bound: float | None = None
        self._before_last_layer: int | None = None

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions; IMPROVED for every better solution, SOLVED after the last."""
        if self._is_over:
            return Status.SOLVED
        status = self._search.step(budget)
        if status == Status.EXHAUSTED:
            return self._conclude()
        if status != Status.SOLVED:
            return status
        self._best = self._search.cost, self._search.path()
        self._before_last_layer = self._search.expanded_before_last_layer
        if self._before_last_layer is not None:
            self._before_last_layer += sum(counts.expanded for counts in self._finished)
        proven = [bound for bound in (self._bound, self._search.bound) if bound is not None]
        self._bound = min(proven, default=None)
        self._restart()
        return Status.IMPROVED

    def _conclude(self) -> Status:
        """Nothing cheaper is left."""
        if self._best is None:
            return Status.EXHAUSTED
        if self._stack.stack.admissible and self._priorities[0].reopen:
            self._bound = 1.0
        return Status.SOLVED

    def _restart(self) -> None:
        """Go on with the next priority, unless there is none or the solution is proven optimal."""
        if not self._waiting or self._bound == 1.0:
            self._is_over = True
            return
        assert self._best is not None
        self._finished.append(self._search.counts)
        self._search = BestFirstSearch(self._stack, self._waiting.pop(0), incumbent_cost=self._best[0])
        self._begun += 1

    def grow(self, memory_limit: int | None) -> bool:
        """Make room in the search that runs."""
        return self._search.grow(memory_limit)

    @property
    def counts(self) -> Counts:
        """Sums over all searches; nodes and bytes of the largest."""
        parts = [*self._finished, self._search.counts]
        sums = {name: sum(getattr(part, name) for part in parts) for name in _SUMMED}
        largest = {name: max(getattr(part, name) for part in parts) for name in _MAXIMA}
        simulated = 1 + sum(part.simulated_actions - 1 for part in parts)
        return Counts(**sums, **largest, simulated_actions=simulated, iterations=self._begun)

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._search.initial_h

    @property
    def has_solution(self) -> bool:
        """Whether there is a solution already."""
        return self._best is not None

    def path(self) -> list[int]:
        """Action codes of the best solution."""
        return [] if self._best is None else self._best[1]

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        return 0 if self._best is None else self._best[0]

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the last layer of the search with the best solution, and all of the searches before it."""
        return self._before_last_layer

    @property
    def bound(self) -> float | None:
        """The smallest weight under which a solution was found; 1 when nothing cheaper is left."""
        return self._bound
