"""Interface of searches, and their limits."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import ClassVar, Literal, NamedTuple

from algorithms.engine.limits import Limits as Limits
from algorithms.engine.node_space import NodeSpace
from runner.base import (
    CPU_LIMIT,
    CUTOFF,
    INTERRUPTED,
    MEMORY_LIMIT,
    NODE_LIMIT,
    SOLUTION_LIMIT,
    SOLVED,
    TIME_LIMIT,
    UNSOLVABLE,
    Incompatible,
)
from worlds.compile import compile_seconds, raise_on_error
from worlds.interface import Words


class StepStatus(IntEnum):
    """Outcome of one step of a search. `runner.base.status` has those of a whole search."""

    RUNNING = 0
    SOLVED = 1
    EXHAUSTED = 2
    OUT_OF_MEMORY = 3
    CUTOFF = 4  # the search is over, but a path that it cut off may lead to a solution
    IMPROVED = 5  # there is a better solution than before, and the search continues
    LAYER_DONE = 6  # a layer of a beam is expanded; never returned by `Search.step`


def status_of(code: int) -> StepStatus:
    """Return the `StepStatus` for the number that a kernel returned.

    Raises
    ------
    worlds.compile.errors.KernelError
        If the number is negative: an error in the world or in a heuristic. If a callback kept an exception, it is
        raised instead.
    """
    raise_on_error(code)
    return StepStatus(code)


def proven_ratio(cost: int, lower_bound: int) -> float | None:
    """Return how many times the optimum a cost may be: at least `cost` / `lower_bound`, rounded up; None if unknown."""
    if cost <= lower_bound:
        return 1.0
    if lower_bound <= 0:
        return None
    ratio = cost / lower_bound
    return ratio if ratio * lower_bound >= cost else math.nextafter(ratio, math.inf)


@dataclass(slots=True)
class Counts:
    """Counts of a search so far, defined in docs/metrics.md. It has no other attributes.

    `memory_bytes` is the size of the arrays of the nodes, the open list and the hash table.
    """

    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    iterations: int | None = None
    simulated_actions: int = 1
    peak_nodes: int = 0
    memory_bytes: int = 0

    def by_column(self) -> dict[str, int | None]:
        """Return the counts by their columns."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class Expansion(NamedTuple):
    """Expansion of a node, as a search tells it to a recorder.

    Attributes
    ----------
    state : ndarray of uint64
        State of the node.
    parent : ndarray of uint64 or None
        State before it on the path with which it is expanded; None for a root.
    g : int
        Cost of this path.
    steps : list of (ndarray of uint64, int, int)
        The successors with the cost and the action code of each step, in the order of the world.
    backward : bool
        Whether the search goes back from a goal here: the successors are predecessors.
    learned : sequence of (ndarray of uint64, int)
        States whose values the search may have changed by learning since the expansion before, and their values now.
    costs : tuple of int
        All costs of this path, of a search with several.
    """

    state: Words
    parent: Words | None
    g: int
    steps: list[tuple[Words, int, int]]
    backward: bool = False
    learned: Sequence[tuple[Words, int]] = ()
    costs: tuple[int, ...] = ()


class Solution(NamedTuple):
    """Plan of a set.

    Attributes
    ----------
    costs : tuple of int
        Its cost; of a world with several costs, all of them.
    path : list of int
        Codes of its actions.
    """

    costs: tuple[int, ...]
    path: list[int]


