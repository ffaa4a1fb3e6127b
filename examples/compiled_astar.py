"""Compiled algorithm with the open list of the engine: A*, with the plans and counts of algorithm=astar.

python -m runner 'plugins=[runner.examples.compiled_astar]' algorithm=compiled_astar heuristic=manhattan
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.engine import (
    BUFFERS,
    DEAD_END,
    FIELD_WORDS,
    HEURISTIC,
    PREVIOUS,
    QUEUE,
    STORE,
    WORLD,
    G,
    H,
    OpenList,
    StepStatus,
    StoredSearch,
    child_depth,
    expand_node,
    find_or_insert,
    has_room,
    hash_state,
    is_open,
    pop,
    push,
    remove,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from heuristics.interface import INFINITE_H, TERMS, evaluate
from runner import IS_GOAL, kernel, register
from runner.plugin import SearchAlgorithm
from worlds.compile import ADDRESS, call


@register("algorithm", "compiled_astar")
@dataclass(frozen=True)
class CompiledAStar(SearchAlgorithm):
    """Expand the open node with the smallest f = g + h (Hart, Nilsson and Raphael 1968). Complete."""

    complete = True
    optimal = "admissible"

    ties: Literal["low_h", "high_h", "fifo", "lifo"] = "low_h"

    def start(self, stack, weighting):
        return AStarInProgress(stack, self.ties)


class AStarInProgress(StoredSearch):
    """A* in progress. `grow` of the base class enlarges the open list if control[TO_PUSH] is 1, else the node store."""

    def __init__(self, stack, ties):
        super().__init__(stack)
        self._store_root(self._root_h)
        weights = np.array([1.0, 1.0, 0.0, 1.0])  # of g, of h, and none that depends on the depth
        self._open = OpenList(self._control, weights, self._nodes, ties)
        if self._root_h != INFINITE_H:
            self._open.refill(np.zeros(1, np.int32))  # the start is node 0

    def step(self, budget):
        """Run at most `budget` expansions."""
        status = status_of(
            expand_best.compiled(
                *self._functions,
                self._heuristic,
                self._world,
                self._nodes.arrays,
                self._open.arrays,
                self._buffers,
                self._control,
                budget,
            )
        )
        self._is_solved = status == StepStatus.SOLVED
        return status

    @property
    def expanded_before_last_layer(self):
        return self._open.popped_below_last() if self._is_solved else None

    @property
    def bound(self):
        return 1.0 if self._stack.stack.admissible else None


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {BUFFERS}, int64[::1], int64)")
def expand_best(expand, is_goal, terms, heuristic, world_arrays, store, queue, buffers, control, budget):
    """Expand the best open node, again and again."""
    params, count, maximum = heuristic
    states, fields, table = store
    constants, action_lengths = world_arrays
    out, out_cost, out_action, out_h, scratch, _ = buffers
    words, mask = control[c.WORDS], control[c.INDEX_MASK]
    successors = control[c.MAX_SUCCESSORS]
    stride = words + FIELD_WORDS  # words of a record; `fields` sees the same memory as int32
    width = 2 * stride
    for _ in range(budget):
        control[b.TO_PUSH] = 0 if has_room(control, queue, successors) else 1
        if control[b.TO_PUSH] == 1 or control[c.NODES] + successors > states.size // stride:
            return StepStatus.OUT_OF_MEMORY.value
        node = pop(control, fields, width, queue)
        if node < 0:
            return StepStatus.EXHAUSTED.value
        at = node * stride + FIELD_WORDS
        if call(IS_GOAL, is_goal, constants, states, at):
            control[c.GOAL] = node
            return StepStatus.SOLVED.value
        g, h = np.int64(fields[node * width + G]), np.int64(fields[node * width + H])
        depth = child_depth(fields, node * width)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            return n
        for k in range(n):
            cost, new = g + out_cost[k], control[c.NODES]
            hashed = hash_state(out, k * words, words)
            child = find_or_insert(table, states, words, mask, out, k * words, hashed, new)
            record = child * width
            if child == new:  # the state is new
                wrong = evaluate(
                    terms, count, maximum, params, states, at, h, out, k * words, out_action, out_h, scratch, k, 1
                )
                if wrong < 0:
                    return wrong
                control[c.NODES] += 1
                control[c.EVALUATED] += count > 0
                fields[record + H] = out_h[k]
                fields[record + PREVIOUS] = DEAD_END
            elif cost >= fields[record + G]:
                continue
            elif is_open(fields[record + PREVIOUS]):
                remove(child, fields, width, queue)
            elif fields[record + PREVIOUS] != DEAD_END:  # it is closed
                control[c.REOPENED] += 1
            set_path(fields, record, node, depth, cost, out_action[k])
            if fields[record + H] != INFINITE_H:
                push(control, child, fields, width, queue)
    return StepStatus.RUNNING.value
