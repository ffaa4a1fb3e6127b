"""Resumable anytime search: best-first searches in sequence, each for a cheaper solution than the one before.

The registered algorithm is `algorithms.anytime`.
"""

from __future__ import annotations

from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.search import Counts, Expansion, ResumableSearch, Status
from heuristics.stack import BoundStack

_SUMMED = ("expanded", "generated", "evaluated", "reopened")
_MAXIMA = ("peak_nodes", "memory_bytes")


class AnytimeSearch(ResumableSearch):
    """Anytime search in progress: one best-first search for each priority, pruned by the incumbent.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    priorities : list of Priority
        Priority of each search, in order.
    """

    def __init__(self, stack: BoundStack, priorities: list[Priority]) -> None:
        self._stack = stack
        self._priorities, self._remaining = priorities, priorities[1:]
        self._is_finished = False
        self._search = BestFirstSearch(stack, priorities[0])
        self._started = 1
        self._finished: list[Counts] = []
        self._incumbent: tuple[int, list[int]] | None = None
        self._bound: float | None = None
        self._before_last_layer: int | None = None

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions. Return IMPROVED for every better solution, SOLVED after the last."""
        if self._is_finished:
            return Status.SOLVED
        status = self._search.step(budget)
        if status == Status.EXHAUSTED:
            return self._conclude()
        if status != Status.SOLVED:
            return status
        self._incumbent = self._search.cost, self._search.path()
        self._before_last_layer = self._search.expanded_before_last_layer
        if self._before_last_layer is not None:
            self._before_last_layer += sum(counts.expanded for counts in self._finished)
        proven = [bound for bound in (self._bound, self._search.bound) if bound is not None]
        self._bound = min(proven, default=None)
        self._restart()
        return Status.IMPROVED

    def _conclude(self) -> Status:
        """Return the final status: there is no cheaper solution."""
        if self._incumbent is None:
            return Status.EXHAUSTED
        if self._stack.stack.admissible and self._priorities[0].reopen:
            self._bound = 1.0
        return Status.SOLVED

    def _restart(self) -> None:
        """Start the search with the next priority, unless there is none or the incumbent is proven optimal."""
        if not self._remaining or self._bound == 1.0:
            self._is_finished = True
            return
        assert self._incumbent is not None
        self._finished.append(self._search.counts)
        self._search = BestFirstSearch(self._stack, self._remaining.pop(0), incumbent_cost=self._incumbent[0])
        self._started += 1

    def expansion(self) -> Expansion:
        """Return that of the current search."""
        return self._search.expansion()

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the current search."""
        return self._search.grow(memory_limit)

    @property
    def counts(self) -> Counts:
        """Sums over all searches; for nodes and bytes the maximum."""
        parts = [*self._finished, self._search.counts]
        sums = {name: sum(getattr(part, name) for part in parts) for name in _SUMMED}
        largest = {name: max(getattr(part, name) for part in parts) for name in _MAXIMA}
        simulated = 1 + sum(part.simulated_actions - 1 for part in parts)
        return Counts(**sums, **largest, simulated_actions=simulated, iterations=self._started)

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._search.initial_h

    @property
    def has_solution(self) -> bool:
        """Whether there is an incumbent."""
        return self._incumbent is not None

    @property
    def may_have_pruned(self) -> bool:
        """Whether a node of the current search has an infinite heuristic value."""
        return self._search.may_have_pruned

    def path(self) -> list[int]:
        """Return the action codes of the incumbent."""
        return [] if self._incumbent is None else self._incumbent[1]

    @property
    def cost(self) -> int:
        """Cost of the incumbent."""
        return 0 if self._incumbent is None else self._incumbent[0]

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the last layer of the search that found the incumbent, and of all searches before it."""
        return self._before_last_layer

    @property
    def bound(self) -> float | None:
        """Proven bound: the smallest weight of a search that found a solution; 1 if there is no cheaper solution."""
        return self._bound
