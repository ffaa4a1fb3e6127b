"""Greedy best-first search with preferred successors: `algorithms.greedy`, with `preferred: helpful`.

Source: Richter and Helmert, "Preferred operators and deferred evaluation in satisficing planning", ICAPS 2009.
`algorithms.greedy.preferring_list` has the queues.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.best_first.best_first import BestFirstSearch, Priority
from algorithms.engine import (
    BUFFERS,
    CLOSED,
    DEAD_END,
    FIELD_WORDS,
    HEURISTIC,
    MOVE,
    PARENT,
    PENDING,
    PREVIOUS,
    STORE,
    WORLD,
    G,
    H,
    Inlined,
    StepStatus,
    ValuedNodes,
    child_depth,
    expand_node,
    find_or_insert,
    hash_successors,
    move_forward,
    set_path,
    status_of,
    test_by_address,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.greedy.alternating_list import evaluate_terms
from algorithms.greedy.preferring_list import (
    ACTION,
    COST,
    EDGE_SIZE,
    EDGES,
    LISTS,
    PREDECESSOR,
    SUCCESSOR,
    TurnsList,
    has_room,
    mark_successors,
    pop_edge,
    push_edge,
    reward,
    write_edge,
)
from heuristics.interface import INFINITE_H, PREFERRED, TERMS, BoundStack
from worlds.compile import ADDRESS, Kernel, as_index, kernel

UNKNOWN_H = -1
"""`H` of a node that is not evaluated."""


class PreferringSearch(BestFirstSearch):
    """Greedy search in progress, with queues of preferred successors.

    Parameters
    ----------
    stack : BoundStack
        Stack with a term that prefers successors.
    priority : Priority
        Ties, and whether closed nodes are reopened.
    by_terms : bool
        Whether each term has queues, or the stack.
    lazy : bool
        Whether nodes are evaluated when they are taken from the open list.
    boost : int
        What the priorities of preferred queues fall by.
    """

    _open: TurnsList

    def __init__(self, stack: BoundStack, priority: Priority, by_terms: bool, lazy: bool, boost: int) -> None:
        self._terms, self._by_terms, self._boost = stack.bound_terms, by_terms, boost
        super().__init__(stack, priority)
        self._control[b.IS_LAZY] = lazy

    def _kernel_with(self, inlined: Inlined | None) -> Kernel:
        return preferring_step

    def _inlined_in(self, stack: BoundStack) -> None:
        return None

    def _new_nodes(self, words: int, capacity: int) -> ValuedNodes:
        return ValuedNodes(words, capacity, len(self._terms))

    def _open_list(self) -> TurnsList:
        nodes, stack = self._nodes, self._stack
        assert isinstance(nodes, ValuedNodes)
        for number, term in enumerate(self._terms):
            h = BoundStack(stack.stack, stack.problem, (term,)).evaluate(stack.problem.initial)
            nodes.values[number] = INFINITE_H if h == math.inf else h
        functions = [0 if term.preferred is None else term.preferred.address(PREFERRED) for term in self._terms]
        keys = len(self._terms) if self._by_terms else 1
        return TurnsList(self._control, self._weights, nodes, self._priority.ties, keys, functions, self._boost)

    def _run_kernel(self, budget: int) -> StepStatus:
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.more,
            self._buffers, self._control, budget,
        )  # fmt: skip
        return status_of(code)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the open list if the successors of another node may not fit, else the node store."""
        if self._open.is_full():
            return self._open.grow(self._memory_bytes - self._open.nbytes, memory_limit)
        return self._grow_nodes(memory_limit)


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {LISTS}, {BUFFERS}, int64[::1], int64)")
def preferring_step(expand, is_goal, terms, heuristic, world_arrays, store, lists, buffers, control, budget):
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error.

    Of a lazy search, a node gets its path and its h when the first of its edges is taken. Of an eager search it gets
    them when it is found.
    """
    params, count, maximum = heuristic
    states, fields, table = store
    constants, action_lengths = world_arrays
    out, out_cost, out_action, out_h, scratch, pending = buffers
    edges, turns, marks = lists[1], lists[3], lists[4]
    evaluated = lists[0], lists[2], count  # as `evaluate_terms` takes them
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    keys = words * as_index(pending.size)  # behind the states in `out`
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    reopen, is_lazy = control[b.REOPEN] != 0, control[b.IS_LAZY] != 0
    last = control[c.EXPANDED] + budget
    while control[c.EXPANDED] < last:
        if control[c.NODES] + successors > capacity or not has_room(lists, successors):
            return StepStatus.OUT_OF_MEMORY.value
        node, record = as_index(0), as_index(0)
        if control[b.TO_PUSH] != 0:  # the root is in no queue
            control[b.TO_PUSH] = 0
        else:
            edge = pop_edge(lists)
            if edge < 0:
                return StepStatus.EXHAUSTED.value
            edge = as_index(edge * EDGE_SIZE)
            node = as_index(edges[edge + SUCCESSOR])
            record = node * width
            link = fields[record + PREVIOUS]
            if link == DEAD_END or (link == CLOSED and not (is_lazy and reopen)):
                continue
            if is_lazy:
                parent = as_index(edges[edge + PREDECESSOR])
                cost = np.int64(fields[parent * width + G]) + edges[edge + COST]
                if link == CLOSED:
                    if cost >= fields[record + G]:
                        continue
                    control[c.REOPENED] += 1
                set_path(fields, record, parent, child_depth(fields, parent * width), cost, edges[edge + ACTION])
        at = node * stride + FIELD_WORDS
        if test_by_address(is_goal, constants, states, at):
            control[c.GOAL] = node
            return StepStatus.SOLVED.value
        if fields[record + H] == UNKNOWN_H:
            parent = as_index(fields[record + PARENT])
            out_action[0] = np.int16(fields[record + MOVE] & 0xFFFF)
            failure = evaluate_terms(
                terms, count, maximum, params, states, parent, parent * stride + FIELD_WORDS,
                np.int64(fields[parent * width + H]), states, at, out_action, out_h, scratch, 0, node, 1, evaluated,
            )  # fmt: skip
            if failure < 0:
                return failure
            control[c.EVALUATED] += 1
            fields[record + H] = out_h[0]
            if out_h[0] == INFINITE_H:
                fields[record + PREVIOUS] = DEAD_END
                continue
        g, h = np.int64(fields[record + G]), np.int64(fields[record + H])
        fields[record + PREVIOUS] = CLOSED
        if is_lazy or node == 0:
            reward(node, h, count, lists)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            return n
        failure = mark_successors(params, count, states, at, n, lists)
        if failure < 0:
            return failure
        hash_successors(out, n, words, keys, table)
        depth, new = child_depth(fields, record), as_index(0)
        first, first_edge = as_index(control[c.NODES]), turns[EDGES]
        for k in range(n):
            child = find_or_insert(table, states, words, mask, out, k * words, out[keys + k], first + new)
            child_record, cost = child * width, g + out_cost[k]
            if child == first + new:
                fields[child_record + H] = UNKNOWN_H
                fields[child_record + PREVIOUS] = PENDING
                if not is_lazy:
                    set_path(fields, child_record, node, depth, cost, out_action[k])
                    move_forward(out, out_action, k, new, words)
                new += 1
            elif not is_lazy:
                link = fields[child_record + PREVIOUS]
                if cost >= fields[child_record + G] or link == DEAD_END or (link == CLOSED and not reopen):
                    continue
                control[c.REOPENED] += link == CLOSED
                fields[child_record + PREVIOUS] = PENDING
                set_path(fields, child_record, node, depth, cost, out_action[k])
            write_edge(lists, child, node, out_action[k], out_cost[k], marks[k])
        if not is_lazy:
            failure = evaluate_terms(
                terms, count, maximum, params, states, node, at, h,
                out, 0, out_action, out_h, scratch, 0, first, new, evaluated,
            )  # fmt: skip
            if failure < 0:
                return failure
            control[c.EVALUATED] += new
            for k in range(new):
                fields[(first + k) * width + H] = out_h[k]
        control[c.NODES] += new
        for edge in range(first_edge, turns[EDGES]):
            source = node if is_lazy else as_index(edges[edge * EDGE_SIZE + SUCCESSOR])
            h = np.int64(fields[source * width + H])
            if h == INFINITE_H:
                fields[source * width + PREVIOUS] = DEAD_END
                continue
            push_edge(control, edge, source, h, count, lists)
            if not is_lazy:
                reward(source, h, count, lists)
    return StepStatus.RUNNING.value
