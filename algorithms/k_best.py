"""The k cheapest plans, by deviations from those that are known, each found by A*.

- J. Y. Yen, "Finding the k shortest loopless paths in a network", Management Science 17, 1971: the next plan deviates
  from a plan before it at some step, and its rest is a cheapest path that avoids the states up to that step.
- E. L. Lawler, "A procedure for computing the k best solutions to discrete optimization problems and its application to
  the shortest path problem", Management Science 18, 1972: the plans that remain are partitioned into subspaces, so that
  no deviation is found twice. A plan divides the one in which it was found, from the step at which it deviates.

A subspace waits with a lower bound of its plans, and is searched when no other one has a smaller bound; most are never
searched. Plans with loops are found in the same way, but their searches avoid no state. A* that expands each state up
to k times would find them, too, and hold up to k times as many nodes.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from algorithms.best_first.best_first import BestFirstSearch, Priority
from algorithms.engine import (
    CLOSED,
    MOVE,
    PARENT,
    PENDING,
    PREVIOUS,
    CompiledSearch,
    Expansion,
    G,
    Limiter,
    Solution,
    StepStatus,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.interface import ALGORITHMS, ExpansionOrder, Optimal, SearchAlgorithm
from algorithms.interface.algorithm import Answer
from algorithms.plan_sets import DIVERSE, SOLUTIONS
from heuristics.interface import INFINITE_H, BoundStack, Weighting
from worlds.compile import cost_error, raise_on_error
from worlds.interface import Words

_COUNTS = slice(c.EXPANDED, c.SIMULATED + 1)
_SUBSPACE_BYTES = 200
"""Bytes of a subspace that waits, about."""
_PLAN, _COPY, _SUBSPACE = range(3)


@ALGORITHMS.register("k_best")
@dataclass(frozen=True)
class KBest(SearchAlgorithm):
    """The k cheapest plans: deviations from the plans before (Yen 1971, Lawler 1972), found by A*.

    Complete: if there are fewer plans, it finds all. Optimal if the heuristic is admissible, consistent or not: no plan
    that is left out is cheaper. Else the plans are valid and differ, and are sorted at the end.

    A plan ends at the first goal that it reaches. Plans differ if the names of their actions do. Those of the same cost
    have the order in which they are found. It is the same on every machine, and for every larger k.

    Attributes
    ----------
    k : int
        Number of plans.
    simple : bool
        Only plans without loops: no state occurs twice.
    """

    complete = True
    optimal: ClassVar[Optimal] = "admissible"
    answer: ClassVar[Answer] = "plans"
    metrics = (SOLUTIONS, DIVERSE)

    k: Annotated[int, Meta(ge=1, le=1_000_000)] = 10
    simple: bool = True

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + h, in each of the searches."""
        return ExpansionOrder("{f}, in a search for each deviation")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> KBestSearch:
        """Start with the search for the cheapest plan."""
        return KBestSearch(stack, self.k, is_simple=self.simple)


class Path(NamedTuple):
    """Plan with its states, one more than actions, the g of each, and the subspace in which it was found."""

    codes: list[int]
    states: NDArray[np.uint64]
    g: NDArray[np.int64]
    subspace: Subspace


class Subspace(NamedTuple):
    """Plans that share the first `length` actions of a path, and then take none of those with the excluded codes."""

    path: Path | None  # None: all plans
    length: int = 0
    excluded: frozenset[int] = frozenset()


class Root(NamedTuple):
    """Node with which a search begins, and the code of the action that leads to it."""

    state: Words
    g: int
    h: int
    code: int


def _cost(path: Path) -> int:
    return int(path.g[-1])


class SpurSearch(BestFirstSearch):
    """A* that begins with several nodes and avoids some states.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    roots : list of Root
        Their states differ, and none is to be avoided.
    avoided : ndarray of uint64, shape (states, words)
        They are closed nodes that no path improves.
    incumbent_cost : int or None
        Cost from which on solutions are of no use.
    """

    def __init__(
        self, stack: BoundStack, roots: list[Root], avoided: NDArray[np.uint64], incumbent_cost: int | None
    ) -> None:
        first = len(avoided)
        used = first + len(roots)
        self._first_capacity = max(1024, 2 * (used + stack.problem.max_successors))
        super().__init__(stack, Priority(), incumbent_cost)
        nodes, control, pending = self._nodes, self._control, self._buffers[-1]
        nodes.clear()
        for node, state in enumerate([*avoided, *(root.state for root in roots)]):
            nodes.put(node, state, 0 if node < first else roots[node - first].h)
        nodes.index(used)
        nodes.column(PREVIOUS, 0, first)[:] = CLOSED
        nodes.column(PREVIOUS, first, used)[:] = PENDING
        nodes.column(G, first, used)[:] = [root.g for root in roots]
        nodes.column(MOVE, first, used)[:] = [root.code & 0xFFFF for root in roots]
        pending[: len(roots)] = range(first, used)
        control[b.PENDING], control[c.NODES] = len(roots), used
        control[_COUNTS] = 0  # whoever made the roots has counted them

    def _inlined_in(self, stack: BoundStack) -> None:
        """Return None: a kernel with numbers of states begins with one node."""

    def _store_root(self, h: int, first_capacity: int = 1024) -> None:
        super()._store_root(h, self._first_capacity)

    def path_to_goal(self) -> tuple[list[int], NDArray[np.uint64], NDArray[np.int64]]:
        """Return the nodes from a root to the goal: the codes of the actions that lead to them, their states and g."""
        nodes, found = self._nodes, [int(self._control[c.GOAL])]
        while (parent := nodes.field(found[-1], PARENT)) != found[-1]:
            found.append(parent)
        found.reverse()
        g = [nodes.field(node, G) for node in found]
        if not self._stack.stack.admissible:  # then a reopened node may leave the g behind it too large
            g = [g[0] + self._path_cost(node) for node in found]
        return [nodes.action(node) for node in found], np.stack([nodes.state(node) for node in found]), np.array(g)


