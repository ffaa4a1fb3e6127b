"""The k cheapest plans: each deviates from one that is known, and A* finds its rest.

- J. Y. Yen, "Finding the k shortest loopless paths in a network", Management Science 17, 1971: the rest of the next
  plan is a cheapest path from a state of a plan before it, with another action there, that avoids the states before.
- E. L. Lawler, "A procedure for computing the k best solutions to discrete optimization problems and its application to
  the shortest path problem", Management Science 18, 1972: all other plans are partitioned into subspaces, so that none
  is found twice. A plan divides the one in which it was found, from the action on with which it deviates.

A subspace waits with a lower bound of its plans, and is searched when no other one has a smaller bound; most never are.
Plans with loops are found in the same way, by searches that avoid no state. A* that expands each state up to k times
would find them, too, and hold up to k times as many nodes.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count
from operator import itemgetter
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
    H,
    Limiter,
    Solution,
    StepStatus,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.interface import ALGORITHMS, ExpansionOrder, Optimal, SearchAlgorithm
from algorithms.plan_sets import DIVERSE, SOLUTIONS
from heuristics.interface import INFINITE_H, BoundStack, Weighting
from worlds.compile import cost_error, raise_on_error
from worlds.interface import Words

_COUNTS = slice(c.EXPANDED, c.SIMULATED + 1)
_SUBSPACE_BYTES = 200  # in the queue, about
_PLAN, _COPY, _SUBSPACE = range(3)
Root = tuple[Words, int, int, int]
"""State, g and h of a node with which a search begins, and the code of the action that leads to it."""


@ALGORITHMS.register("k_best")
@dataclass(frozen=True)
class KBest(SearchAlgorithm):
    """The k cheapest plans: deviations from the plans before (Yen 1971, Lawler 1972), found by A*.

    Complete: if there are fewer plans, it finds all. Optimal if the heuristic is admissible, consistent or not: no plan
    that is left out is cheaper. Else the plans are valid and differ, and are sorted at the end.

    A plan ends at the first goal that it reaches. Plans differ if the names of their actions do. Of known plans of the
    same cost that comes first which shares most states with the one from which it deviates; then the one found first.
    So the plans are the first ones for every larger k.

    Attributes
    ----------
    k : int
        Number of plans.
    simple : bool
        Only plans without loops: no state occurs twice.
    """

    complete = True
    optimal: ClassVar[Optimal] = "admissible"
    answer = "plans"
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
    """Plan, and a subspace: the plans that begin with `length` states of it, and then take no excluded action.

    For each state it has the code of the action that leads to it, 0 for the start, and the g.
    """

    codes: list[int]
    states: NDArray[np.uint64]
    g: NDArray[np.int64]
    length: int = 0
    excluded: frozenset[int] = frozenset()


class SpurSearch(BestFirstSearch):
    """A* that begins with several nodes, looks for solutions that cost less than `incumbent_cost`, and avoids states.

    Those are closed nodes that no path improves. The states of the roots are other ones, and differ.
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
        for node, state in enumerate([*avoided, *(state for state, *_ in roots)]):
            nodes.put(node, state, 0)
        nodes.index(used)
        nodes.column(PREVIOUS, 0, first)[:] = CLOSED
        nodes.column(PREVIOUS, first, used)[:] = PENDING
        nodes.column(H, first, used)[:] = [h for _, _, h, _ in roots]
        nodes.column(G, first, used)[:] = [g for _, g, _, _ in roots]
        nodes.column(MOVE, first, used)[:] = [code & 0xFFFF for *_, code in roots]
        pending[: len(roots)] = range(first, used)
        control[b.TO_PUSH], control[c.NODES] = len(roots), used
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
        codes, g = [nodes.action(node) for node in found], [nodes.field(node, G) for node in found]
        states = np.stack([nodes.state(node) for node in found])
        if not self._stack.stack.admissible:  # then a reopened node may have left the g behind it too large
            for i in range(1, len(g)):
                steps = self._problem.successors(states[i - 1])
                costs = (cost for after, cost, code in steps if code == codes[i] and (after == states[i]).all())
                g[i] = g[i - 1] + next(costs)
        return codes, states, np.array(g)


