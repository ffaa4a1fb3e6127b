"""Algorithms for the Pareto front of a road network, and their search.

A label is a path to a node, with its vector of costs g. Its f is g plus, in each objective, the estimate of the cost to
the goal. The open list is in lexicographic order of f; labels with the same f come in the order of their numbers
(`kernel`). Labels are cut when they are generated, and again when they are taken. An expansion is counted after these
checks; taking the goal is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from algorithms.engine import (
    Counts,
    Expansion,
    GrowingArrays,
    Limiter,
    ResumableSearch,
    Solution,
    StepStatus,
    status_of,
)
from algorithms.interface import ALGORITHMS, Answer, ExpansionOrder, SearchAlgorithm
from algorithms.multi_objective import kernel as c
from algorithms.plan_sets import HYPERVOLUME, PRUNED, SOLUTIONS
from heuristics.interface import BoundStack, Weighting
from runner.base import Incompatible
from worlds.compile import COST_TOO_LARGE, MAX_COST, KernelError
from worlds.interface import Instance, Problem
from worlds.road.network import UNREACHED
from worlds.road.world import Road

Epsilon = Annotated[float, Meta(ge=0, le=1e3)]

_FIRST_LABELS = 1024
_GROWTH, _LEAST_GROWTH = 1.25, 1 + 1 / 16
"""Factor by which arrays grow, small so that they take little more memory than their labels; and the least one."""
_MAX_INDEX = (1 << 31) - 1
_NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class _FrontAlgorithm(SearchAlgorithm):
    """Base of the algorithms: what they promise, and the worlds that they take."""

    heuristic = "ignored"
    complete = True
    optimal = "always"
    metrics = (SOLUTIONS, HYPERVOLUME, PRUNED)

    two_objectives: ClassVar[bool] = True

    @property
    def answer(self) -> Answer:
        """The Pareto front."""
        return "front"

    def check(self, instance: Instance) -> None:
        """Refuse all but road networks, and other numbers of objectives than two if it takes two only."""
        world, name = instance.world, self.registered_name
        if not isinstance(world, Road):
            raise Incompatible(
                f"algorithm: {name} searches road networks only, not {world.domain}; "
                "choose a world such as road/random, or another algorithm such as astar"
            )
        if self.two_objectives and world.network.objectives != 2:
            raise Incompatible(
                f"algorithm: {name} needs two objectives, and {instance.id} has {world.network.objectives}; "
                "choose algorithm=namoadr, or two of them with world.objectives"
            )
        super().check(instance)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the lexicographic order."""
        return ExpansionOrder("smallest f first, lexicographically", "oldest", None)


@ALGORITHMS.register("boa")
@dataclass(frozen=True)
class BiObjectiveAStar(_FrontAlgorithm):
    """BOA*: the Pareto front of two objectives, with cuts that take constant time (Hernández et al., ICAPS 2020).

    Labels are taken in lexicographic order of (f1, f2). A label is cut if its second cost is at least the least one of
    the labels that were expanded at its node, or its f2 at least that of the solutions so far: then one of these is at
    least as good in both objectives, because its first f is not larger. This is checked when a label is generated and
    when it is taken. Estimates are exact distances in each objective, from two backward searches. Of labels with the
    same f, the one with the smaller number comes first; numbers of labels that were cut when they were taken are used
    again, the last one first.

    Complete: it finds one path for each Pareto-optimal vector of costs. The first solution is optimal in the first
    objective. All solutions that an interrupted search has found are Pareto-optimal.

    With `epsilon`, a label is also cut if a solution costs at most (1 + epsilon) times its f in each objective, as in
    A*pex (Zhang et al., ICAPS 2022). Then for each path to the goal, of costs c, some solution costs at most
    (1 + epsilon) c in each objective. Proof: suppose none does. Let L be an expanded label at a node of the path that
    costs at most as much as the path to this node, such as the start's. Its child along the path costs at most as much
    as the path to there, so its f is at most c: estimates are lower bounds. No solution cuts it, because that solution
    would be within (1 + epsilon) c. So it is expanded, or cut by a label that was expanded at this node and costs no
    more. Either way the next node has such a label, and so has the goal at last: a solution that costs at most c. All
    solutions are still Pareto-optimal: if c dominates a solution s, what was cut on the path of c would have come
    before s, and the solution that cut it is within (1 + epsilon) c and thus s, so it would have cut s.

    Attributes
    ----------
    epsilon : float
        Leave out vectors that a solution covers up to this share of each cost; 0 for the whole front.
    """

    epsilon: Epsilon = 0.0

    def start(self, stack: BoundStack, weighting: Weighting | None) -> FrontSearch:
        """Start at the start node, with estimates."""
        return FrontSearch(stack.problem, epsilon=self.epsilon)


