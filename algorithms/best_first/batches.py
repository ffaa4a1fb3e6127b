"""Batches: several expansions before their successors are evaluated, all in one call of each heuristic.

k-best-first search (Felner, Kraus and Korf, "KBFS: K-best-first search", Annals of Mathematics and Artificial
Intelligence 39, 2003) takes several nodes at once. Batch weighted A* does so to ask a network for many values in one
call (Agostinelli, McAleer, Shmakov and Baldi, "Solving the Rubik's cube with deep reinforcement learning and search",
Nature Machine Intelligence 1, 2019). See docs/algorithms.md.

A batch takes up to N nodes from the open list, one after the other, and expands each at once. Their successors are held
back, in `pending`, until the batch is complete: when N nodes are expanded, or no node is open. Then the new states are
evaluated, in the order in which they were found, and all nodes in `pending` are pushed in its order.

- A goal that is taken from the open list ends the search, and what the batch holds is not evaluated then; or it becomes
  the incumbent, and the batch goes on. A node whose f is at least the cost of the incumbent is not taken: a batch is
  complete, too, when there is no other one, and the search ends when there is none after a batch
- A cheaper path to an open node takes it out of the open list; it belongs to `pending` then, with its h. A cheaper path
  to a node in `pending` moves this node to the end, and leaves MOVED at its place, which its `NEXT` has. A closed node
  is reopened as in `successors.relax`, even one that this batch has expanded
- A batch may be interrupted after each expansion: control and buffers have all that it holds. So limits on expansions
  are exact, and neither they nor the length of the steps change the order

The states of a batch stand in the buffer of the successors, behind those of one expansion. Until a new state is
evaluated, its `H` is what its first parent proves by an admissible h: h of the parent less the cost of the step.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import PENDING, PREVIOUS, G, H, is_open, prune_pending
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from heuristics.interface import evaluate
from worlds.compile import as_index, helper, kernel

MOVED = -1
"""Place in `pending` without a node."""


def size_of(buffers: tuple[np.ndarray, ...]) -> int:
    """Return the bytes of the buffers of an expansion."""
    return sum(buffer.nbytes for buffer in buffers)


def larger_buffers(buffers: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return copies of the buffers of an expansion, of `expansion_buffers`, with twice the room."""
    return tuple(np.concatenate([buffer, np.zeros_like(buffer)]) for buffer in buffers)


@helper
def finish_batch(terms, heuristic, fields, width, buffers, words, held_at, control):
    """Evaluate the new states, and make the nodes of the batch pending. Return 0, or a negative number on an error."""
    params, count, maximum = heuristic
    out, _, out_action, out_h, scratch, pending = buffers
    new = as_index(control[b.BATCH_NEW])
    first_at = held_at * words
    failure = evaluate(  # the states have several parents, so they are evaluated from scratch
        terms, count, maximum, params, out, first_at, -1, out, first_at, out_action, out_h, scratch, held_at, new
    )
    if failure < 0:
        return failure
    if count > 0:
        control[c.EVALUATED] += new
    first = as_index(control[c.NODES] - new)
    for k in range(new):
        fields[(first + k) * width + H] = out_h[held_at + k]
    held = 0
    for k in range(control[b.HELD]):
        if pending[k] != MOVED:
            pending[held] = pending[k]
            held += 1
    control[b.TO_PUSH] = prune_pending(pending, held, fields, width, control[q.INCUMBENT_COST], control[b.PRUNE_BY_F])
    control[b.PUSHED] = 0
    control[b.HELD] = 0
    control[b.BATCH_NEW] = 0
    control[b.BATCH_EXPANDED] = 0
    return 0


@kernel("int64(int64[::1], int32[::1], int64)")
def least_open(control, fields, width):
    """Return the smallest g + h of open nodes and of those that a batch holds; NO_INCUMBENT if there is none."""
    least = np.int64(c.NO_INCUMBENT)
    for node in range(control[c.NODES]):
        record = node * width
        link = np.int64(fields[record + PREVIOUS])
        if is_open(link) or link == PENDING:
            least = min(least, np.int64(fields[record + G]) + fields[record + H])
    return least