class KBestSearch(CompiledSearch):
    """Search for the k cheapest plans in progress. Its counts are sums over all searches that it makes.

    Parameters
    ----------
    stack : BoundStack
    k : int
        Number of plans.
    is_simple : bool
        Whether no state occurs twice in a plan.
    """

    may_have_pruned = False
    _peak_nodes = _memory_bytes = 0  # most so far

    def __init__(self, stack: BoundStack, k: int, *, is_simple: bool) -> None:
        super().__init__(stack)
        self._k = self._wanted = k
        self._is_simple, self._is_admissible = is_simple, stack.stack.admissible is True
        self._memory_limit: int | None = None
        self._plans: list[Path] = []
        self._costs: list[int] = []  # of the plans, and of those in the queue
        self._names = set[Hashable]()  # of these
        self._queue: list[tuple[int, int, int, int, Path]] = []  # bound, kind, - length, number
        self._numbers = count()
        self._kept_bytes = 0
        self._is_full = False
        self._expansion: Expansion | None = None  # the last one, unless `_spur` has it
        initial = self._problem.initial
        roots = [] if self._initial_h is None else [(initial, 0, self._initial_h, 0)]
        self._searched = Path([], initial[None][:0], np.empty(0, np.int64))  # all plans
        self._spur: SpurSearch | None = SpurSearch(stack, roots, initial[None][:0], None)
        self._has_room()

    def run(self, limiter: Limiter) -> str:
        """Search step by step. A limit of solutions may be less than k."""
        self._wanted = min(self._k, limiter.limits.solutions or self._k)
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
        """Take a subspace from the queue, and begin its search; or a plan, and put back the rest of its subspace."""
        bound, kind, _, _, path = heapq.heappop(self._queue)
        if kind == _SUBSPACE:
            return self._begin(path, bound)
        if kind == _PLAN:
            insort(self._plans, path, key=lambda plan: plan.g[-1])  # at the end, if the heuristic is admissible
        excluded = path.excluded
        for length in range(max(path.length, 1), len(path.codes)):
            excluded |= {path.codes[length]}
            self._put(bound, _SUBSPACE, path._replace(length=length, excluded=excluded))
            excluded = frozenset()
        return None

    def _put(self, bound: int, kind: int, path: Path) -> None:
        """Put a plan or a subspace into the queue. Of equal bounds the longest beginning is next: its rest is short."""
        heapq.heappush(self._queue, (bound, kind, -path.length, next(self._numbers), path))

    def _step_spur(self, spur: SpurSearch, budget: int) -> StepStatus | None:
        """Continue the search of a subspace. If it ends, put its plan into the queue, and return None."""
        status = spur.step(budget)
        counted = spur._control[_COUNTS]
        if counted[c.EXPANDED]:
            self._expansion = None
        self._control[_COUNTS] += counted
        counted[:] = 0
        self._peak_nodes = max(self._peak_nodes, spur.counts.peak_nodes)
        self._has_room()
        if status in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            return status
        if status == StepStatus.SOLVED and not self._add(spur):
            return StepStatus.OUT_OF_MEMORY
        self.may_have_pruned = self.may_have_pruned or spur.may_have_pruned
        self._spur = None
        return None

    def _add(self, spur: SpurSearch) -> bool:
        """Put the plan of a search into the queue. Return False if there is no memory for it and its subspaces."""
        codes, states, g = spur.path_to_goal()
        before, length = self._searched, self._searched.length
        codes = before.codes[:length] + codes
        states, g = np.concatenate([before.states[:length], states]), np.concatenate([before.g[:length], g])
        path, plan, cost = Path(codes, states, g, length, before.excluded), codes[1:], int(g[-1])
        nbytes = states.nbytes + 16 * g.size + _SUBSPACE_BYTES * (g.size - length)
        if not self._has_room(nbytes):
            return False
        self._kept_bytes += nbytes
        # in plain Python, different actions of a state have different names
        names = tuple(plan) if self._problem.calls_python else self._problem.plan(plan)
        kind = _COPY if names in self._names else _PLAN
        if kind == _PLAN:
            self._names.add(names)
            insort(self._costs, cost)
        self._put(cost, kind, path)
        return True

    def _has_room(self, nbytes: int = 0) -> bool:
        """Note the bytes in use, with so many more. Return False if the memory limit refuses them: the search ends."""
        used = nbytes + self._kept_bytes + (0 if self._spur is None else self._spur.counts.memory_bytes)
        self._is_full = self._memory_limit is not None and used > self._memory_limit
        self._memory_bytes = self._memory_bytes if self._is_full else max(self._memory_bytes, used)
        return not self._is_full

    def _begin(self, subspace: Path, bound: int) -> StepStatus | None:
        """Begin the search of a subspace; or put it back, if its bound proves to be larger than another one."""
        # a plan that costs more than k others is of no use; one that costs the same keeps the order for larger k
        incumbent_cost = self._costs[self._wanted - 1] + 1 if len(self._costs) >= self._wanted else c.NO_INCUMBENT
        avoided = subspace.states[: subspace.length if self._is_simple else 0]
        roots = self._expand(subspace, {state.tobytes() for state in avoided})
        f = [g + h * self._is_admissible for _, g, h, _ in roots]
        roots = [root for root, value in zip(roots, f, strict=True) if value < incumbent_cost]
        if roots and min(f) > bound and self._queue and min(f) > self._queue[0][0]:
            self._put(min(f), _SUBSPACE, subspace)
        elif roots:
            self._searched, self._spur = subspace, SpurSearch(self._stack, roots, avoided, incumbent_cost)
            if not self._has_room():
                self._spur = None
                return StepStatus.OUT_OF_MEMORY
        return None

    def _expand(self, subspace: Path, avoided: set[bytes]) -> list[Root]:
        """Expand the last state that plans share. Return the successors that they may have, other than dead ends."""
        *before, state = subspace.states[max(subspace.length - 2, 0) : subspace.length]
        g = int(subspace.g[subspace.length - 1])
        steps = self._problem.successors(state)
        self._expansion = Expansion(state, before[0] if before else None, g, steps)
        control, lengths = self._control, self._problem.action_lengths
        roots: dict[bytes, Root] = {}
        for after, cost, code in sorted(steps, key=itemgetter(1)):  # of two to the same state the cheapest counts
            raise_on_error(cost_error(cost, g + cost))
            control[c.SIMULATED] += lengths[code] if 0 <= code < lengths.size else 1
            key = after.tobytes()
            if code not in subspace.excluded and key not in avoided and key not in roots:
                roots[key] = after, g + cost, int(min(self._stack.evaluate(after), INFINITE_H)), code
        control[c.EXPANDED] += 1
        control[c.GENERATED] += len(steps)
        control[c.EVALUATED] += len(roots) if self._stack.kernels else 0
        return [root for root in roots.values() if root[2] != INFINITE_H]

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
        found, shared = self._spur.expansion(), self._searched.states[: self._searched.length]
        return found._replace(parent=shared[-1]) if found.parent is None and shared.size else found

    @property
    def found(self) -> int:
        """Number of plans so far."""
        return len(self._plans)

    def solutions(self) -> list[Solution]:
        """Return the plans so far, the cheapest first."""
        return [Solution((int(path.g[-1]),), path.codes[1:]) for path in self._plans]

    def path(self) -> list[int]:
        """Return the action codes of the first plan."""
        return self._plans[0].codes[1:] if self._plans else []

    @property
    def cost(self) -> int:
        """Cost of the first plan."""
        return int(self._plans[0].g[-1]) if self._plans else 0

    @property
    def bound(self) -> float | None:
        """Proven bound of each plan, compared with the best one in its place: 1 if the heuristic is admissible."""
        return 1.0 if self._is_admissible else None
