"""Search in progress of the algorithms that search from both ends: memory, growth, and the path through the meeting."""

from __future__ import annotations

import numpy as np

from algorithms.bidirectional import control_entries as e
from algorithms.bidirectional.clusters import empty_clusters, larger_clusters
from algorithms.bidirectional.kernel import bidirectional_step
from algorithms.bidirectional.selection import Rule
from algorithms.bidirectional.twins import TwinNodes
from algorithms.engine import (
    CLOSED,
    DEAD_END,
    FEWEST_STATES,
    NEXT,
    PENDING,
    PREVIOUS,
    Expansion,
    OpenList,
    StepStatus,
    StoredSearch,
    expansion_buffers,
    heuristic_of,
    inlined_in,
    status_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from heuristics.interface import INFINITE_H, BoundStack
from worlds.compile import EXPAND, cost_error, raise_on_error

_FIRST_CLUSTERS = 64


class BidirectionalSearch(StoredSearch):
    """Search in progress, from the start and from all goals.

    Parameters
    ----------
    stack : BoundStack
        Stack for a problem with `predecessors` and `goals`.
    rule : Rule
        Rule that orders the open nodes and selects the next one.
    weights : tuple of float, optional
        For a rule with one open list, weights in place of its own.
    is_alternating : bool
        Whether BAE* alternates between the directions.
    """

    def __init__(
        self,
        stack: BoundStack,
        rule: Rule,
        weights: tuple[float, float] | None = None,
        *,
        is_alternating: bool = True,
    ) -> None:
        self._backward = stack.stack.prepare_backward(stack.problem)
        self._inlined = inlined_in(stack, fewest_states=FEWEST_STATES)
        inlined_back = inlined_in(self._backward, backward=True, fewest_states=FEWEST_STATES)
        if self._inlined is None or inlined_back is None:
            self._inlined = inlined_back = None
        self._kernel = bidirectional_step(rule, self._inlined, inlined_back)
        super().__init__(stack, self._kernel)
        problem = self._problem
        assert problem.predecessors is not None
        assert problem.goals is not None
        words = problem.initial.size
        self._rule = rule
        goals = [problem.goals[at : at + words] for at in range(0, problem.goals.size, words)]
        goals = list({goal.tobytes(): goal for goal in goals}.values())
        self._roots = 1 + len(goals)
        capacity = max(1024, 2 * problem.max_successors, 2 * self._roots)
        self._nodes: TwinNodes = TwinNodes(words, capacity, self._new_number_table())
        self._buffers = expansion_buffers(words, max(problem.max_successors, self._roots))
        self._heuristics = (self._heuristic, heuristic_of(self._backward))
        control = self._control
        control[c.NODES] = self._roots
        control[c.INDEX_MASK] = self._nodes.index_mask
        control[e.ALTERNATE], control[e.COVER_G] = is_alternating, -1
        is_consistent = stack.stack.consistent is True and self._backward.stack.consistent is True
        control[e.DROPS_CLOSED] = rule.drops_closed and is_consistent
        control[q.MIN_STEP_COST] = 1 if problem.world.unit_costs else 0
        control[e.BEST_COST] = c.NO_INCUMBENT
        control[b.LOWER_BOUND] = -1
        self._count_roots(len(goals))
        self._put_roots(goals)
        self._make_queues(rule.weights if weights is None else (weights,))
        self._expands = np.array([problem.expand.address(EXPAND), problem.predecessors.address(EXPAND)], np.int64)

    def _count_roots(self, goals: int) -> None:
        """Count the evaluations of the roots."""
        has_forward, has_backward = bool(self._heuristic[1]), bool(self._backward.kernels)
        evaluated = has_forward + goals * has_backward
        if self._rule.differs:
            evaluated += has_backward + goals * has_forward
        self._control[c.EVALUATED] = evaluated if self._rule.starts_forward else goals * has_backward

    def _make_queues(self, weights: tuple[tuple[float, float], ...]) -> None:
        """Make the open lists, and room for clusters."""
        has_buckets = self._problem.world.engine_scale == 1  # else most keys differ
        self._controls = np.zeros((len(weights), c.SIZE), np.int64)
        self._clusters = empty_clusters(_FIRST_CLUSTERS if self._rule.clusters else 0)
        self._queues: list[OpenList] = []
        for number, (control, each) in enumerate(zip(self._controls, weights, strict=True)):
            control[c.WORDS], control[q.MIN_STEP_COST] = self._control[c.WORDS], self._control[q.MIN_STEP_COST]
            control[q.PRIORITY] = self._rule.priority
            control[q.PUSHES] = number << 29  # so that no entry of another list looks fresh
            queue = OpenList(control, np.array([*each, 0, 0]), self._nodes, self._rule.ties, has_buckets=has_buckets)
            self._queues.append(queue)

    def _put_roots(self, goals: list[np.ndarray]) -> None:
        """Store the start as node 0 and the goals after it, and make those that are not dead ends pending."""
        control, nodes, pending = self._control, self._nodes, self._buffers[-1]
        start = self._problem.initial
        for node, (state, direction) in enumerate([(start, 0), *((goal, 1) for goal in goals)]):
            h = min(self._backward.evaluate(state), INFINITE_H) if direction else self._root_h
            note = 0
            if self._rule.differs and h < INFINITE_H:
                note = int(h)
                other = (self._stack if direction else self._backward).evaluate(state)
                h = h - int(other) if other < INFINITE_H else INFINITE_H
            nodes.put_root(node, state, int(h), direction, note)
            is_open = h < INFINITE_H and (direction or self._rule.starts_forward)
            nodes.column(PREVIOUS, node, node + 1)[:] = PENDING if is_open else DEAD_END
            if is_open:
                pending[control[b.TO_PUSH]] = node
                control[b.TO_PUSH] += 1
            if direction and (state == start).all():
                control[e.BEST_COST] = 0
                control[e.MEETING_BACKWARD] = node
                nodes.join(0, node)
        if not self._rule.starts_forward:
            control[e.OPEN_FORWARD] = 1  # never empty: the start waits for the other direction
        nodes.index(self._roots)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        code = self._kernel.compiled(
            self._expands, self._stack.terms, self._backward.terms, self._heuristics, self._world,
            self._nodes.arrays, tuple(queue.arrays for queue in self._queues), self._controls, self._clusters,
            self._buffers, self._control, budget,
        )  # fmt: skip
        status = status_of(code)
        if status == StepStatus.SOLVED:  # only both halves together may cost too much
            raise_on_error(cost_error(0, self.cost))
            self._is_solved = True
        return status

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step: an open list, the clusters or the node store."""
        control, full = self._control, int(self._control[e.FULL_QUEUE])
        if control[b.PUSHED] == control[b.TO_PUSH]:
            return super().grow(memory_limit)
        if full == len(self._queues):
            if memory_limit is not None and self._memory_bytes + self._clusters.nbytes > memory_limit:
                return False
            self._clusters = larger_clusters(self._clusters)
            return True
        queue = self._queues[full]
        return queue.grow(self._memory_bytes - queue.nbytes, memory_limit)

    @property
    def _memory_bytes(self) -> int:
        return self._nodes.nbytes + sum(queue.nbytes for queue in self._queues) + self._clusters.nbytes

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self._expansion_in(self._nodes, self._nodes.is_backward(int(self._control[c.EXPANDED_NODE])))

    def path(self) -> list[int]:
        """Return the action codes from the start to the meeting, and from there to the goal."""
        forward, backward = (int(self._control[name]) for name in (e.MEETING_FORWARD, e.MEETING_BACKWARD))
        return self._nodes.path(forward) + self._nodes.path(backward)[::-1]

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        control = self._control
        if not control[c.REOPENED]:
            return int(control[e.BEST_COST])
        forward, backward = int(control[e.MEETING_FORWARD]), int(control[e.MEETING_BACKWARD])
        return self._path_cost(forward) + self._path_cost(backward, backward=True)

    @property
    def measured(self) -> dict[str, float | None]:
        """Whether all heuristics have an estimate from the start; None without a heuristic."""
        stack = self._stack.stack
        return {"backward_h": not stack.without_backward if stack.heuristics else None}

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 under an admissible heuristic."""
        return 1.0 if self._stack.stack.admissible else None

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the lower bound reaches the cost; None if the heuristic is not declared admissible."""
        if not self._is_solved or not self._stack.stack.admissible:
            return None
        control, cost = self._control, self.cost
        if not self._rule.starts_forward:
            return self._queues[0].popped_below_last()
        if self._rule.differs:
            used = int(control[c.NODES])
            is_closed = self._nodes.column(PREVIOUS, 0, used) == CLOSED
            return int((is_closed & (self._nodes.column(NEXT, 0, used) < cost)).sum())
        return int(control[e.EXPANDED_BELOW] if control[b.LOWER_BOUND] >= cost else control[c.EXPANDED])
