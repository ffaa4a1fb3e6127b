"""The k cheapest plans, by deviations from plans that are known, with A* for each.

- J. Y. Yen, "Finding the k shortest loopless paths in a network", Management Science 17, 1971: the next plan leaves one
  of those before it at some step (it deviates), and its rest is a cheapest path that avoids the states before that step.
- E. L. Lawler, "A procedure for computing the k best solutions to discrete optimization problems and its application to
  the shortest path problem", Management Science 18, 1972: the plans that remain are partitioned into `Subspace`, so no
  deviation is searched twice. A plan takes one of them apart, from the step on at which it deviates.

A subspace waits with a lower bound of its plans, and is searched when no other one has a smaller bound. This leaves
most searches out (M. Pascoal, "Implementations and empirical comparison of k shortest loopless path algorithms", 2006).
Those with loops are found in the same way; only then a search avoids no state. A* that expands each state up to k times
finds them, too, but holds up to k times as many nodes.
"""

from __future__ import annotations

import heapq
import math
from bisect import insort
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Annotated, ClassVar

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
    Counts,
    Expansion,
    G,
    Limiter,
    ResumableSearch,
    Solution,
    StepStatus,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.interface import ALGORITHMS, ExpansionOrder, Optimal, SearchAlgorithm
from algorithms.interface.algorithm import Answer
from algorithms.plan_sets import DIVERSE, SOLUTIONS
from heuristics.interface import BoundStack, Weighting
from worlds.compile import SUCCESSORS_CHANGED, KernelError, cost_error, raise_on_error
from worlds.interface import Words

