"""Anytime search: best-first searches in sequence, each for a cheaper solution than the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from algorithms.best_first import BestFirst, BestFirstSearch, Priority
from algorithms.engine.search import Counts, Expansion, ResumableSearch, Status
from algorithms.interface import ALGORITHMS, Optimal
from heuristics.stack import BoundStack
from heuristics.weighting import Constant, Weight, Weighting

_SUMMED = ("expanded", "generated", "evaluated", "reopened")
_MAXIMA = ("peak_nodes", "memory_bytes")


@ALGORITHMS.register("anytime_astar")
@dataclass(frozen=True)
class AnytimeAStar(BestFirst):
    """Restarting weighted A* (Richter, Thayer and Ruml 2010): weighted A* with each of several weights in sequence.

    Each search after the first looks for a cheaper solution: it prunes nodes whose g + h is at least the cost of the
    incumbent (whose g is, if the heuristic is not declared admissible). Every improved solution is a line in the plan
    log, with its bound and time. Costs and bounds only decrease. The bound is the smallest weight of a search that
    found a solution. If a search finds nothing cheaper, the incumbent is optimal: pruning by g removes no cheaper
    solution, pruning by g + h removes none under an admissible heuristic. Complete. Optimal with a last weight of 1 and
    an admissible heuristic, if no limit stops it.

    If a limit stops it and it has a solution, its status is `solved`.

    Attributes
    ----------
    weights : tuple of float
        Weights of the searches, in order. A search begins when the one before has found a solution.
    """

    optimal: ClassVar[Optimal] = "admissible"

    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)] = (5.0, 3.0, 2.0, 1.5, 1.0)

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the last weight, at least 1, if the heuristic permits a guarantee."""
        return max(1.0, self.weights[-1]) if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> AnytimeSearch:
        """Start with the first weight."""
        return AnytimeSearch(stack, [Priority(1, Constant(w), self.ties, self.reopen) for w in self.weights])


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
