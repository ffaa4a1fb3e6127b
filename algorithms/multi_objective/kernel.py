"""Kernel of searches for a Pareto front: labels, an open list in lexicographic order, and what cuts a label.

A label is a record of int32: its node, the label before it on its path (of a free record: the next free one), its costs
and, with lists, the next label in the list of its node. `values` has for each node the estimates of the costs to the
goal, and what remembers its expanded labels: the least second cost of any, or the first label of a list. Records of
labels that are cut when they are taken are used again, the last one first. So the numbers of labels, which decide
between labels with the same f, do not depend on how memory grows.

`step_of` compiles the kernel for a number of objectives, together with its rule of cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.engine import StepStatus
from worlds.compile import COST_TOO_LARGE, MAX_COST, Kernel, as_index, helper, kernel, named, prefetch
from worlds.road.network import UNREACHED

RUNNING, EXHAUSTED = StepStatus.RUNNING.value, StepStatus.EXHAUSTED.value
OUT_OF_MEMORY = StepStatus.OUT_OF_MEMORY.value

# The control array: counts; size of the open list; records of labels in use, and the first free one of these (-1: none);
# solutions so far; the goal; the number of solutions after which a step ends; epsilon in units of 2^-20; the largest
# number of arcs from a node; the label that was expanded last.
(EXPANDED, GENERATED, CUT, OPEN, LABELS, FREE, FOUND, GOAL, MOST, EPSILON, DEGREE, EXPANDED_LABEL, SIZE) = range(13)

NODE, PARENT, COSTS = range(3)
"""Places in the record of a label."""
EPSILON_BITS = 20
KEY_BITS = 31
"""Bits of the second f in a key of the open list. The first f is above them."""
NOTHING = -1

SIGNATURE = (
    "int64(int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1], "
    "int64[::1], int64)"
)


class Cuts(NamedTuple):
    """Rule by which labels are cut, as functions of `values`, `labels`, a node and the record of a label.

    Attributes
    ----------
    at_node : helper
        Whether an expanded label of the node is at most as expensive in all objectives but the first.
    at_goal : helper
        Whether a solution is at most (1 + epsilon) times as expensive as the f of the label, in all but the first.
    remember : helper
        Remembers a label that is expanded.
    record : int
        Length of the record of a label.
    """

    at_node: Callable[..., Any]
    at_goal: Callable[..., Any]
    remember: Callable[..., Any]
    record: int


@helper
def is_within(costs, f, epsilon):
    """Return whether costs are at most (1 + epsilon) f: exactly, because the rounded product might be too large."""
    return (np.int64(costs) - f) << EPSILON_BITS <= epsilon * f


def by_least_cost() -> Cuts:
    """Return the rule of BOA*: a node remembers the least second cost of its expanded labels. Two objectives only."""

    def at_node(values, labels, node, label):
        return labels[label + COSTS + 1] >= values[3 * node + 2]

    def at_goal(values, labels, node, label, goal, epsilon):
        least = values[3 * goal + 2]
        f = np.int64(labels[label + COSTS + 1]) + values[3 * node + 1]
        return least != UNREACHED and is_within(least, f, epsilon)

    def remember(values, labels, node, label):
        values[3 * node + 2] = labels[label + COSTS + 1]

    return Cuts(*(helper(named(each, "least")) for each in (at_node, at_goal, remember)), 4)


def by_lists(objectives: int) -> Cuts:
    """Return the rule of NAMOA*dr: a node has a list of its expanded labels that no other one dominates.

    The first cost is left out: labels are taken in the order of their first f, so that of an earlier one is not larger.
    """
    link, width = COSTS + objectives, objectives + 1

    def at_node(values, labels, node, label):
        other = values[as_index(width * node + objectives)]
        while other != NOTHING:
            at = as_index(np.int64(other) * (link + 1))
            is_cut = True
            for k in range(COSTS + 1, link):
                is_cut &= labels[as_index(at + k)] <= labels[as_index(label + k)]
            if is_cut:
                return True
            other = labels[as_index(at + link)]
        return False

    def at_goal(values, labels, node, label, goal, epsilon):
        other = values[as_index(width * goal + objectives)]
        while other != NOTHING:
            at = as_index(np.int64(other) * (link + 1))
            is_cut = True
            for k in range(1, objectives):
                f = np.int64(labels[as_index(label + COSTS + k)]) + values[as_index(width * node + k)]
                is_cut &= is_within(labels[as_index(at + COSTS + k)], f, epsilon)
            if is_cut:
                return True
            other = labels[as_index(at + link)]
        return False

    def remember(values, labels, node, label):
        """Insert a label, and remove those that it dominates without the first cost."""
        first = as_index(width * node + objectives)
        before, other = NOTHING, np.int64(values[first])
        while other != NOTHING:
            at = as_index(other * (link + 1))
            following = np.int64(labels[as_index(at + link)])
            is_dominated = True
            for k in range(COSTS + 1, link):
                is_dominated &= labels[as_index(label + k)] <= labels[as_index(at + k)]
            if not is_dominated:
                before = at
            elif before == NOTHING:
                values[first] = following
            else:
                labels[as_index(before + link)] = following
            other = following
        labels[as_index(label + link)] = values[first]
        values[first] = label // (link + 1)

    functions = (helper(named(each, "lists", objectives)) for each in (at_node, at_goal, remember))
    return Cuts(*functions, link + 1)


def step_of(objectives: int, cuts: Cuts) -> Kernel:
    """Return the kernel for a number of objectives and a rule of cuts, in the form of `SIGNATURE`."""
    at_node, at_goal, remember, record = cuts
    width = objectives + 1

    def is_less(key, label, other_key, other_label, values, labels):
        """Return whether a label comes before another one: by the first two f, the other ones, and its number."""
        if key != other_key:
            return key < other_key
        for k in range(2, objectives):
            at, other = as_index(label * record), as_index(other_label * record)
            f = labels[at + COSTS + k] + values[as_index(labels[at] * width + k)]
            other_f = labels[other + COSTS + k] + values[as_index(labels[other] * width + k)]
            if f != other_f:
                return f < other_f
        return label < other_label

    is_less = helper(named(is_less, "is_less", objectives, record))

    def move_up(keys, items, at, key, label, values, labels):
        """Write an entry of the open list to a place, or above it."""
        while at > 0:
            above = as_index((at - 1) >> 1)
            if not is_less(key, label, keys[above], items[above], values, labels):
                break
            keys[at], items[at] = keys[above], items[above]
            at = above
        keys[at], items[at] = key, label

    move_up = helper(named(move_up, "move_up", objectives, record))

    def pop(keys, items, size, values, labels):
        """Remove the first entry of the open list.

        The hole moves down to a leaf, and the last entry from there up: it seldom moves far.
        """
        last = as_index(size - 1)
        at, child = as_index(0), as_index(1)
        while child < last:
            right = as_index(child + 1)
            if right < last and is_less(keys[right], items[right], keys[child], items[child], values, labels):
                child = right
            keys[at], items[at] = keys[child], items[child]
            at, child = child, as_index(2 * child + 1)
        move_up(keys, items, at, keys[last], items[last], values, labels)

    pop = helper(named(pop, "pop", objectives, record))

    def front_step(first, heads, costs, values, labels, keys, items, solutions, control, budget):
        """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
        last = control[EXPANDED] + budget
        goal, epsilon, degree = as_index(control[GOAL]), control[EPSILON], control[DEGREE]
        room = min(labels.size // record, keys.size) - degree
        while control[EXPANDED] < last:
            if control[OPEN] == 0:
                return EXHAUSTED
            if control[LABELS] > labels.size // record - degree or control[OPEN] > keys.size - degree:
                return OUT_OF_MEMORY
            if control[FOUND] == solutions.size:
                return OUT_OF_MEMORY
            number = np.int64(items[0])
            pop(keys, items, control[OPEN], values, labels)
            control[OPEN] -= 1
            label = as_index(number * record)
            node = as_index(labels[label + NODE])
            if at_node(values, labels, node, label) or at_goal(values, labels, node, label, goal, epsilon):
                control[CUT] += 1
                labels[label + PARENT] = control[FREE]
                control[FREE] = number
                continue
            remember(values, labels, node, label)
            if node == goal:
                solutions[as_index(control[FOUND])] = number
                control[FOUND] += 1
                if control[FOUND] == control[MOST]:
                    break
                continue
            control[EXPANDED] += 1
            control[EXPANDED_LABEL] = number
            for arc in range(as_index(first[node]), as_index(first[node + 1])):
                head = as_index(heads[arc])
                if values[head * width] == UNREACHED:
                    continue
                control[GENERATED] += 1
                is_new = control[FREE] == NOTHING
                child_number = control[LABELS] if is_new else control[FREE]
                child = as_index(child_number * record)
                for k in range(objectives):
                    labels[child + COSTS + k] = labels[label + COSTS + k] + costs[arc * objectives + k]
                if at_node(values, labels, head, child) or at_goal(values, labels, head, child, goal, epsilon):
                    control[CUT] += 1
                    continue
                key = np.int64(0)
                for k in range(objectives):
                    f = np.int64(labels[child + COSTS + k]) + values[head * width + k]
                    if f > MAX_COST:
                        return COST_TOO_LARGE
                    if k < 2:
                        key = key << KEY_BITS | f
                if is_new:
                    control[LABELS] += 1
                else:
                    control[FREE] = labels[child + PARENT]
                labels[child + NODE] = head
                labels[child + PARENT] = number
                move_up(keys, items, as_index(control[OPEN]), key, child_number, values, labels)
                control[OPEN] += 1
        return RUNNING

    return kernel(SIGNATURE)(named(front_step, "front_step", objectives, record))


BI_OBJECTIVE_STEP = step_of(2, by_least_cost())
LIST_STEPS = {objectives: step_of(objectives, by_lists(objectives)) for objectives in range(1, 6)}


@kernel("int64(int64[::1], int32[::1], int32[::1], int32[::1], int64, int64, int64, int32[::1])")
def write_path(first, heads, costs, labels, record, objectives, number, out):
    """Write the local numbers of the arcs to a label, the last one first, as far as there is room; return how many.

    An arc is the first one of its tail with this head and with the difference of the costs.
    """
    n = 0
    label = number * record
    while labels[label + PARENT] != NOTHING:
        parent = np.int64(labels[label + PARENT]) * record
        tail = labels[parent + NODE]
        for arc in range(first[tail], first[tail + 1]):
            is_step = heads[arc] == labels[label + NODE]
            for k in range(objectives):
                difference = labels[label + COSTS + k] - labels[parent + COSTS + k]
                is_step &= costs[arc * objectives + k] == difference
            if is_step:
                if n < out.size:
                    out[n] = arc - first[tail]
                n += 1
                break
        label = parent
    return n
