"""Batches: several expansions before their successors are evaluated, all in one call of each heuristic.

A batch takes up to N nodes from the open list, one after the other, and expands each at once. Their successors are held
back, in `pending`, until the batch is complete: when N nodes are expanded, or no node is open. Then the new states are
evaluated, in the order in which they were found, and all nodes in `pending` are pushed in its order. With N = 1 this is
best-first search as in `best_first_kernel`.

- A goal that is taken from the open list ends the search. What the batch holds is not evaluated then
- A cheaper path to an open node takes it out of the open list; it belongs to `pending` then, with its h. A cheaper path
  to a node in `pending` moves this node to the end. A closed node is reopened as in `successors.relax`, even one that
  this batch has expanded
- A batch may be interrupted after each expansion: control and `Batch` have all that it holds. So limits on expansions
  are exact, and neither they nor the length of the steps change the order
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.exploring_list import TYPES, pop_exploring, push_exploring
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.nodes import FIELD_WORDS, STORE, G, H, child_depth, copy_state, find_or_insert, set_path
from algorithms.engine.open_list import QUEUE, first_node
from algorithms.engine.search import StepStatus
from algorithms.engine.successors import add_pending, expand_node, hash_successors, prune_pending, relax
from heuristics.stack import TERMS, evaluate
from worlds.compile.kernel import ADDRESS, IS_GOAL, as_index, kernel
from worlds.compile.operations import call

BATCH = "Tuple((int32[::1], uint64[::1], int16[::1], int64[::1], int64[::1]))"
"""Numba type of `Batch.arrays`: `pending`; states to evaluate; codes of the actions; h; scratch for h."""


class Batch:
    """Arrays of the nodes that a batch holds.

    Parameters
    ----------
    control : ndarray of int64
        Control array of the search.
    size : int
        Largest number of expansions in a batch.
    words, successors : int
        Words of a state, and most successors of one.
    """

    arrays: tuple[np.ndarray, ...]

    def __init__(self, control: np.ndarray, size: int, words: int, successors: int) -> None:
        control[c.BATCH] = size
        self._control, self._words = control, words
        self._allocate(max(1, 2 * successors))

    def _allocate(self, room: int) -> None:
        states = np.empty(room * self._words, np.uint64)
        values = (np.empty(room, np.int64) for _ in range(2))
        self.arrays = np.empty(room, np.int32), states, np.empty(room, np.int16), *values

    @property
    def left(self) -> int:
        """Number of expansions until the batch is full."""
        return int(self._control[c.BATCH] - self._control[c.BATCH_EXPANDED])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def is_full(self) -> bool:
        """Whether the successors of another expansion may not fit."""
        return int(self._control[c.HELD] + self._control[c.MAX_SUCCESSORS]) > self.arrays[0].size

    def grow(self, other_bytes: int, memory_limit: int | None) -> bool:
        """Double the arrays; return False if that would exceed the memory limit."""
        if memory_limit is not None and 2 * self.nbytes + other_bytes > memory_limit:
            return False
        before = self.arrays
        self._allocate(2 * before[0].size)
        for old, new in zip(before, self.arrays, strict=True):
            new[: old.size] = old
        return True


@kernel(
    f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {TYPES},"
    f"{BUFFERS}, {BATCH}, int64[::1], int64)"
)
def batched_step(expand, is_goal, terms, heuristic, world_arrays, store, queue, types, buffers, batch, control, budget):
    """Run at most `budget` expansions. Return a `StepStatus`, or a negative number on an error."""
    params, count, maximum = heuristic
    states, fields, table = store
    constants, action_lengths = world_arrays
    out, out_cost, out_action, _, _, _ = buffers
    pending, new_states, new_actions, new_h, scratch = batch
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, hashes = as_index(control[c.INDEX_MASK]), words * successors
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    last = control[c.EXPANDED] + budget
    while True:
        pushed, waiting = control[c.PUSHED], control[c.PENDING]
        while pushed < waiting and push_exploring(control, as_index(pending[pushed]), fields, width, queue, types):
            pushed += 1
        control[c.PUSHED] = pushed
        if pushed < waiting:
            return StepStatus.OUT_OF_MEMORY.value
        if control[c.EXPANDED] >= last:
            return StepStatus.RUNNING.value
        none_open = first_node(control, fields, width, queue) < 0
        if none_open and control[c.BATCH_EXPANDED] == 0:
            return StepStatus.EXHAUSTED.value
        if not none_open:
            if control[c.NODES] + successors > capacity or control[c.HELD] + successors > pending.size:
                return StepStatus.OUT_OF_MEMORY.value
            node = as_index(pop_exploring(control, fields, width, queue, types))
            record, at = node * width, node * stride + FIELD_WORDS
            if call(IS_GOAL, is_goal, constants, states, at):
                control[c.GOAL] = node
                return StepStatus.SOLVED.value
            g = np.int64(fields[record + G])
            n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
            if n < 0:
                return n
            hash_successors(out, n, words, hashes, table)
            depth, held, new = child_depth(fields, record), control[c.HELD], as_index(control[c.BATCH_NEW])
            for k in range(n):
                cost, following = g + out_cost[k], as_index(control[c.NODES])
                child = find_or_insert(table, states, words, mask, out, k * words, out[hashes + k], following)
                if child == following:
                    copy_state(out, k * words, new_states, new * words, words)
                    new_actions[new] = out_action[k]
                    fields[child * width + H] = 0  # until it is evaluated
                    control[c.NODES] += 1
                    new += 1
                else:
                    after = relax(control, child, cost, control[c.REOPEN], pending, held, fields, width, queue)
                    if after < 0:
                        continue
                    held = after
                set_path(fields, child * width, node, depth, cost, out_action[k])
                held = add_pending(pending, held, child, fields, width)
            control[c.HELD], control[c.BATCH_NEW] = held, new
            control[c.BATCH_EXPANDED] += 1
        if none_open or control[c.BATCH_EXPANDED] == control[c.BATCH]:
            new = as_index(control[c.BATCH_NEW])
            failure = evaluate(  # the states have several parents, so they are evaluated from scratch
                terms, count, maximum, params, new_states, 0, -1, new_states, 0, new_actions, new_h, scratch, 0, new
            )
            if failure < 0:
                return failure
            if count > 0:
                control[c.EVALUATED] += new
            first = as_index(control[c.NODES] - new)
            for k in range(new):
                fields[(first + k) * width + H] = new_h[k]
            incumbent_cost, prune_by_f = control[c.INCUMBENT_COST], control[c.PRUNE_BY_F]
            control[c.PENDING] = prune_pending(pending, control[c.HELD], fields, width, incumbent_cost, prune_by_f)
            control[c.PUSHED] = control[c.HELD] = control[c.BATCH_NEW] = control[c.BATCH_EXPANDED] = 0