class Search(ABC):
    """Search on one problem.

    Attributes
    ----------
    record : callable or None
        Called after each expansion. Set it before `run`; the search is then slower, but the same.
    keeps : {"cheapest", "first", "last"}
        Which of several paths to an open node the search keeps.
    levels : sequence of int
        Number of states at each distance from the goals so far; empty unless the algorithm declares `counts_levels`.
    """

    keeps: ClassVar[Literal["cheapest", "first", "last"]] = "cheapest"
    levels: Sequence[int] = ()
    record: Callable[[Expansion], None] | None = None

    @abstractmethod
    def run(self, limiter: Limiter) -> str:
        """Search to the end or to a limit, and return the status.

        One of "solved", "unsolvable", "cutoff", "interrupted", and "time_limit", "cpu_limit", "node_limit" or
        "memory_limit".

        Raises
        ------
        worlds.compile.errors.KernelError
            If a kernel reports an error.
        """

    @abstractmethod
    def warm(self) -> None:
        """Compile or load the kernels, so that this is not measured as search time."""

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """Counts so far."""

    @property
    def expanded(self) -> int:
        """The count of expansions, which is asked for more often."""
        return self.counts.expanded

    @property
    def columns(self) -> dict[str, int | None]:
        """Counts by their columns; None for what is not counted."""
        return self.counts.by_column()

    @property
    @abstractmethod
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""

    @abstractmethod
    def path(self) -> list[int]:
        """Return the action codes from the start to the goal, after SOLVED."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """Cost of `path`."""

    @property
    def space(self) -> NodeSpace | None:
        """Space of the nodes that it tells; None: states of the world."""
        return None

    @property
    def has_solution(self) -> bool:
        """Whether a search that continues after its first solution has one."""
        return False

    @property
    def found(self) -> int:
        """Number of solutions so far, of a search for a set of plans (`PlanningAlgorithm.answer`)."""
        return 0

    def solutions(self) -> Sequence[Solution]:
        """Return the solutions so far, of a search for a set of plans, the cheapest first. `path` is the first one."""
        return ()

    @property
    def may_have_pruned(self) -> bool:
        """Whether the search may have ignored states because their heuristic values are infinite."""
        return True

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the last layer of f, after SOLVED; None before that, or if f has no layers.

        Best-first search: expansions of nodes whose f, at that time, is smaller than the f of the solution. There are
        no layers if a node with a larger f was expanded, or f does not contain g, as in greedy search. Iterative
        deepening: expansions of all iterations but the last. Bidirectional search: expansions before the lower bound
        reaches the cost of the solution. Anytime search: those of the search that found the best
        solution, plus all expansions of the searches before it. The value is computed on each access.
        """
        return None

    @property
    def bound(self) -> float | None:
        """Proven suboptimality bound of the solution (1 = optimal); None without a proof."""
        return None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the algorithm's own `metrics`, by name."""
        return {}


class ResumableSearch(Search):
    """Search that runs in steps.

    Attributes
    ----------
    first_budget : int
        Number of expansions of the first step, before the speed of the search is known.
    """

    first_budget: int = 8

    @abstractmethod
    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions.

        Raises
        ------
        worlds.compile.errors.KernelError
            If a kernel reports an error.
        """

    @abstractmethod
    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the arrays after OUT_OF_MEMORY; return False if that would exceed `memory_limit` bytes."""

    def expansion(self) -> Expansion:
        """Return the expansion of a step with a budget of 1.

        Raises
        ------
        Incompatible
            If the class does not override this method: its searches cannot be explored.
        """
        raise Incompatible(f"algorithm: {type(self).__name__} has no method expansion, so it cannot be explored")

    def warm(self) -> None:
        """Run an empty step."""
        self.step(0)

    def run(self, limiter: Limiter) -> str:
        """Search step by step."""
        budget, limits = self.first_budget, limiter.limits
        step = self.step if self.record is None else self._told_step
        while True:
            reached = limiter.reached(self)
            if reached is not None:
                return reached
            start = time.perf_counter()
            status = step(budget if limits.nodes is None else min(budget, limits.nodes - self.expanded))
            if status in _ENDS:
                return NODE_LIMIT.name if limiter.is_out_of_nodes(self) else _ENDS[status]
            if status == StepStatus.OUT_OF_MEMORY:
                if not self.grow(limits.memory):
                    return MEMORY_LIMIT.name
                continue
            if status == StepStatus.IMPROVED:
                limiter.improved()
            else:
                budget = _next_budget(budget, time.perf_counter() - start)
            if limiter.is_stopped(self):
                return INTERRUPTED.name

    def _told_step(self, budget: int) -> StepStatus:
        """Run like `step`, but one expansion at a time, and tell each."""
        assert self.record is not None
        status, expanded = StepStatus.RUNNING, self.expanded
        while status == StepStatus.RUNNING and budget > 0:
            status, before = self.step(1), expanded
            expanded = self.expanded
            if expanded > before:
                self.record(self.expansion())
            budget -= 1
        return status


