"""Best-first search in worlds that number their states (`worlds.numbering`): the node of a state has its number.

So a state is found without a hash table, and the records of neighbouring cells lie side by side. There is one kernel
for each world and heuristic, compiled together with their functions. It expands the same nodes in the same order as the
kernel of all worlds, three to seven times as fast; tests compare the two. Three things make it fast: the compiler
removes calls, loops over words and checks; each successor is stored, evaluated and pushed at once; and the records of
all successors are prefetched.

A search leaves its memory to the next one with the same numbering: the operating system would take longer to provide
new pages than a short search takes. The memory is not cleared. A node exists if its `PREVIOUS` is less than `stamp`;
each search has a smaller stamp than the one before. The values of `PREVIOUS` are the stamp minus OPEN, CLOSED, DEAD_END
or PRUNED.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD
from algorithms.engine.memory import Memory
from algorithms.engine.nodes import FIELD_WORDS, PREVIOUS, STORE, G, H, Nodes, child_depth, copy_state, set_path
from algorithms.engine.open_list import FIFO, NOTHING, PARTS, QUEUE, WEIGHT_G, WEIGHT_H, pop_entry, push_entry, tie_of
from algorithms.engine.search import StepStatus
from heuristics.interface import INFINITE_H
from heuristics.stack import stored_h
from worlds.compile.errors import NEGATIVE_H
from worlds.compile.kernel import Kernel, as_index, cost_error, helper, named
from worlds.compile.operations import bits_of, prefetch
from worlds.numbering import Numbering

SIGNATURE = f"int64({HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {NOTHING}, {BUFFERS}, int64[::1], int64)"
OPEN, CLOSED, DEAD_END, PRUNED = 1, 2, 3, 4
_MIN_STAMP = 8 - (1 << 31)
_FIRST_CAPACITY = 2048


class NumberedNodes(Nodes):
    """Node store with a record for each state of the world.

    Its capacity is a number of nodes, as that of other stores, so that memory is counted and limited likewise.

    Parameters
    ----------
    words : int
        Number of words of a state.
    numbering : Numbering
        Numbers of the states.

    Attributes
    ----------
    stamp : int
        Number that distinguishes the records of this search from those of earlier ones.
    """

    def __init__(self, words: int, numbering: Numbering) -> None:
        self.words, self.stride, self.capacity = words, words + FIELD_WORDS, _FIRST_CAPACITY
        self.table, self._numbering = np.zeros(0, np.int32), numbering
        stamp = _MIN_STAMP
        if numbering.spare:
            self.states, self.fields, stamp = numbering.spare.pop()
        if stamp == _MIN_STAMP:
            self._records, stamp = Memory(8 * self.stride * numbering.states), 8
            self._view()
        self.stamp: int = stamp - 8

    def __del__(self) -> None:
        """Leave the memory to the next search."""
        if hasattr(self, "stamp") and not self._numbering.spare:  # it was allocated
            self._numbering.spare.append((self.states, self.fields, self.stamp))

    @property
    def index_mask(self) -> int:
        """There is no table."""
        return 0

    def has_dead_end(self, used: int) -> bool:
        """Return whether the search has met a state with an infinite heuristic value."""
        previous = self.column(PREVIOUS, 0, self._numbering.states)
        return bool((previous == self.stamp - DEAD_END).any())

    def size_at(self, capacity: int) -> int:
        """Return the bytes of the records at a capacity."""
        return capacity * 8 * self.stride

    def grow(self, capacity: int, used: int) -> None:
        """Allow more nodes."""
        self.capacity = capacity


@cache
def numbered_step(expand: Kernel, is_goal: Kernel, number: Kernel, term: Kernel | None, words: int) -> Kernel:
    """Return the kernel that runs up to `budget` expansions and returns a `StepStatus`, or a negative number: an error.

    Parameters
    ----------
    expand, is_goal, number : Kernel
        Kernels of the world.
    term : Kernel or None
        The only term of the stack; None for h = 0.
    words : int
        Number of words of a state.
    """
    expand_state, is_goal_state, number_of = expand.inlined, is_goal.inlined, number.inlined
    value_of = _value(term, words)
    stride = words + FIELD_WORDS
    width = 2 * stride

    def step(heuristic, world_arrays, store, queue, more, buffers, control, budget):
        params, count, _ = heuristic
        states, fields, _ = store
        constants, action_lengths = world_arrays
        _, _, entries, weights = queue
        out, out_cost, out_action, out_h, numbers, _ = buffers
        stamp = control[c.STAMP]
        is_open, closed, dead_end, pruned = stamp - OPEN, stamp - CLOSED, stamp - DEAD_END, stamp - PRUNED
        weight_g, weight_h, is_fifo = weights[WEIGHT_G], weights[WEIGHT_H], control[c.TIES] == FIFO
        successors, capacity = control[c.MAX_SUCCESSORS], control[c.CAPACITY]
        reopen = control[c.REOPEN] != 0
        incumbent_cost, prune_by_f = control[c.INCUMBENT_COST], control[c.PRUNE_BY_F]
        expanded = generated = simulated = new = 0
        nodes = control[c.NODES]
        if control[c.PENDING] != 0 and control[c.HEAP_SIZE] == 0:  # the root
            root, h = as_index(number_of(constants, out, 0)), out_h[0]
            record = root * width
            copy_state(out, 0, states, root * stride + FIELD_WORDS, words)
            fields[record + H] = h
            set_path(fields, record, root, 0, 0, 0)
            f_bits = np.int64(bits_of(weight_h * h))
            push_entry(control, root, f_bits, tie_of(control, h), is_fifo, record, fields, entries, is_open)
        status = StepStatus.RUNNING.value
        while expanded < budget:
            control[c.PENDING] = (control[c.HEAP_SIZE] + successors) * PARTS > entries.size  # what `grow` must enlarge
            if control[c.PENDING] != 0 or nodes + new + successors > capacity:
                status = StepStatus.OUT_OF_MEMORY.value
                break
            node = pop_entry(control, fields, width, entries, is_open, closed)
            if node < 0:
                status = StepStatus.EXHAUSTED.value
                break
            node = as_index(node)
            record, at = node * width, node * stride + FIELD_WORDS
            if is_goal_state(constants, states, at):
                control[c.GOAL] = node
                status = StepStatus.SOLVED.value
                break
            n = expand_state(constants, states, at, out, 0, out_cost, out_action, 0)
            if n < 0:
                status = n
                break
            expanded += 1
            generated += n
            control[c.EXPANDED_NODE] = node
            for k in range(n):
                numbers[k] = number_of(constants, out, k * words)
                prefetch(states, numbers[k] * stride)
            g, parent_h = np.int64(fields[record + G]), np.int64(fields[record + H])
            depth = child_depth(fields, record)
            for k in range(n):
                cost = g + out_cost[k]
                wrong = cost_error(out_cost[k], cost)
                if wrong < 0:
                    status = wrong
                    break
                simulated += action_lengths[out_action[k]]
                child = as_index(numbers[k])
                child_record = child * width
                link = np.int64(fields[child_record + PREVIOUS])
                if link >= stamp:
                    copy_state(out, k * words, states, child * stride + FIELD_WORDS, words)
                    h = value_of(params[0], states, at, parent_h, out, out_action, out_h, k)
                    if h < 0:
                        status = h
                        break
                    new += 1
                    fields[child_record + H] = h
                elif cost >= fields[child_record + G] or link == dead_end or (link == closed and not reopen):
                    continue
                else:
                    h = np.int64(fields[child_record + H])
                    control[c.REOPENED] += link == closed
                set_path(fields, child_record, node, depth, cost, out_action[k])
                if h == INFINITE_H:
                    fields[child_record + PREVIOUS] = dead_end
                elif cost + h * prune_by_f >= incumbent_cost:
                    fields[child_record + PREVIOUS] = pruned
                else:
                    f_bits, tie = np.int64(bits_of(weight_g * cost + weight_h * h)), tie_of(control, h)
                    push_entry(control, child, f_bits, tie, is_fifo, child_record, fields, entries, is_open)
            if status < 0:
                break
        control[c.NODES] = nodes + new
        if count > 0:
            control[c.EVALUATED] += new
        control[c.EXPANDED] += expanded
        control[c.GENERATED] += generated
        control[c.SIMULATED] += simulated
        return status

    return Kernel(named(step, "numbered_step", expand_state, is_goal_state, number_of, value_of, words), SIGNATURE)


def _value(term: Kernel | None, words: int) -> Callable[..., Any]:
    """Return the helper that evaluates one successor. It returns h, or the code of an error."""
    if term is None:

        def value(params, states, at, parent_h, out, action, out_h, k):
            return 0

    else:
        estimate = term.inlined

        def value(params, states, at, parent_h, out, action, out_h, k):
            out_h[k] = 0
            status = estimate(params, states, at, parent_h, out, k * words, action, out_h, k, 1)
            if status < 0:
                return status
            return stored_h(out_h[k]) if out_h[k] >= 0 else NEGATIVE_H

    return helper(named(value, "value", words, term and term.function))
