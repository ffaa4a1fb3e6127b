"""Resumable depth-first searches: run `depth_first_step`. The registered algorithms are in `algorithms.depth_first`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled_search import CompiledSearch
from algorithms.engine.depth_first_step import CHAINS, PARENT, PATH, VISITED, depth_first_step
from algorithms.engine.factors import UNWEIGHTED, Factors
from algorithms.engine.memory import GrowingArrays
from algorithms.engine.nodes import Nodes, capacity_within
from algorithms.engine.search import Expansion, Status, status_of
from heuristics.stack import BoundStack

CYCLE_CHECKS = {"parent": PARENT, "path": PATH, "visited": VISITED}
_FIRST_LEVELS = 64
_SLOT_TYPES = (np.int32, np.int64, np.int64, np.int64, np.int16)


@dataclass(frozen=True)
class Deepening:
    """Bounds of the iterations, and the cycle check.

    Attributes
    ----------
    by : {"f", "depth", None}
        Quantity that is bounded. "f": g + w * h, bounded at first by f of the start, then by the smallest value that
        exceeded the last bound. "depth": the number of moves, bounded by 0, 1, 2, ... None: there is one iteration.
    depth_limit : int or None
        Maximum number of moves, if there is one iteration.
    cycle_check : {"parent", "path", "visited"}
        States that a path does not return to: the state before the last move; all states on the path; or all states
        visited in this iteration at the same depth or above.
    factors : Factors
        Factors of g and h in f.
    """

    by: str | None
    depth_limit: int | None = None
    cycle_check: str = "path"
    factors: Factors = UNWEIGHTED


class DepthFirstSearch(CompiledSearch):
    """Depth-first search in progress. Memory grows with the depth, and with the visited states if they are stored.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve. The heuristics are ignored unless the search deepens by f.
    deepening : Deepening
        Bounds of the iterations, and the cycle check.
    """

    keeps = "last"

    def __init__(self, stack: BoundStack, deepening: Deepening) -> None:
        super().__init__(stack, depth_first_step)
        self._deepening = deepening
        self._words = self._problem.initial.size
        self._stores_visited = deepening.cycle_check == "visited"
        self._visited = Nodes(self._words, 1024 if self._stores_visited else 1)
        slots = 16 * _FIRST_LEVELS + 2 * self._problem.max_successors
        self._slots = GrowingArrays(slots, (np.uint64, self._words), *((each, 1) for each in _SLOT_TYPES))
        self._levels = GrowingArrays(_FIRST_LEVELS, *[(np.int32, 1)] * 4)
        self._chains = np.zeros(CHAINS, np.int32)
        self._iterations_started = 0
        self._max_visited = 0
        control = self._control
        control[c.INDEX_MASK] = self._visited.index_mask
        control[c.CYCLE_CHECK] = CYCLE_CHECKS[deepening.cycle_check]
        control[c.MAX_SLOTS] = 1
        control[c.G_FACTOR], control[c.H_FACTOR] = deepening.factors.of_g, deepening.factors.of_h
        states, _, _, h, *_ = self._slots.views
        states[: self._words], h[0] = self._problem.initial, self._root_h
        by_f, by_depth = deepening.by == "f", deepening.by == "depth"
        limit = deepening.depth_limit
        self._begin(
            bound=deepening.factors.of_h * self._root_h if by_f else c.NO_INCUMBENT,
            limit=0 if by_depth else c.NO_LIMIT if limit is None else limit,
        )

    def _begin(self, bound: int, limit: int) -> None:
        """Start an iteration at the root."""
        control = self._control
        self._iterations_started += 1
        self._expanded_before = int(control[c.EXPANDED])
        control[c.BOUND], control[c.NEXT_BOUND] = bound, c.NO_INCUMBENT
        control[c.DEPTH_LIMIT], control[c.LIMIT_REACHED] = limit, 0
        control[c.LEVEL] = 0
        _, child, last, _ = self._levels.views
        child[0], last[0] = 0, 1

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        control = self._control
        before = int(control[c.EXPANDED])
        while True:
            code = depth_first_step.compiled(
                *self._functions, self._heuristic, self._world, self._slots.views, (*self._levels.views, self._chains),
                self._visited.arrays, control, budget - int(control[c.EXPANDED]) + before,
            )  # fmt: skip
            status = status_of(code)
            if status != Status.EXHAUSTED:
                self._is_solved = status == Status.SOLVED
                return status
            if self._deepening.by == "f" and control[c.NEXT_BOUND] < c.NO_INCUMBENT:
                self._begin(int(control[c.NEXT_BOUND]), c.NO_LIMIT)
            elif self._deepening.by == "depth":
                if not control[c.LIMIT_REACHED] or not self._visited_more():
                    return Status.EXHAUSTED
                self._begin(c.NO_INCUMBENT, int(control[c.DEPTH_LIMIT]) + 1)
            else:
                return Status.CUTOFF if control[c.LIMIT_REACHED] else Status.EXHAUSTED

    def _visited_more(self) -> bool:
        """Delete the visited states; return False if the iteration visited no more states than the one before."""
        if not self._stores_visited:
            return True
        visited = int(self._control[c.NODES])
        if visited == self._max_visited:
            return False
        self._max_visited = visited
        self._visited.clear()
        self._control[c.NODES] = 0
        return True

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step: the visited states, the levels or the slots."""
        control = self._control
        if self._stores_visited and control[c.NODES] == self._visited.capacity:
            capacity = capacity_within(self._visited, self._memory_bytes - self._visited.nbytes, memory_limit)
            if capacity > 0:
                self._visited.grow(capacity, int(control[c.NODES]))
                control[c.INDEX_MASK] = self._visited.index_mask
            return capacity > 0
        arrays = self._levels if control[c.LEVEL] + 1 == self._levels.length else self._slots
        if memory_limit is not None and self._memory_bytes + arrays.nbytes > memory_limit:
            return False
        arrays.double()
        return True

    @property
    def _iterations(self) -> int | None:
        return None if self._deepening.by is None else self._iterations_started

    @property
    def _peak_nodes(self) -> int:
        """Number of visited states if they are stored, else the most slots in use."""
        if not self._stores_visited:
            return int(self._control[c.MAX_SLOTS])
        return max(self._max_visited, int(self._control[c.NODES]))

    @property
    def _memory_bytes(self) -> int:
        own = self._slots.nbytes + self._levels.nbytes + self._chains.nbytes
        return own + (self._visited.nbytes if self._stores_visited else 0)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. The levels above its own are still those of its path."""
        level, (node_slot, *_) = int(self._control[c.EXPANDED_NODE]), self._levels.views
        states, _, g, *_ = self._slots.views
        parent, state = (
            states[slot * self._words :][: self._words].copy() for slot in node_slot[level - 1 : level + 1]
        )
        steps = self._problem.successors(state)
        return Expansion(state, parent if level > 1 else None, int(g[node_slot[level]]), steps)

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        node_slot, action = self._levels.views[0], self._slots.views[5]
        return [int(action[node_slot[level]]) for level in range(2, int(self._control[c.GOAL]) + 1)]

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        return int(self._slots.views[2][self._levels.views[0][self._control[c.GOAL]]])

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of all iterations but the last; None without iterative deepening."""
        return self._expanded_before if self._is_solved and self._deepening.by is not None else None

    @property
    def bound(self) -> float | None:
        """Proven bound: the weight, at least 1, if it deepens by f under an admissible heuristic.

        It is 1 if it deepens by depth and every step costs 1.
        """
        if self._deepening.by == "f":
            return self._deepening.factors.suboptimality_bound if self._stack.stack.admissible else None
        return 1.0 if self._deepening.by == "depth" and self._problem.unit_costs else None