@ALGORITHMS.register("namoadr")
@dataclass(frozen=True)
class MultiObjectiveAStar(_FrontAlgorithm):
    """NAMOA*dr: the Pareto front of one to five objectives (Pulido, Mandow and Pérez de la Cruz, 2015).

    Labels are taken in lexicographic order of f. Each node keeps the undominated vectors of its expanded labels without
    their first cost. A label is cut if one of them is at most as large in all objectives, at its node, or at the goal
    (where its f counts). Estimates, ties, guarantees and `epsilon` are those of `boa`, which expands the same labels of
    two objectives in less time.

    Attributes
    ----------
    epsilon : float
        Leave out vectors that a solution covers up to this share of each cost; 0 for the whole front.
    """

    two_objectives = False

    epsilon: Epsilon = 0.0

    def start(self, stack: BoundStack, weighting: Weighting | None) -> FrontSearch:
        """Start at the start node, with estimates."""
        return FrontSearch(stack.problem, by_lists=True, epsilon=self.epsilon)


@ALGORITHMS.register("bod")
@dataclass(frozen=True)
class BiObjectiveDijkstra(_FrontAlgorithm):
    """Bi-objective Dijkstra: the Pareto front of two objectives, without estimates (Hernández et al., ICAPS 2020).

    It is `boa` with f = g, and without backward searches. So it also generates nodes from which there is no path to the
    goal. It finds the same vectors of costs.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> FrontSearch:
        """Start at the start node."""
        return FrontSearch(stack.problem, has_estimates=False)


class FrontSearch(ResumableSearch):
    """Search for a Pareto front in progress.

    Parameters
    ----------
    problem : Problem
        Problem on a road network.
    by_lists : bool
        Cut labels by lists of vectors, for any number of objectives, not by the least second cost.
    epsilon : float
        Share of its f up to which a solution cuts a label.
    has_estimates : bool
        Whether to estimate the costs to the goal, by backward searches.
    """

    def __init__(
        self, problem: Problem, *, by_lists: bool = False, epsilon: float = 0.0, has_estimates: bool = True
    ) -> None:
        road = problem.world
        assert isinstance(road, Road)
        self._problem, self._network = problem, road.network
        network, objectives = road.network, road.network.objectives
        self._kernel = c.LIST_STEPS[objectives] if by_lists else c.BI_OBJECTIVE_STEP
        for kernel in (self._kernel, c.write_path):
            kernel.compile_ahead()
        self._record = record = c.COSTS + objectives + by_lists
        self._arcs = network.first, network.heads, network.costs.reshape(-1)
        values = np.zeros((network.nodes, objectives + 1), np.int32)
        values[:, objectives] = c.NOTHING if by_lists else UNREACHED
        if has_estimates:
            for k in range(objectives):
                values[:, k] = network.backward.distances(road.goal, (k,))[:, 0]
        self._estimate = [int(h) for h in values[road.start, :objectives]]
        self._values = values.reshape(-1)
        degree = int(np.diff(network.first).max(initial=1))
        self._labels = GrowingArrays(_FIRST_LABELS + degree, (np.int32, record))
        self._open = GrowingArrays(_FIRST_LABELS + degree, (np.int64, 1), (np.int32, 1))
        self._solutions = GrowingArrays(_FIRST_LABELS, (np.int32, 1))
        control = self._control = np.zeros(c.SIZE, np.int64)
        control[c.GOAL], control[c.DEGREE], control[c.MOST] = road.goal, degree, _NO_LIMIT
        control[c.EPSILON] = int(epsilon * (1 << c.EPSILON_BITS))
        control[c.FREE] = c.NOTHING
        if UNREACHED not in self._estimate:
            (labels,) = self._labels.views
            labels[c.NODE], labels[c.PARENT] = road.start, c.NOTHING
            control[c.OPEN] = control[c.LABELS] = 1  # the only entry, so that its key may stay 0

    def run(self, limiter: Limiter) -> str:
        """Search step by step. A step ends when there are as many solutions as the limits allow."""
        self._control[c.MOST] = limiter.limits.solutions or _NO_LIMIT
        return super().run(limiter)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        if budget > 0 and MAX_COST < max(self._estimate) < UNREACHED:
            raise KernelError(COST_TOO_LARGE)
        code = self._kernel.compiled(
            *self._arcs, self._values, *self._labels.views, *self._open.views, *self._solutions.views, self._control,
            budget,
        )  # fmt: skip
        status = status_of(code)
        return StepStatus.SOLVED if status == StepStatus.EXHAUSTED and self.found else status

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the arrays that were full in the last step."""
        control = self._control
        degree = control[c.DEGREE]
        wanted = (
            (self._labels, control[c.LABELS] + degree),
            (self._open, control[c.OPEN] + degree),
            (self._solutions, control[c.FOUND] + 1),
        )
        for arrays, needed in wanted:
            if needed <= arrays.length:
                continue
            length = max(int(needed), int(arrays.length * _GROWTH))
            if memory_limit is not None:
                per_entry = arrays.nbytes // arrays.length
                length = min(length, arrays.length + (memory_limit - self._memory_bytes) // per_entry)
            if length < max(needed, arrays.length * _LEAST_GROWTH) or length * self._record > _MAX_INDEX:
                return False
            arrays.resize(length)
        return True

    @property
    def counts(self) -> Counts:
        """Counts so far. Nodes are labels."""
        control = self._control
        return Counts(
            expanded=int(control[c.EXPANDED]),
            generated=int(control[c.GENERATED]),
            simulated_actions=1 + int(control[c.GENERATED]),
            peak_nodes=int(control[c.LABELS]),
            memory_bytes=self._memory_bytes,
        )

    @property
    def _memory_bytes(self) -> int:
        return self._values.nbytes + self._labels.nbytes + self._open.nbytes + self._solutions.nbytes

    @property
    def measured(self) -> dict[str, float | None]:
        """Number of labels that were cut."""
        return {PRUNED.name: int(self._control[c.CUT])}

    @property
    def initial_h(self) -> int | None:
        """Estimate of the first objective at the start; None if there is no path to the goal."""
        return None if UNREACHED in self._estimate else self._estimate[0]

    @property
    def may_have_pruned(self) -> bool:
        """Whether states may have been ignored that lead to the goal: none are, because estimates are distances."""
        return False

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 in the first objective, of the first solution."""
        return 1.0 if self.found else None

    @property
    def found(self) -> int:
        """Number of solutions so far."""
        return int(self._control[c.FOUND])

    @property
    def has_solution(self) -> bool:
        """Whether there is a solution so far."""
        return self.found > 0

    def solutions(self) -> Sequence[Solution]:
        """Return the solutions so far, in lexicographic order of their costs. They are proven to be Pareto-optimal."""
        return [Solution(self._costs(number), self._path(number)) for number in range(self.found)]

    def path(self) -> list[int]:
        """Return the codes of the arcs of the first solution."""
        return self._path(0)

    @property
    def cost(self) -> int:
        """First cost of the first solution."""
        return self._costs(0)[0]

    def _costs(self, number: int) -> tuple[int, ...]:
        begin = int(self._solutions.views[0][number]) * self._record + c.COSTS
        return tuple(self._labels.views[0][begin : begin + self._network.objectives].tolist())

    def _path(self, number: int) -> list[int]:
        label = int(self._solutions.views[0][number])
        arguments = (*self._arcs, *self._labels.views, self._record, self._network.objectives, label)
        codes = np.empty(c.write_path.compiled(*arguments, np.empty(0, np.int32)), np.int32)
        c.write_path.compiled(*arguments, codes)
        reversed_codes: list[int] = codes[::-1].tolist()
        return reversed_codes

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. Its g is the first cost."""
        (labels,) = self._labels.views
        label = int(self._control[c.EXPANDED_LABEL]) * self._record
        parent = int(labels[label + c.PARENT])
        before = None if parent == c.NOTHING else self._problem.pack(int(labels[parent * self._record + c.NODE]))
        state = self._problem.pack(int(labels[label + c.NODE]))
        costs = tuple(labels[label + c.COSTS :][: self._network.objectives].tolist())
        return Expansion(state, before, costs[0], self._problem.successors(state), costs=costs)
