"""Rules of searches from both ends: the order of their open lists, and which node is next.

A rule is compiled into the kernel (`algorithms.bidirectional.kernel`). For the nodes see
`algorithms.bidirectional.twins`. `MIDDLE` and `BACKWARD` have one open list for both directions, `BALANCED` one for
each. `PAIRS` and `COVERS` have two for each: of nodes that wait, ordered by f, and of nodes that are ready, ordered by
g.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.bidirectional import control_entries as e
from algorithms.bidirectional.clusters import first_g, side_of_cover
from algorithms.bidirectional.twins import direction_of, note_of, set_note
from algorithms.engine import MEETING, WEIGHTED, first_f, first_node, pop
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from worlds.compile import as_index, helper

WAITING, READY = range(2)
MOVED, FINISHED = -1, -2
"""Values of `Rule.select` without a list: a node is pending for another list; no solution is cheaper than the best."""
UNREACHABLE_BOUND = (1 << 31) - 1
"""Lower bound that no cost reaches."""

_BY_F, _BY_G, _BY_B = (1.0, 1.0), (1.0, 0.0), (2.0, 1.0)
_PAIRED = 0


@dataclass(frozen=True)
class Rule:
    """Rule that orders the open nodes and selects the next one.

    Attributes
    ----------
    name : str
        Name of the kernel.
    weights : tuple of (float, float)
        For each open list, the weights of g and h in its priority; or those of g in each direction (MEETING).
    list_of : helper
        ``list_of(fields, record, width)`` returns the number of the open list of a node.
    select : helper
        ``select(control, controls, queues, clusters, pending, fields, width)`` returns the list whose first node is
        next, MOVED or FINISHED. It notes the lower bound of the cost.
    priority : int
        Kind of priority.
    ties : str
        Order of nodes with the same priority.
    starts_forward : bool
        Whether the start is open.
    differs : bool
        Whether `H` is the difference of both heuristic values. The note is then h in the own direction. No node is
        reopened.
    waits : bool
        Whether the note is WAITING or READY.
    clusters : bool
        Whether ready nodes are counted by g (`algorithms.bidirectional.clusters`).
    """

    name: str
    weights: tuple[tuple[float, float], ...]
    list_of: Callable[..., Any]
    select: Callable[..., Any]
    priority: int = WEIGHTED
    ties: str = "low_h"
    starts_forward: bool = True
    differs: bool = False
    waits: bool = False
    clusters: bool = False

    @property
    def drops_closed(self) -> bool:
        """Whether, under a consistent heuristic, nodes that the other direction has closed are dropped.

        Both directions then close nodes with their distances: no path through such a node costs less than the solution
        that is known through it.
        """
        return self.differs or self.waits


@helper
def raise_bound(control, bound):
    """Note a lower bound of the cost; if it is larger than before, note how many nodes were expanded until now."""
    if bound > control[b.LOWER_BOUND]:
        control[b.LOWER_BOUND] = bound
        control[e.EXPANDED_BELOW] = control[c.EXPANDED]


@helper
def half_of_sum(controls, queues, fields, width):
    """Return half of the sum of the smallest b of both directions, rounded up; `UNREACHABLE_BOUND` if one has none."""
    forward, backward = first_f(controls[0], fields, width, queues[0]), first_f(controls[1], fields, width, queues[1])
    return np.int64(UNREACHABLE_BOUND) if forward + backward == np.inf else np.int64(np.ceil((forward + backward) / 2))


@helper
def only_list(fields, record, width):
    """Return the number of the only list."""
    return np.int64(0)


@helper
def list_of_direction(fields, record, width):
    """Return the number of a list where each direction has one."""
    return direction_of(fields, record, width)


@helper
def list_of_note(fields, record, width):
    """Return the number of a list where each direction has one of waiting and one of ready nodes."""
    return 2 * direction_of(fields, record, width) + note_of(fields, record, width)


@helper
def select_smallest(control, controls, queues, clusters, pending, fields, width):
    """Select the only list, unless its smallest priority reaches the cost of the best solution."""
    least = first_f(controls[0], fields, width, queues[0])
    if least >= control[e.BEST_COST]:
        raise_bound(control, control[e.BEST_COST])
        return np.int64(FINISHED)
    raise_bound(control, np.int64(np.ceil(least)))
    return np.int64(0)


@helper
def select_until_start(control, controls, queues, clusters, pending, fields, width):
    """Select the only list, until its first node is the start: a solution whose f is the smallest."""
    has_solution = control[e.BEST_COST] != c.NO_INCUMBENT
    if has_solution and first_node(controls[0], fields, width, queues[0]) == control[e.MEETING_BACKWARD]:
        pop(controls[0], fields, width, queues[0])  # it counts as popped last
        return np.int64(FINISHED)
    return np.int64(0)


@helper
def select_balanced(control, controls, queues, clusters, pending, fields, width):
    """Select the direction that is next, or the one with fewer open nodes."""
    raise_bound(control, half_of_sum(controls, queues, fields, width))
    if control[b.LOWER_BOUND] >= control[e.BEST_COST]:
        return np.int64(FINISHED)
    if control[e.ALTERNATE] != 0:
        return control[e.NEXT_SIDE]
    return np.int64(control[e.OPEN_FORWARD] > control[e.OPEN_BACKWARD])


@helper
def select_pair(control, controls, queues, clusters, pending, fields, width):
    """Select the ready nodes of both directions in turns."""
    if control[b.LOWER_BOUND] >= control[e.BEST_COST]:
        return np.int64(FINISHED)
    if control[e.HAS_PARTNER] != 0:
        control[e.HAS_PARTNER] = 0
        return np.int64(3)
    found = make_ready(control, controls, queues, pending, fields, width, 0)
    if found != _PAIRED:
        return found
    control[e.HAS_PARTNER] = 1
    return np.int64(1)


@helper
def select_cover(control, controls, queues, clusters, pending, fields, width):
    """Select the ready nodes of the cluster in work; if it is empty, or another one is first, choose one."""
    if control[b.LOWER_BOUND] >= control[e.BEST_COST]:
        return np.int64(FINISHED)
    bound = control[b.LOWER_BOUND]
    found = make_ready(control, controls, queues, pending, fields, width, 1)
    if found != _PAIRED:
        return found
    side = control[e.COVER_SIDE]
    if control[b.LOWER_BOUND] > bound or first_g(control, clusters, side) != control[e.COVER_G]:
        side = control[e.COVER_SIDE] = side_of_cover(control, clusters)
        control[e.COVER_G] = first_g(control, clusters, side)
    return 2 * side + 1


@helper
def make_ready(control, controls, queues, pending, fields, width, ready_all):
    """Look for a pair of ready nodes within the lower bound. Make a node ready, or raise the bound, if there is none.

    With `ready_all` = 1, all nodes whose f is the lower bound are ready before; else as many as the pair needs.

    Returns _PAIRED if there is one; MOVED if a node is ready, and pending; FINISHED if the bound reaches the best cost.
    """
    while True:
        bound = control[b.LOWER_BOUND]
        if bound >= control[e.BEST_COST]:
            return np.int64(FINISHED)
        forward = first_f(controls[0], fields, width, queues[0])
        backward = first_f(controls[2], fields, width, queues[2])
        both = first_f(controls[1], fields, width, queues[1]) + first_f(controls[3], fields, width, queues[3])
        both += control[q.MIN_STEP_COST]
        if both <= bound and min(forward, backward) >= bound + ready_all:
            return np.int64(_PAIRED)
        if min(forward, backward) <= bound:
            number = np.int64(0 if forward < bound or (backward >= bound and forward == bound) else 2)
            node = as_index(pop(controls[number], fields, width, queues[number]))
            set_note(fields, node * width, width, number // 2, READY)
            control[e.OPEN_FORWARD + number // 2] -= 1
            pending[0] = node
            control[b.TO_PUSH], control[b.PUSHED] = 1, 0
            return np.int64(MOVED)
        raise_bound(control, np.int64(min(min(forward, backward), both)))
        control[e.COVER_G] = -1


MIDDLE = Rule("middle_step", ((2.0, 2.0),), only_list, select_smallest, priority=MEETING)
BACKWARD = Rule("backward_step", (_BY_F,), only_list, select_until_start, starts_forward=False)
BALANCED = Rule(
    "balanced_step", (_BY_B, _BY_B), list_of_direction, select_balanced, ties="low_difference", differs=True
)
PAIRS = Rule("pairs_step", (_BY_F, _BY_G) * 2, list_of_note, select_pair, waits=True)
COVERS = Rule("covers_step", (_BY_F, _BY_G) * 2, list_of_note, select_cover, waits=True, clusters=True)