_SUBSPACE_BYTES = 200
"""Bytes of a subspace that waits, about."""
_CANDIDATE, _SUBSPACE = range(2)
Root = tuple[Words, int, int, int]
"""State, g, action code and h of a node with which a search begins."""


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
    answer: ClassVar[Answer] = "plans"  # type: ignore[assignment]
    metrics = (SOLUTIONS, DIVERSE)

    k: Annotated[int, Meta(ge=1, le=1_000_000)] = 10
    simple: bool = True

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + h, in each of the searches."""
        return ExpansionOrder("{f}, in a search for each deviation")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> KBestSearch:
        """Start with the search for the cheapest plan."""
        return KBestSearch(stack, self.k, is_simple=self.simple)


@dataclass(frozen=True)
class Path:
    """Plan with its states.

    Attributes
    ----------
    codes : list of int
        Codes of the actions.
    states : ndarray of uint64, shape (actions + 1, words)
    g : ndarray of int64, shape (actions + 1,)
        Cost up to each state.
    deviation : int
        Number of actions that it shares with the plan from which it deviates.
    excluded : frozenset of int
        Codes of the actions at the deviation that its subspace excludes.
    is_copy : bool
        Whether another plan, with other codes, has the same names.
    """

    codes: list[int]
    states: NDArray[np.uint64]
    g: NDArray[np.int64]
    deviation: int
    excluded: frozenset[int]
    is_copy: bool = False

    @property
    def cost(self) -> int:
        return int(self.g[-1])

    @property
    def nbytes(self) -> int:
        return 8 * len(self.codes) + self.states.nbytes + self.g.nbytes


@dataclass(frozen=True)
class Subspace:
    """Plans that begin like a path, and then take an action that is not excluded.

    Attributes
    ----------
    path : Path
    length : int
        Number of actions that they share with it.
    excluded : frozenset of int
        Codes of the actions that they do not take then.
    is_expanded : bool
        Whether its bound counts these actions.
    """

    path: Path
    length: int
    excluded: frozenset[int]
    is_expanded: bool = False


class SpurSearch(BestFirstSearch):
    """A* from several roots that avoids some states. These are closed nodes that no path improves.

    Parameters
    ----------
    stack : BoundStack
    roots : sequence of Root
        Their states differ, and are none of those to avoid.
    avoided : ndarray of uint64, shape (states, words)
    incumbent_cost : int or None
        Cost from which on solutions are of no use.
    """

    def __init__(
        self, stack: BoundStack, roots: Sequence[Root], avoided: NDArray[np.uint64], incumbent_cost: int | None
    ) -> None:
        self._first_capacity = max(1024, 2 * (len(roots) + len(avoided) + stack.problem.max_successors))
        super().__init__(stack, Priority(), incumbent_cost)
        nodes, control, pending = self._nodes, self._control, self._buffers[-1]
        nodes.clear()
        for node, state in enumerate(avoided):
            nodes.put(node, state, 0)
        for node, (state, _, _, h) in enumerate(roots, len(avoided)):
            nodes.put(node, state, h)
        used = len(avoided) + len(roots)
        nodes.index(used)
        nodes.column(PREVIOUS, 0, len(avoided))[:] = CLOSED
        nodes.column(G, len(avoided), used)[:] = [g for _, g, _, _ in roots]
        nodes.column(MOVE, len(avoided), used)[:] = [(1 << 16) | (code & 0xFFFF) for _, _, code, _ in roots]
        nodes.column(PREVIOUS, len(avoided), used)[:] = PENDING
        pending[: len(roots)] = range(len(avoided), used)
        control[b.PENDING], control[b.PUSHED] = len(roots), 0
        control[c.NODES] = used
        control[c.EVALUATED] = control[c.SIMULATED] = 0  # whoever has made the roots counts them

    def _inlined_in(self, stack: BoundStack) -> None:
        """Return None: the numbers of all states are for searches that begin with one node."""

    def _store_root(self, h: int, first_capacity: int = 1024) -> None:
        super()._store_root(h, self._first_capacity)

    def path_to_goal(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], list[int]]:
        """Return the states from a root to the goal, their g, and the codes of the actions that lead to them."""
        nodes, found = self._nodes, [int(self._control[c.GOAL])]
        while (parent := nodes.field(found[-1], PARENT)) != found[-1]:
            found.append(parent)
        found.reverse()
        states = np.stack([nodes.state(node) for node in found])
        codes = [nodes.action(node) for node in found]
        g = [nodes.field(node, G) for node in found]
        if self._control[c.REOPENED]:  # then a g may be larger than the cost of the path
            for i in range(1, len(found)):
                g[i] = g[i - 1] + self._step_cost(states[i - 1], codes[i], states[i])
        return states, np.array(g), codes

    def _step_cost(self, state: Words, code: int, after: Words) -> int:
        for other, cost, action in self._problem.successors(state):
            if action == code and (other == after).all():
                return cost
        raise KernelError(SUCCESSORS_CHANGED)


class KBestSearch(ResumableSearch):
    """Search for the k cheapest plans in progress. Its counts are sums over the searches that it makes.

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
        self._stack, self._problem = stack, stack.problem
        self._k = self._wanted = k
        self._is_simple, self._is_admissible = is_simple, stack.stack.admissible is True
        self._memory_limit: int | None = None
        self._plans: list[Path] = []
        self._costs: list[int] = []  # of plans and candidates
        self._names = set[Hashable]()  # of these
        self._queue: list[tuple[int, int, int, int, Path | Subspace]] = []
        self._numbers = count()
        self._kept_bytes = 0
        self._is_full = self._has_pruned = False
        self._total = Counts(evaluated=1 if stack.kernels else 0)  # without those of `_spur`
        self._expansion: Expansion | None = None  # the last one, if it is none of `_spur`
        initial = self._problem.initial
        h = stack.evaluate(initial)
        self._initial_h = None if h == math.inf else int(h)
        self._searched: Subspace | None = None  # by `_spur`; None: all plans
        self._spur: SpurSearch | None = None
        if self._initial_h is None:
            self._has_pruned = True
        else:
            self._spur = SpurSearch(stack, [(initial, 0, 0, self._initial_h)], initial[None][:0], None)

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
            elif len(self._plans) == self._k:
                return StepStatus.SOLVED
            elif self.expanded >= last or len(self._plans) == self._wanted:
                return StepStatus.RUNNING
            elif not self._queue:
                return StepStatus.SOLVED if self._plans else StepStatus.EXHAUSTED
            else:
                status = self._take_next()
            if status is not None:
                return status

    def _step_spur(self, spur: SpurSearch, budget: int) -> StepStatus | None:
        """Continue the search of a subspace. Return None if it has ended."""
        before = spur.expanded
        status = spur.step(budget)
        if spur.expanded > before:
            self._expansion = None
        if status not in (StepStatus.SOLVED, StepStatus.EXHAUSTED):
            return status
        if status == StepStatus.SOLVED and not self._add_candidate(self._path_of(spur)):
            return StepStatus.OUT_OF_MEMORY
        self._has_pruned = self._has_pruned or spur.may_have_pruned
        self._total, self._spur = self.counts, None
        return None

    def _path_of(self, spur: SpurSearch) -> Path:
        """Return the plan that a search has found."""
        states, g, codes = spur.path_to_goal()
        if self._searched is None:
            return Path(codes[1:], states, g, 0, frozenset())
        path, length = self._searched.path, self._searched.length
        return Path(
            path.codes[:length] + codes,
            np.concatenate([path.states[: length + 1], states]),
            np.concatenate([path.g[: length + 1], g]),
            length,
            self._searched.excluded,
        )

    def _add_candidate(self, path: Path) -> bool:
        """Put a plan into the queue; return False if there is no memory for it, and for its subspaces."""
        nbytes = path.nbytes + _SUBSPACE_BYTES * (len(path.codes) - path.deviation)
        if not self._has_room(nbytes):
            return False
        self._kept_bytes += nbytes
        # in plain Python two steps from a state have different names
        names = tuple(path.codes) if self._problem.calls_python else self._problem.plan(path.codes)
        if names in self._names:
            path = replace(path, is_copy=True)
        else:
            self._names.add(names)
            insort(self._costs, path.cost)
        heapq.heappush(self._queue, (path.cost, _CANDIDATE, 0, next(self._numbers), path))
        return True

    def _has_room(self, nbytes: int) -> bool:
        """Return whether the memory limit allows so many bytes more. If not, the search ends."""
        used = self._kept_bytes + (0 if self._spur is None else self._spur.counts.memory_bytes)
        self._is_full = self._memory_limit is not None and used + nbytes > self._memory_limit
        return not self._is_full

    def _take_next(self) -> StepStatus | None:
        """Take a plan or a subspace from the queue: of the smallest bound, the longest prefix, whose rest is shortest."""
        bound, _, _, number, first = heapq.heappop(self._queue)
        if isinstance(first, Subspace):
            return self._begin(first, bound, number)
        if not first.is_copy:
            self._plans.append(first)
        for length in range(first.deviation, len(first.codes)):
            excluded = first.excluded if length == first.deviation else frozenset()
            rest = Subspace(first, length, excluded | {first.codes[length]})
            heapq.heappush(self._queue, (bound, _SUBSPACE, -length, next(self._numbers), rest))
        return None

    def _begin(self, subspace: Subspace, bound: int, number: int) -> StepStatus | None:
        """Begin the search of a subspace; or put it back, if its bound proves to be larger than that of another one."""
        roots = self._roots(subspace)
        if not roots:
            return None
        bound = max(bound, min(g + h * self._is_admissible for _, g, _, h in roots))
        if not subspace.is_expanded and self._queue and bound > self._queue[0][0]:
            again = replace(subspace, is_expanded=True)
            heapq.heappush(self._queue, (bound, _SUBSPACE, -subspace.length, number, again))
            return None
        avoided = subspace.path.states[: subspace.length + 1 if self._is_simple else 0]
        most = self._largest_cost
        spur = SpurSearch(self._stack, roots, avoided, None if most is None else most + 1)
        if not self._has_room(spur.counts.memory_bytes):
            return StepStatus.OUT_OF_MEMORY
        self._searched, self._spur = subspace, spur
        return None

    @property
    def _largest_cost(self) -> int | None:
        """Cost of the k-th candidate: no further plan costs more. None if there are fewer."""
        return self._costs[self._wanted - 1] if len(self._costs) >= self._wanted else None

    def _roots(self, subspace: Subspace) -> list[Root]:
        """Expand the state at which the plans of a subspace deviate. Return the nodes with which they continue."""
        path, length, total, most = subspace.path, subspace.length, self._total, self._largest_cost
        state, g = path.states[length], int(path.g[length])
        steps = self._problem.successors(state)
        self._expansion = Expansion(state, path.states[length - 1] if length else None, g, steps)
        lengths = self._problem.action_lengths
        avoided = {each.tobytes() for each in path.states[: length + 1]} if self._is_simple else set[bytes]()
        cheapest: dict[bytes, tuple[Words, int, int]] = {}
        for after, cost, code in steps:
            raise_on_error(cost_error(cost, g + cost))
            total.simulated_actions += int(lengths[code]) if 0 <= code < lengths.size else 1
            key = after.tobytes()
            is_cheaper = key not in cheapest or g + cost < cheapest[key][1]
            if is_cheaper and code not in subspace.excluded and key not in avoided:
                cheapest[key] = after, g + cost, code
        total.expanded += 1
        total.generated += len(steps)
        if self._stack.kernels:
            total.evaluated += len(cheapest)
        roots = []
        for after, cost, code in cheapest.values():
            h = self._stack.evaluate(after)
            if h == math.inf:
                self._has_pruned = True
            elif most is None or cost + h * self._is_admissible <= most:
                roots.append((after, cost, code, int(h)))
        return roots

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the arrays of the search in progress."""
        if self._is_full or self._spur is None:
            return False
        return self._spur.grow(None if memory_limit is None else memory_limit - self._kept_bytes)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. The roots of a search have the state before them as parent."""
        if self._expansion is not None:
            return self._expansion
        assert self._spur is not None  # it has made the last one
        found = self._spur.expansion()
        if found.parent is None and self._searched is not None:
            return found._replace(parent=self._searched.path.states[self._searched.length])
        return found

    @property
    def counts(self) -> Counts:
        """Sums over all searches so far; the largest number of nodes and bytes at a time."""
        total, spur = replace(self._total), self._spur
        if spur is None:
            total.memory_bytes = max(total.memory_bytes, self._kept_bytes)
            return total
        own = spur.counts
        for name in ("expanded", "generated", "evaluated", "reopened", "simulated_actions"):
            setattr(total, name, getattr(total, name) + getattr(own, name))
        total.peak_nodes = max(total.peak_nodes, own.peak_nodes)
        total.memory_bytes = max(total.memory_bytes, self._kept_bytes + own.memory_bytes)
        return total

    @property
    def expanded(self) -> int:
        """The count of expansions."""
        return self._total.expanded + (0 if self._spur is None else self._spur.expanded)

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._initial_h

    @property
    def has_solution(self) -> bool:
        """Whether a plan is known."""
        return bool(self._plans)

    @property
    def found(self) -> int:
        """Number of plans so far."""
        return len(self._plans)

    def solutions(self) -> list[Solution]:
        """Return the plans so far, the cheapest first."""
        return [Solution((each.cost,), each.codes) for each in self._sorted]

    @property
    def _sorted(self) -> list[Path]:
        return sorted(self._plans, key=lambda plan: plan.cost)  # with an admissible heuristic they are

    def path(self) -> list[int]:
        """Return the action codes of the first plan."""
        return self._sorted[0].codes if self._plans else []

    @property
    def cost(self) -> int:
        """Cost of the first plan."""
        return self._sorted[0].cost if self._plans else 0

    @property
    def bound(self) -> float | None:
        """Proven bound of each plan so far, compared with the best one in its place: 1 with an admissible heuristic."""
        return 1.0 if self._is_admissible else None

    @property
    def may_have_pruned(self) -> bool:
        """Whether a state with an infinite heuristic value was left out."""
        return self._has_pruned
