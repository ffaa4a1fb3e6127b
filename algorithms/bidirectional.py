"""Bidirectional search: best-first search from both ends with one node store and one open list.

A state is stored once per direction: the word after those of the state is 0 forward and 1 backward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.hashing import hash_state
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD, expansion_buffers, heuristic_of
from algorithms.engine.nodes import (
    FIELD_WORDS,
    PREVIOUS,
    STORE,
    G,
    H,
    Nodes,
    child_depth,
    copy_state,
    find_node,
    find_or_insert,
    set_path,
)
from algorithms.engine.open_list import DEAD_END, MEETING, PENDING, QUEUE, OpenList, is_open, pop, priority, push
from algorithms.engine.search import Expansion, Status, status_of
from algorithms.engine.successors import add_pending, expand_node, move_forward, prune_pending, relax
from algorithms.interface import ALGORITHMS, Optimal, SearchAlgorithm
from heuristics.interface import INFINITE_H
from heuristics.stack import TERMS, BoundStack, evaluate, unpack_terms
from heuristics.weighting import Weighting
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import EXPAND, as_index, cost_error, first_class, helper, kernel, list_of
from worlds.compile.operations import borrowed


@ALGORITHMS.register("bidirectional")
@dataclass(frozen=True)
class Bidirectional(SearchAlgorithm):
    """MM, bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon, Sturtevant and Chen 2017).

    Both directions expand the node with the smallest max(g + h, 2 g + e), where e is 1 if every step costs 1, else 0.
    The backward h estimates the cost from the start; it is 0 for heuristics without such an estimate. Among equals the
    smallest h comes first, then the newest node. The search ends when the best solution costs no more than the smallest
    priority, or when the open list of one direction is empty.

    Complete on finite spaces; optimal under an admissible heuristic. Proof: while the best solution costs more than the
    optimal cost C, each open list holds a node of an optimal path with its true distance from that end. The two
    distances and at least one step between the nodes sum to at most C, so one of the nodes has 2 g + e <= C. For both,
    g + h <= C. Closed nodes are reopened. It needs a world with goals and predecessors.
    """

    needs_inverse = True
    optimal: ClassVar[Optimal] = "admissible"
    complete = True

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack)


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


@kernel(
    f"int64({list_of(EXPAND)}, {TERMS}, {TERMS}, UniTuple({HEURISTIC}, 2), {WORLD}, {STORE}, {QUEUE}, {BUFFERS},"
    "int64[::1], int64)"
)
def bidirectional_step(
    expand_list, forward_list, backward_list, heuristics, world_arrays, store, queue, buffers, control, budget
):
    """Run at most `budget` expansions; return a `Status`, or a negative number on an error.

    `out` has room for one state more than there are successors: there a successor gets the word of its direction.
    """
    expands = (expand_list[0], expand_list[1])
    forward_terms, backward_terms = unpack_terms(forward_list), unpack_terms(backward_list)
    (forward_params, forward_count, maximum), (backward_params, backward_count, _) = heuristics
    forward_params, backward_params = borrowed(forward_params), borrowed(backward_params)
    states, fields, table = borrowed(store)
    world, action_lengths = borrowed(world_arrays)
    queue, buffers, control = borrowed(queue), borrowed(buffers), borrowed(control)
    out, out_cost, out_action, out_h, scratch, pending = buffers
    weights = queue[3]
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, child_at = as_index(control[c.INDEX_MASK]), words * successors
    stride = words + 1 + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    last_expansion = control[c.EXPANDED] + budget
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = as_index(pending[control[c.PUSHED]])
            if not push(control, node, fields, width, queue):
                status = Status.OUT_OF_MEMORY.value
                break
            control[c.OPEN_FORWARD + direction_of(states, node, stride, words)] += 1
            control[c.PUSHED] += 1
        if status == Status.OUT_OF_MEMORY.value or control[c.EXPANDED] >= last_expansion:
            break
        if control[c.NODES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        if control[c.OPEN_FORWARD] == 0 or control[c.OPEN_BACKWARD] == 0:
            status = Status.EXHAUSTED.value if control[c.BEST_COST] == c.NO_INCUMBENT else Status.SOLVED.value
            break
        node = as_index(pop(control, fields, width, queue))  # there is one
        record, at = node * width, node * stride + FIELD_WORDS
        if priority(control, weights, fields, record) >= control[c.BEST_COST]:
            status = Status.SOLVED.value
            break
        direction = direction_of(states, node, stride, words)
        control[c.OPEN_FORWARD + direction] -= 1
        g, depth = np.int64(fields[record + G]), child_depth(fields, record)
        expand = expands[direction]
        n = expand_node(expand, control, node, world, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            status = n
            break
        first = as_index(control[c.NODES])
        new = 0
        waiting = 0
        for k in range(n):
            cost = g + out_cost[k]
            copy_state(out, k * words, out, child_at, words)
            out[child_at + words] = np.uint64(direction)
            hashed = hash_state(out, child_at, words + 1)
            child = find_or_insert(table, states, words + 1, mask, out, child_at, hashed, first + new)
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            else:
                was_open = is_open(np.int64(fields[child * width + PREVIOUS]))
                after = relax(control, child, cost, True, pending, waiting, fields, width, queue)
                if after < 0:
                    continue
                waiting = after
                if was_open:
                    control[c.OPEN_FORWARD + direction] -= 1
            set_path(fields, child * width, node, depth, cost, out_action[k])
            waiting = add_pending(pending, waiting, child, fields, width)
            meet(control, states, fields, table, out, child_at, child, cost, direction, words, width)
        count = backward_count if direction else forward_count
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            backward_terms if direction else forward_terms, count, maximum,
            backward_params if direction else forward_params,
            states, at, np.int64(fields[record + H]), out, 0, out_action, out_h, scratch, 0, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
        control[c.NODES] += new
        control[c.PENDING] = prune_pending(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
        control[c.PUSHED] = 0
    return status


@helper
def direction_of(states, node, stride, words):
    """Return 0 for a node of the forward search, 1 for one of the backward search."""
    return np.int64(states[node * stride + FIELD_WORDS + words])


@helper
def meet(control, states, fields, table, out, child_at, node, cost, direction, words, width):
    """If the other direction has reached the state at `child_at` too, and this is the best solution, record it."""
    out[child_at + words] = np.uint64(1 - direction)
    hashed = hash_state(out, child_at, words + 1)
    other = find_node(table, states, words + 1, control[c.INDEX_MASK], out, child_at, hashed)
    if other >= 0 and cost + fields[other * width + G] < control[c.BEST_COST]:
        control[c.BEST_COST] = cost + fields[other * width + G]
        control[c.MEETING_FORWARD] = other if direction else node
        control[c.MEETING_BACKWARD] = node if direction else other