STEP_SECONDS = 0.05
"""Seconds between two checks of limits and Ctrl-C."""
_ENDS = {
    StepStatus.SOLVED: SOLVED.name,
    StepStatus.EXHAUSTED: UNSOLVABLE.name,
    StepStatus.CUTOFF: CUTOFF.name,
}
_MAX_BUDGET = 100_000_000
_GROWTH = 16
"""Largest factor between the budgets of two steps: the first steps of a search say little about its speed."""


class Limiter:
    """Checks the limits of a running search, and passes on what happens.

    Seconds in which kernels are compiled or loaded do not count: a search may need one only when its memory grows.

    Parameters
    ----------
    limits : Limits
        Limits, checked between steps.
    watch : callable, optional
        Called with the counts between steps, about 20 times a second. If it returns True, the search ends.
    improved : callable, optional
        Called after each better solution of a search that continues.
    spent : tuple of float
        Seconds of wall time and of processor time that the preparation of the search took. They count for the limits.
    program_seconds : list of float
        `Problem.program_seconds`, which count for the limit of processor time.
    """

    def __init__(
        self,
        limits: Limits,
        watch: Callable[[Counts], bool | None] | None = None,
        improved: Callable[[], None] | None = None,
        spent: tuple[float, float] = (0.0, 0.0),
        program_seconds: Sequence[float] = (0.0,),
    ) -> None:
        self.limits, self._program_seconds = limits, program_seconds
        self._watch, self._improved = watch, improved
        wall, cpu = compile_seconds()
        self._deadline = None if limits.time is None else time.perf_counter() - wall + limits.time - spent[0]
        self._improvements = 0
        self._cpu_deadline = None if limits.cpu is None else time.process_time() - cpu + limits.cpu - spent[1]

    def reached(self, search: Search) -> str | None:
        """Return the status of a limit that is reached; None if the search may go on."""
        limits = self.limits
        if limits.memory is not None and search.counts.memory_bytes > limits.memory:
            return MEMORY_LIMIT.name
        wall, cpu = compile_seconds()
        if self._deadline is not None and time.perf_counter() - wall >= self._deadline:
            return TIME_LIMIT.name
        cpu -= self._program_seconds[0]
        if self._cpu_deadline is not None and time.process_time() - cpu >= self._cpu_deadline:
            return CPU_LIMIT.name
        if limits.solutions is not None and max(search.found, self._improvements) >= limits.solutions:
            return SOLUTION_LIMIT.name
        return NODE_LIMIT.name if self.is_out_of_nodes(search) else None

    def is_out_of_nodes(self, search: Search) -> bool:
        """Return whether a search has made all its expansions. It then ends at the limit, whatever the last one finds.

        Most searches notice the limit before they take the goal from the open list or find the list empty.
        """
        return self.limits.nodes is not None and search.expanded >= self.limits.nodes

    def is_stopped(self, search: Search) -> bool:
        """Show the counts. Return whether the search is to end."""
        return self._watch is not None and bool(self._watch(search.counts))

    def improved(self) -> None:
        """Report a better solution."""
        self._improvements += 1
        if self._improved is not None:
            self._improved()


def _next_budget(budget: int, seconds: float) -> int:
    """Return a budget that takes about `STEP_SECONDS`, because Ctrl-C and limits are checked between steps."""
    wanted = int(budget * STEP_SECONDS / seconds) if seconds > 0 else _MAX_BUDGET
    return max(1, min(wanted, _GROWTH * budget, _MAX_BUDGET))
