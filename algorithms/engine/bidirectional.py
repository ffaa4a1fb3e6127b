"""Bidirectional search over one node store and one open list for both directions."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.bidirectional_step import bidirectional_step
from algorithms.engine.compiled import StoredSearch, expansion_buffers
from algorithms.engine.nodes import PREVIOUS, Nodes
from algorithms.engine.open_list import DEAD_END, MEETING, PENDING
from algorithms.engine.open_list_arrays import OpenListArrays
from algorithms.engine.search import Status
from heuristics.interface import UNREACHABLE
from heuristics.stack import BoundStack
from worlds.kernel import first_class


class BidirectionalSearch(StoredSearch):
    """A resumable search from the start and from all goals at once.

    Parameters
    ----------
    stack : BoundStack
        Its problem has `predecessors` and `goals`.
    """

    _open: OpenListArrays

    def __init__(self, stack: BoundStack) -> None:
        super().__init__(stack)
        problem = self._problem
        assert problem.predecessors is not None
        assert problem.goals is not None
        words = problem.initial.size
        self._backward = stack.stack.prepare_backward(problem)
        goals = [problem.goals[at : at + words] for at in range(0, problem.goals.size, words)]
        goals = list({goal.tobytes(): goal for goal in goals}.values())
        self._roots = 1 + len(goals)
        self._nodes = Nodes(words + 1, max(1024, 2 * problem.max_successors, 2 * self._roots))
        self._buffers = expansion_buffers(words, max(problem.max_successors, self._roots))
        self._child = np.zeros(words + 1, np.uint64)
        self._weights = np.zeros(4, np.float64)
        control = self._control
        control[c.NODES] = self._roots
        control[c.INDEX_MASK] = self._nodes.index_mask
        control[c.BACKWARD_TERM_COUNT] = len(self._backward.kernels)
        control[c.EVALUATED] += len(goals) if self._backward.kernels else 0
        control[c.PRIORITY] = MEETING
        control[c.SLACK] = 1 if problem.unit_costs else 0
        control[c.BEST] = c.NO_INCUMBENT
        self._put_roots(goals)
        self._open = OpenListArrays(control, self._weights, self._nodes, "low_h")
        self._expands = first_class((problem.expand, problem.predecessors))

    def _put_roots(self, goals: list[np.ndarray]) -> None:
        """Node 0 is the start, the goals follow."""
        control, nodes, pending = self._control, self._nodes, self._buffers[-1]
        start = self._problem.initial
        for node, (state, direction) in enumerate([(start, 0), *((goal, 1) for goal in goals)]):
            h = min(self._backward.evaluate(state), UNREACHABLE) if direction else self._root_h
            nodes.put(node, np.append(state, np.uint64(direction)), int(h))
            nodes.column(PREVIOUS, node, node + 1)[:] = DEAD_END if h >= UNREACHABLE else PENDING
            if h < UNREACHABLE:
                pending[control[c.PENDING]] = node
                control[c.PENDING] += 1
            if direction and (state == start).all():
                control[c.BEST] = 0
                control[c.MEETING_BACKWARD] = node
        nodes.index(self._roots)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        nodes, problem = self._nodes, self._problem
        return bidirectional_step.compiled(  # type: ignore[no-any-return]
            self._expands, *self._kernels[2:], self._backward.terms, self._backward.params, problem.world,
            problem.action_lengths, nodes.states, nodes.fields, nodes.table, self._open.arrays, self._buffers,
            self._child, self._control, self._weights, budget,
        )  # fmt: skip

    def path(self) -> list[int]:
        """Action codes from the start to where the directions meet, and on to the goal."""
        forward, backward = (int(self._control[name]) for name in (c.MEETING_FORWARD, c.MEETING_BACKWARD))
        return self._nodes.path(forward) + self._nodes.path(backward)[::-1]

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        control = self._control
        if not control[c.REOPENED]:
            return int(control[c.BEST])
        forward, backward = int(control[c.MEETING_FORWARD]), int(control[c.MEETING_BACKWARD])
        return self._path_cost(forward) + self._path_cost(backward, backward=True)

    @property
    def bound(self) -> float | None:
        """Optimal under an admissible heuristic."""
        return 1.0 if self._stack.stack.admissible else None
