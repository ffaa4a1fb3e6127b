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
from worlds.compile import COST_TOO_LARGE, MAX_COST, Kernel, as_index, helper, kernel, named
from worlds.road.network import UNREACHED

RUNNING, EXHAUSTED = StepStatus.RUNNING.value, StepStatus.EXHAUSTED.value
OUT_OF_MEMORY = StepStatus.OUT_OF_MEMORY.value

# The control array: counts; size of the open list; records of labels in use, and the first free one of these, or
# NOTHING; solutions so far; the goal; the number of solutions after which a step ends; epsilon in units of 2^-20; the
# largest number of arcs from a node; the label that was expanded last.
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
    """Rule by which labels are cut.

    Attributes
    ----------
    is_covered : helper
        ``is_covered(values, labels, at, node, label, epsilon)``: whether the f of an expanded label of the node `at` is
        at most (1 + epsilon) times that of a label of `node`, in all objectives but the first.
    remember : helper
        ``remember(values, labels, node, label)`` remembers a label that is expanded.
    record : int
        Length of the record of a label.
    """

    is_covered: Callable[..., Any]
    remember: Callable[..., Any]
    record: int


@helper
def is_within(f, other_f, epsilon):
    """Return whether a cost is at most (1 + epsilon) times another: exactly, where a rounded product might be more."""
    return (f - other_f) << EPSILON_BITS <= epsilon * other_f


def _helper(function: Callable[..., Any], *parts: int) -> Callable[..., Any]:
    """Mark a function that was made for some numbers as a helper."""
    return helper(named(function, function.__name__, *parts))


def by_least_cost() -> Cuts:
    """Return the rule of BOA*: a node remembers the least second cost of its expanded labels. Two objectives only."""

    def is_covered(values, labels, at, node, label, epsilon):
        least = values[3 * at + 2]
        f = np.int64(labels[label + COSTS + 1]) + values[3 * node + 1]
        return least != UNREACHED and is_within(np.int64(least) + values[3 * at + 1], f, epsilon)

    def remember(values, labels, node, label):
        values[3 * node + 2] = labels[label + COSTS + 1]

    return Cuts(_helper(is_covered), _helper(remember), 4)


def by_lists(objectives: int) -> Cuts:
    """Return the rule of NAMOA*dr: a node has a list of its expanded labels that no other one dominates.

    The first cost is left out: labels are taken in the order of their first f, so that of an earlier one is not larger.
    """
    link, width = COSTS + objectives, objectives + 1

    def is_covered(values, labels, at, node, label, epsilon):
        other = values[as_index(width * at + objectives)]
        while other != NOTHING:
            record = as_index(np.int64(other) * (link + 1))
            covers = True
            for k in range(1, objectives):
                f = np.int64(labels[as_index(label + COSTS + k)]) + values[as_index(width * node + k)]
                other_f = np.int64(labels[as_index(record + COSTS + k)]) + values[as_index(width * at + k)]
                covers &= is_within(other_f, f, epsilon)
            if covers:
                return True
            other = labels[as_index(record + link)]
        return False

    def remember(values, labels, node, label):
        """Insert a label, and remove those that it dominates without the first cost."""
        first = as_index(width * node + objectives)
        before, other = NOTHING, np.int64(values[first])
        while other != NOTHING:
            record = as_index(other * (link + 1))
            other = np.int64(labels[as_index(record + link)])
            is_dominated = True
            for k in range(COSTS + 1, link):
                is_dominated &= labels[as_index(label + k)] <= labels[as_index(record + k)]
            if not is_dominated:
                before = record
            elif before == NOTHING:
                values[first] = other
            else:
                labels[as_index(before + link)] = other
        labels[as_index(label + link)] = values[first]
        values[first] = label // (link + 1)

    return Cuts(_helper(is_covered, objectives), _helper(remember, objectives), link + 1)


def step_of(objectives: int, cuts: Cuts) -> Kernel:
    """Return the kernel for a number of objectives and a rule of cuts, in the form of `SIGNATURE`."""
    is_covered, remember, record = cuts
    width = objectives + 1

    def is_cut(values, labels, node, label, goal, epsilon):
        """Return whether a label of the node, or a solution, covers a label."""
        return is_covered(values, labels, node, node, label, 0) or is_covered(
            values, labels, goal, node, label, epsilon
        )

    is_cut = _helper(is_cut, objectives, record)

    def is_less(key, label, other_key, other_label, values, labels):
        """Return whether a label comes before another one: by the first two f, the other ones, and its number."""
        if key != other_key:
            return key < other_key
        at, other = as_index(label * record), as_index(other_label * record)
        for k in range(2, objectives):
            f = labels[at + COSTS + k] + values[as_index(labels[at] * width + k)]
            other_f = labels[other + COSTS + k] + values[as_index(labels[other] * width + k)]
            if f != other_f:
                return f < other_f
        return label < other_label

    is_less = _helper(is_less, objectives, record)

    def move_up(keys, items, at, key, label, values, labels):
        """Write an entry of the open list to a place, or above it."""
        while at > 0:
            above = as_index((at - 1) >> 1)
            if not is_less(key, label, keys[above], items[above], values, labels):
                break
            keys[at], items[at] = keys[above], items[above]
            at = above
        keys[at], items[at] = key, label

    move_up = _helper(move_up, objectives, record)

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

    pop = _helper(pop, objectives, record)

    def front_step(first, heads, costs, values, labels, keys, items, solutions, control, budget):
        """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
        last = control[EXPANDED] + budget
        goal, epsilon, degree = as_index(control[GOAL]), control[EPSILON], control[DEGREE]
        most_labels = labels.size // record - degree
        while control[EXPANDED] < last:
            if control[OPEN] == 0:
                return EXHAUSTED
            is_full = control[OPEN] > keys.size - degree or control[FOUND] == solutions.size
            if is_full or control[LABELS] > most_labels:
                return OUT_OF_MEMORY
            number = np.int64(items[0])
            pop(keys, items, control[OPEN], values, labels)
            control[OPEN] -= 1
            label = as_index(number * record)
            node = as_index(labels[label + NODE])
            if is_cut(values, labels, node, label, goal, epsilon):
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
                if is_cut(values, labels, head, child, goal, epsilon):
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
