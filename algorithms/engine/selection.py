"""Rules that select the next node of a search from both ends.

`MIDDLE` and `BACKWARD` have one open list for both directions, `BALANCED` one for each, and `PAIRS` two for each: of
nodes that wait, ordered by f, and of nodes that are ready, ordered by g. For the nodes see `algorithms.engine.twins`.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.open_list import first_f, pop
from algorithms.engine.twins import direction_of, note_of, set_note
from worlds.compile.kernel import as_index, helper

MIDDLE, BALANCED, PAIRS, BACKWARD = range(4)
WAITING, READY = range(2)
UNREACHABLE_BOUND = (1 << 31) - 1
"""Lower bound that no cost reaches."""


@helper
def list_of_node(rule, fields, record, width):
    """Return the number of the open list of a node."""
    if rule == BALANCED:
        return direction_of(fields, record, width)
    if rule == PAIRS:
        return 2 * direction_of(fields, record, width) + note_of(fields, record, width)
    return np.int64(0)


@helper
def raise_bound(control, bound):
    """Note a lower bound of the cost; if it is larger than before, note how many nodes were expanded until now."""
    if bound > control[c.LOWER_BOUND]:
        control[c.LOWER_BOUND] = bound
        control[c.EXPANDED_BELOW] = control[c.EXPANDED]


@helper
def half_of_sum(controls, queues, fields, width):
    """Return half of the sum of the smallest b of both directions, rounded up; `UNREACHABLE_BOUND` if one has none."""
    forward, backward = first_f(controls[0], fields, width, queues[0]), first_f(controls[1], fields, width, queues[1])
    return np.int64(UNREACHABLE_BOUND) if forward + backward == np.inf else np.int64(np.ceil((forward + backward) / 2))


@helper
def select_list(rule, control, controls, queues, pending, fields, width):
    """Return the list whose first node is next, and raise the lower bound; -1 if a node had to change its list."""
    if rule == BALANCED:
        raise_bound(control, half_of_sum(controls, queues, fields, width))
        if control[c.ALTERNATE] != 0:
            return control[c.NEXT_SIDE]
        return np.int64(control[c.OPEN_FORWARD] > control[c.OPEN_BACKWARD])
    if rule != PAIRS:
        return np.int64(0)
    if control[c.HAS_PARTNER] != 0:
        control[c.HAS_PARTNER] = 0
        return np.int64(3)
    while True:
        bound = control[c.LOWER_BOUND]
        if bound >= control[c.BEST_COST]:
            return np.int64(1)
        forward, backward = (
            first_f(controls[0], fields, width, queues[0]),
            first_f(controls[2], fields, width, queues[2]),
        )
        both = first_f(controls[1], fields, width, queues[1]) + first_f(controls[3], fields, width, queues[3])
        both += control[c.MIN_STEP_COST]
        if both <= bound and min(forward, backward) >= bound:
            control[c.HAS_PARTNER] = 1
            return np.int64(1)
        if min(forward, backward) <= bound:
            number = np.int64(0 if forward < bound or (backward >= bound and forward == bound) else 2)
            node = as_index(pop(controls[number], fields, width, queues[number]))
            set_note(fields, node * width, width, number // 2, READY)
            control[c.OPEN_FORWARD + number // 2] -= 1
            pending[0] = node
            control[c.PENDING], control[c.PUSHED] = 1, 0
            return np.int64(-1)
        raise_bound(control, np.int64(min(min(forward, backward), both)))
