"""A* as the UniBZ group published it with its heuristics, in plain Python, to reproduce its table."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass

from algorithms.engine.search import Counts, Expansion, ResumableSearch, Status
from algorithms.interface import ALGORITHMS, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.base.errors import Incompatible
from worlds.interface import Instance, Words
from worlds.wumpus.search import CARDINAL_ACTIONS, CLIMBED_OUT
from worlds.wumpus.world import CaveWorld

_FACING = 3

Entry = tuple[float, float, str, int, int, tuple[int, ...], Words | None]
"""Entry of the open list: f, h, names of the actions so far, packed state, g, action codes, the state before."""


@ALGORITHMS.register("unibz_astar")
@dataclass(frozen=True)
class UnibzAStar(SearchAlgorithm):
    """A* as published: stores one f per (square, wumpus dead, gold taken), and ignores the facing.

    A successor is queued if its f is smaller than the stored one; the root is not stored. The order is by f, then by h,
    then by the names of all actions so far as one text. Goals are detected when they are generated. The search ends
    when the best goal costs no more than the f that is popped. Because the facing is ignored, plans may be
    suboptimal, also under a consistent heuristic (docs/audit.md has a cave).
    Source: UniBZ assignment 2021/22, ``hunter_AStar.py``; it counts `simulated_actions` as explored nodes.
    """

    def check(self, instance: Instance) -> None:
        """Refuse all but the cardinal formulation of the cave, which has these states."""
        if not isinstance(instance.rules, CaveWorld) or instance.rules.formulation != "cardinal":
            raise Incompatible("algorithm: unibz_astar searches wumpus caves with world.formulation=cardinal only")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> UnibzAStarSearch:
        """Start a search."""
        return UnibzAStarSearch(stack)


class UnibzAStarSearch(ResumableSearch):
    """A* in progress; the budget of a step counts popped entries."""

    def __init__(self, stack: BoundStack) -> None:
        self._stack = stack
        self._counts = Counts(evaluated=1 if stack.kernels else 0)
        initial = stack.problem.initial
        h = stack.evaluate(initial)
        self._initial_h = h
        self._open: list[Entry] = [(h, h, "", int(initial[0]), 0, (), None)] if h < float("inf") else []
        self._best_f: dict[int, float] = {}
        self._expanded_by_f: Counter[float] = Counter()
        self._is_solved = False
        self._expansion: Expansion | None = None
        self._solution: tuple[int, tuple[int, ...]] | None = None

    def step(self, budget: int) -> Status:
        """Pop at most `budget` entries."""
        for _ in range(budget):
            if not self._open or (self._solution is not None and self._solution[0] <= self._open[0][0]):
                self._is_solved = self._solution is not None
                return Status.SOLVED if self._is_solved else Status.EXHAUSTED
            entry = heapq.heappop(self._open)
            self._expanded_by_f[entry[0]] += 1
            self._expand(*entry[2:])
        return Status.RUNNING

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Number of expanded entries whose f is smaller than the solution's; None if that of one is larger."""
        if not self._is_solved or max(self._expanded_by_f, default=0) > self.cost:
            return None
        return sum(count for f, count in self._expanded_by_f.items() if f < self.cost)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        assert self._expansion is not None
        return self._expansion

    def _expand(self, names: str, word: int, g: int, path: tuple[int, ...], before: Words | None) -> None:
        counts, problem = self._counts, self._stack.problem
        counts.expanded += 1
        state = problem.initial.copy()
        state[0] = word
        steps = problem.successors(state)
        self._expansion = Expansion(state, before, g, steps)
        for successor, cost, action in steps:
            counts.generated += 1
            counts.simulated_actions += len(CARDINAL_ACTIONS[action])
            child, child_g, child_path = int(successor[0]), g + cost, (*path, action)
            if child & CLIMBED_OUT:
                if self._solution is None or child_g < self._solution[0]:
                    self._solution = child_g, child_path
                continue
            h = self._stack.evaluate(successor)
            counts.evaluated += bool(self._stack.kernels)
            key = child & ~_FACING
            if child_g + h < self._best_f.get(key, float("inf")):
                self._best_f[key] = child_g + h
                child_names = " ".join((names, *CARDINAL_ACTIONS[action])).lstrip()
                heapq.heappush(self._open, (child_g + h, h, child_names, child, child_g, child_path, state))
        counts.peak_nodes = max(counts.peak_nodes, len(self._best_f))

    def grow(self, memory_limit: int | None) -> bool:
        """Do nothing: Python allocates memory itself."""
        return True

    @property
    def counts(self) -> Counts:
        """Counts so far. `memory_bytes` is a rough estimate: 500 bytes per entry."""
        self._counts.memory_bytes = 500 * (len(self._open) + len(self._best_f))
        return self._counts

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return int(self._initial_h) if self._initial_h < float("inf") else None

    def path(self) -> list[int]:
        """Return the action codes of the best solution."""
        return list(self._solution[1]) if self._solution else []

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        return self._solution[0] if self._solution else 0