class KBestSearch(CompiledSearch):
    """Search for the k cheapest plans in progress. Its counts are sums over all searches that it makes.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    k : int
        Number of plans.
    is_simple : bool
        Whether no state occurs twice in a plan.
    """

    def __init__(self, stack: BoundStack, k: int, *, is_simple: bool) -> None:
        super().__init__(stack)
        self._k = self._wanted = k
        self._is_simple, self._is_admissible = is_simple, stack.stack.admissible is True
        self._memory_limit: int | None = None
        self._plans: list[Path] = []
        self._costs: list[int] = []  # of the plans, and of those in the queue
        self._names = set[Hashable]()  # of these
        self._queue: list[tuple[int, int, int, int, Path | Subspace]] = []
        self._numbers = count()
        self._kept_bytes = self._peak = self._peak_bytes = 0
        self._is_full = self._has_pruned = False
        self._expansion: Expansion | None = None  # the last one, unless `_spur` has it
        initial = self._problem.initial
        roots = [] if self._initial_h is None else [Root(initial, 0, self._initial_h, 0)]
        self._searched = Subspace(None)
        self._spur: SpurSearch | None = SpurSearch(stack, roots, initial[None][:0], None)

    def run(self, limiter: Limiter) -> str:
        """Search step by step. A limit of solutions may be less than k."""
        solutions = getattr(limiter.limits, "solutions", None)
        self._wanted = self._k if solutions is None else min(self._k, solutions)
        self._memory_limit = limiter.limits.memory
        return super().run(limiter)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        last = self.expanded + budget
        while True:
            if self._spur is not None:
                status = self._step_spur(self._spur, last - self.expanded)
            elif len(self._plans) == self._k or not self._queue:
                return StepStatus.SOLVED if self._plans else StepStatus.EXHAUSTED
            elif self.expanded == last or len(self._plans) == self._wanted:
                return StepStatus.RUNNING
            else:
                status = self._take_next()
            if status is not None:
                return status

    def _take_next(self) -> StepStatus | None:
        """Take a subspace from the queue and begin its search; or a plan, and put what is left of its subspace back."""
        bound, kind, _, _, first = heapq.heappop(self._queue)
        if isinstance(first, Subspace):
            return self._begin(first, bound)
        if kind == _PLAN:
            insort(self._plans, first, key=_cost)  # at the end, if the heuristic is admissible
        excluded = first.subspace.excluded
        for length in range(first.subspace.length, len(first.codes)):
            self._put(bound, _SUBSPACE, Subspace(first, length, excluded | {first.codes[length]}), length)
            excluded = frozenset()
        return None

    def _put(self, bound: int, kind: int, item: Path | Subspace, length: int = 0) -> None:
        """Put a plan or a subspace into the queue: of subspaces with a bound the one first whose plans share most."""
        heapq.heappush(self._queue, (bound, kind, -length, next(self._numbers), item))

    def _step_spur(self, spur: SpurSearch, budget: int) -> StepStatus | None:
        """Continue the search of a subspace. If it ends, put its plan into the queue, and return None."""
        status = spur.step(budget)
        counted = spur._control[_COUNTS]
        if counted[c.EXPANDED]:
            self._expansion = None
        self._control[_COUNTS] += counted
        counted[:] = 0
        if status in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            return status
        if status == StepStatus.SOLVED and not self._add(spur):
            return StepStatus.OUT_OF_MEMORY
        self._has_pruned = self._has_pruned or spur.may_have_pruned
        self._peak, self._peak_bytes = self._peak_nodes, self._memory_bytes
        self._spur = None
        return None

    def _add(self, spur: SpurSearch) -> bool:
        """Put the plan of a search into the queue. Return False if there is no memory for it and its subspaces."""
        codes, states, g = spur.path_to_goal()
        before, length = self._searched.path, self._searched.length
        if before is None:
            path = Path(codes[1:], states, g, self._searched)
        else:
            states = np.concatenate([before.states[: length + 1], states])
            g = np.concatenate([before.g[: length + 1], g])
            path = Path(before.codes[:length] + codes, states, g, self._searched)
        nbytes = states.nbytes + g.nbytes + 8 * g.size + _SUBSPACE_BYTES * (g.size - length)
        if not self._has_room(nbytes):
            return False
        self._kept_bytes += nbytes
        # in plain Python, different actions of a state have different names
        names = tuple(path.codes) if self._problem.calls_python else self._problem.plan(path.codes)
        kind = _COPY if names in self._names else _PLAN
        if kind == _PLAN:
            self._names.add(names)
            insort(self._costs, _cost(path))
        self._put(_cost(path), kind, path)
        return True

    def _has_room(self, nbytes: int) -> bool:
        """Return whether the memory limit allows so many bytes more. If not, the search ends."""
        self._is_full = self._memory_limit is not None and self._bytes_now + nbytes > self._memory_limit
        return not self._is_full

    @property
    def _bytes_now(self) -> int:
        return self._kept_bytes + (0 if self._spur is None else self._spur.counts.memory_bytes)

    @property
    def _memory_bytes(self) -> int:
        return max(self._peak_bytes, self._bytes_now)

    @property
    def _peak_nodes(self) -> int:
        return max(self._peak, 0 if self._spur is None else self._spur.counts.peak_nodes)

    def _begin(self, subspace: Subspace, bound: int) -> StepStatus | None:
        """Begin the search of a subspace; or put it back, if its bound proves to be larger than another one."""
        # a plan that costs more than k others is of no use; one that costs the same keeps the order for larger k
        incumbent_cost = self._costs[self._wanted - 1] + 1 if len(self._costs) >= self._wanted else c.NO_INCUMBENT
        avoided, roots = self._expand(subspace)
        f = [root.g + root.h * self._is_admissible for root in roots]
        roots = [root for root, value in zip(roots, f, strict=True) if value < incumbent_cost]
        if roots and min(f) > bound and self._queue and min(f) > self._queue[0][0]:
            self._put(min(f), _SUBSPACE, subspace, subspace.length)
        elif roots:
            self._searched, self._spur = subspace, SpurSearch(self._stack, roots, avoided, incumbent_cost)
            return None if self._has_room(0) else StepStatus.OUT_OF_MEMORY
        return None

    def _expand(self, subspace: Subspace) -> tuple[NDArray[np.uint64], list[Root]]:
        """Expand the state where plans leave a path. Return the states to avoid, and the roots of the search."""
        path, length = subspace.path, subspace.length
        assert path is not None  # the subspace of all plans is never in the queue
        avoided = path.states[: length + 1 if self._is_simple else 0]
        keys = {state.tobytes() for state in avoided}
        state, g = path.states[length], int(path.g[length])
        steps = self._problem.successors(state)
        self._expansion = Expansion(state, path.states[length - 1] if length else None, g, steps)
        control, lengths = self._control, self._problem.action_lengths
        cheapest: dict[bytes, Root] = {}
        for after, cost, code in steps:
            raise_on_error(cost_error(cost, g + cost))
            control[c.SIMULATED] += lengths[code] if 0 <= code < lengths.size else 1
            key = after.tobytes()
            known = cheapest.get(key)
            if code in subspace.excluded or key in keys or (known is not None and known.g <= g + cost):
                continue
            h = int(min(self._stack.evaluate(after), INFINITE_H)) if known is None else known.h
            cheapest[key] = Root(after, g + cost, h, code)
        control[c.EXPANDED] += 1
        control[c.GENERATED] += len(steps)
        control[c.EVALUATED] += len(cheapest) if self._stack.kernels else 0
        return avoided, [root for root in cheapest.values() if root.h != INFINITE_H]

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the arrays of the search in progress."""
        if self._is_full or self._spur is None:
            return False
        return self._spur.grow(None if memory_limit is None else memory_limit - self._kept_bytes)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        if self._expansion is not None:
            return self._expansion
        assert self._spur is not None  # it has made the last one
        found, (path, length, _) = self._spur.expansion(), self._searched
        return found._replace(parent=path.states[length]) if path is not None and found.parent is None else found

    @property
    def found(self) -> int:
        """Number of plans so far."""
        return len(self._plans)

    def solutions(self) -> list[Solution]:
        """Return the plans so far, the cheapest first."""
        return [Solution((_cost(path),), path.codes) for path in self._plans]

    def path(self) -> list[int]:
        """Return the action codes of the first plan."""
        return self._plans[0].codes if self._plans else []

    @property
    def cost(self) -> int:
        """Cost of the first plan."""
        return _cost(self._plans[0]) if self._plans else 0

    @property
    def bound(self) -> float | None:
        """Proven bound of each plan, compared with the best one in its place: 1 if the heuristic is admissible."""
        return 1.0 if self._is_admissible else None

    @property
    def may_have_pruned(self) -> bool:
        """Whether a state has an infinite heuristic value."""
        return self._has_pruned
