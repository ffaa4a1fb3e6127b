"""A search in progress, and the loop that runs it under limits."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from runner import status
from worlds.kernel import raise_on_error


class Status(IntEnum):
    """What a step of a search ended with. Negative in a kernel: an error in the world or a heuristic."""

    RUNNING = 0
    SOLVED = 1
    EXHAUSTED = 2
    OUT_OF_MEMORY = 3
    CUTOFF = 4  # nothing is left to do, but what was left out may hold a solution
    IMPROVED = 5  # a solution was found, and the search goes on for a better one
    LAYER_DONE = 6  # of a beam; seen by its search only


@dataclass
class Counts:
    """What a search has done so far (definitions: docs/metrics.md).

    `memory_bytes` is the size of all arrays that hold nodes, the open list and the hash table.
    """

    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    iterations: int | None = None
    simulated_actions: int = 1
    peak_nodes: int = 0
    memory_bytes: int = 0


class Search(ABC):
    """A resumable search on one problem.

    Attributes
    ----------
    first_budget : int
        Expansions of the first step, before their speed is known.
    """

    first_budget: int = 2_000

    @abstractmethod
    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""

    @abstractmethod
    def grow(self, memory_limit: int | None) -> bool:
        """After OUT_OF_MEMORY: make room. Returns False if that would take more than `memory_limit` bytes."""

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """The counts so far."""

    @property
    @abstractmethod
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""

    @abstractmethod
    def path(self) -> list[int]:
        """Action codes from the start to the goal, once SOLVED."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """Cost of `path`."""

    @property
    def has_solution(self) -> bool:
        """Whether there is a solution already, of a search that goes on after its first."""
        return False

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions made before the last layer of f, once SOLVED; None before that or if it does not apply.

        Best-first search: expansions of nodes whose f, at that time, is below the f of the solution. Iterative
        deepening: expansions of all iterations but the last. Anytime search: those of the search that has found the
        best solution, and all expansions of the searches before it. The value is computed on each access, so ask once,
        after the search.
        """
        return None

    @property
    def bound(self) -> float | None:
        """The suboptimality bound that the solution is proven to have (1 = optimal); None if there is none."""
        return None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the algorithm's own `metrics`."""
        return {}

    def warm(self) -> None:
        """Load what the first step needs, so that compilation is not measured as search."""
        self.step(0)


@dataclass(frozen=True)
class Limits:
    """When to give up; None is no limit.

    Attributes
    ----------
    time : float or None
        Wall-clock seconds of search per instance.
    nodes : int or None
        Expansions per instance (exact, and so the same on every machine).
    memory : int or None
        Bytes of nodes, open list and hash table.
    cpu : float or None
        Seconds of processor time per instance.
    """

    time: float | None = None
    nodes: int | None = None
    memory: int | None = None
    cpu: float | None = None

    def __str__(self) -> str:
        """Return the limits that are set, as ``nodes=1000 time=10``; empty without any."""
        given = sorted((name, value) for name, value in vars(self).items() if value is not None)
        return " ".join(f"{name}={value:.10g}" for name, value in given)


SOLVED, UNSOLVABLE, CUTOFF = status.SOLVED.name, status.UNSOLVABLE.name, status.CUTOFF.name
INTERRUPTED = status.INTERRUPTED.name
TIME_LIMIT, CPU_LIMIT = status.TIME_LIMIT.name, status.CPU_LIMIT.name
NODE_LIMIT, MEMORY_LIMIT = status.NODE_LIMIT.name, status.MEMORY_LIMIT.name
LIMITS = (TIME_LIMIT, CPU_LIMIT, NODE_LIMIT, MEMORY_LIMIT)

_STEP_SECONDS = 0.05
_MAX_BUDGET = 1_000_000


def run(
    search: Search,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
    improved: Callable[[], None] | None = None,
    spent: float = 0.0,
) -> str:
    """Run a search to its end or to a limit.

    Parameters
    ----------
    watch : callable, optional
        Called with the counts between steps, about 20 times a second. If it returns True, the search ends.
    improved : callable, optional
        Called whenever a search that goes on has found a better solution.
    spent : float
        Seconds of the time limit that were used for preparing the search.

    Returns
    -------
    str
        "solved", "unsolvable", "cutoff", "time_limit", "cpu_limit", "node_limit", "memory_limit" or "interrupted".

    Raises
    ------
    worlds.kernel.KernelError
        If a kernel reports an error.
    """
    deadline = None if limits.time is None else time.perf_counter() + limits.time - spent
    cpu_deadline = None if limits.cpu is None else time.process_time() + limits.cpu
    budget = search.first_budget
    while True:
        if limits.memory is not None and search.counts.memory_bytes > limits.memory:
            return MEMORY_LIMIT
        start = time.perf_counter()
        if deadline is not None and start >= deadline:
            return TIME_LIMIT
        if cpu_deadline is not None and time.process_time() >= cpu_deadline:
            return CPU_LIMIT
        allowed = budget if limits.nodes is None else min(budget, limits.nodes - search.counts.expanded)
        if allowed <= 0:
            return NODE_LIMIT
        status = search.step(allowed)
        raise_on_error(status)
        if status == Status.SOLVED:
            return SOLVED
        if status == Status.EXHAUSTED:
            return UNSOLVABLE
        if status == Status.CUTOFF:
            return CUTOFF
        if status == Status.OUT_OF_MEMORY:
            if not search.grow(limits.memory):
                return MEMORY_LIMIT
            continue
        if status != Status.IMPROVED:
            budget = _next_budget(budget, time.perf_counter() - start)
        elif improved is not None:
            improved()
        if watch is not None and watch(search.counts):
            return INTERRUPTED


def _next_budget(budget: int, seconds: float) -> int:
    """A budget that takes about `_STEP_SECONDS`: Ctrl-C and limits are seen between steps."""
    wanted = int(budget * _STEP_SECONDS / seconds) if seconds > 0 else _MAX_BUDGET
    return max(1, min(wanted, 4 * budget, _MAX_BUDGET))
