"""Resumable bidirectional search: runs `bidirectional_step`. The registered algorithm is `algorithms.bidirectional`."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.bidirectional_step import bidirectional_step
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.kernel_arguments import expansion_buffers, heuristic_of
from algorithms.engine.nodes import PREVIOUS, Nodes
from algorithms.engine.open_list import DEAD_END, MEETING, PENDING
from algorithms.engine.open_list import OpenList
from algorithms.engine.search import Expansion, Status, status_of
from heuristics.interface import INFINITE_H
from heuristics.stack import BoundStack
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import cost_error, first_class


class BidirectionalSearch(StoredSearch):
    """Bidirectional search in progress, from the start and from all goals.

    Parameters
    ----------
    stack : BoundStack
        Stack for a problem with `predecessors` and `goals`.
    """

    _open: OpenList

    def __init__(self, stack: BoundStack) -> None:
        super().__init__(stack, bidirectional_step)
        problem = self._problem
        assert problem.predecessors is not None
        assert problem.goals is not None
        words = problem.initial.size
        self._backward = stack.stack.prepare_backward(problem)
        goals = [problem.goals[at : at + words] for at in range(0, problem.goals.size, words)]
        goals = list({goal.tobytes(): goal for goal in goals}.values())
        self._roots = 1 + len(goals)
        self._nodes = Nodes(words + 1, max(1024, 2 * problem.max_successors, 2 * self._roots))
        self._buffers = expansion_buffers(words, max(problem.max_successors, self._roots) + 1)
        self._heuristics = (self._heuristic, heuristic_of(self._backward))
        control = self._control
        control[c.NODES] = self._roots
        control[c.INDEX_MASK] = self._nodes.index_mask
        control[c.EVALUATED] += len(goals) if self._backward.kernels else 0
        control[c.PRIORITY] = MEETING
        control[c.MIN_STEP_COST] = 1 if problem.unit_costs else 0
        control[c.BEST_COST] = c.NO_INCUMBENT
        self._put_roots(goals)
        self._open = OpenList(control, np.zeros(4, np.float64), self._nodes, "low_h")
        self._expands = first_class((problem.expand, problem.predecessors))

    def _put_roots(self, goals: list[np.ndarray]) -> None:
        """Store the start as node 0 and the goals after it, and make those that are not dead ends pending."""
        control, nodes, pending = self._control, self._nodes, self._buffers[-1]
        start = self._problem.initial
        for node, (state, direction) in enumerate([(start, 0), *((goal, 1) for goal in goals)]):
            h = min(self._backward.evaluate(state), INFINITE_H) if direction else self._root_h
            nodes.put(node, np.append(state, np.uint64(direction)), int(h))
            nodes.column(PREVIOUS, node, node + 1)[:] = DEAD_END if h == INFINITE_H else PENDING
            if h < INFINITE_H:
                pending[control[c.PENDING]] = node
                control[c.PENDING] += 1
            if direction and (state == start).all():
                control[c.BEST_COST] = 0
                control[c.MEETING_BACKWARD] = node
        nodes.index(self._roots)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        code = bidirectional_step.compiled(
            self._expands, self._functions[2], self._backward.terms, self._heuristics, self._world,
            self._nodes.arrays, self._open.arrays, self._buffers, self._control, budget,
        )  # fmt: skip
        status = status_of(code)
        if status == Status.SOLVED:  # only both halves together may cost too much
            raise_on_error(cost_error(0, self.cost))
        return status

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. The last word of a node's state is its direction."""
        node = int(self._control[c.EXPANDED_NODE])
        return self._expansion_in(self._nodes, backward=bool(self._nodes.state(node)[-1]))

    def path(self) -> list[int]:
        """Return the action codes from the start to the meeting, and from there to the goal."""
        forward, backward = (int(self._control[name]) for name in (c.MEETING_FORWARD, c.MEETING_BACKWARD))
        return self._nodes.path(forward) + self._nodes.path(backward)[::-1]

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        control = self._control
        if not control[c.REOPENED]:
            return int(control[c.BEST_COST])
        forward, backward = int(control[c.MEETING_FORWARD]), int(control[c.MEETING_BACKWARD])
        return self._path_cost(forward) + self._path_cost(backward, backward=True)

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 under an admissible heuristic."""
        return 1.0 if self._stack.stack.admissible else None
