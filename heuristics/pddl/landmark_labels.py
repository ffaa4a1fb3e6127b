"""Labels of facts: the landmarks of each fact, from a state, in the delete relaxation.

A landmark is a set of facts, often a single one: every plan makes one of them true. The label of a fact has the
landmarks that must be reached before or with it: those to which it belongs, and those in the label of a condition of
each unary operator that makes it true. Facts that hold have none. Labels are bit sets, and each bit is independent of
the others. Source: Zhu and Givan, "Landmark extraction via planning graph propagation", doctoral consortium of ICAPS
2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from heuristics.pddl.facts import fact_at, first_facts, joined, members, places_of
from heuristics.pddl.relaxation import UnaryOperator
from worlds.compile import IS_GOAL, as_index, helper, kernel
from worlds.pddl.packing import Packing
from worlds.pddl.task import Task

# Layout of params: a header with sizes and with the index of each table. The last fact is always true.
#   LABEL_WORDS: words of a label. KEEPS_TRUE: 1 if facts that hold have the landmarks to which they belong
#   PLACES: word, shift, mask and first fact of each variable. GOAL_FACTS: the goal facts
#   EFFECT, CONDITIONS: fact that each unary operator makes true; index of the list of its conditions, and one more
#   NEEDED_BY: for each fact, index of the list of the unary operators with this condition, and one more
#   WATCHES, WATCHING: for each fact, index of the list of the unary operators that watch it, with room for all that
#     need it; how many there are. An operator watches one of its conditions, and nothing happens until it is taken
#   STATUS, QUEUE: status of each fact; ring of the facts whose label has changed
#   VALUES: what each landmark counts. OWN: bit set of the landmarks to which each fact belongs
#   LABELS: label of each fact. MISSING: bit set of those of the goal facts (the result)
#   EXPLORED: 1 if the goal could be reached from the last state, for which MISSING is; the words of that state
#   ACHIEVED: for each operator, index of the list of its effects that belong to landmarks, and one more. Each is the
#     number of the landmark, the number of conditions of the effect, and these
#   SUCCESSORS: see `preferred`
(WORDS, VARIABLES, FACTS, GOALS, LABEL_WORDS, KEEPS_TRUE, PLACES, GOAL_FACTS, EFFECT, CONDITIONS, NEEDED_BY, WATCHES,
 WATCHING, STATUS, QUEUE, VALUES, OWN, LABELS, MISSING, EXPLORED, ACHIEVED,
 SUCCESSORS) = range(22)  # fmt: skip
_HEADER = 22

# Status of a fact: 0, or a sum of these. The label of a settled fact cannot become smaller.
REACHED, TAKEN, QUEUED, SETTLED, HOLDS = (1 << bit for bit in range(5))

LABEL_BITS = 64

Landmark = tuple[int, ...]
"""Facts by their numbers. Every plan makes one of them true."""


def relaxation_of(task: Task, unary: Sequence[UnaryOperator]) -> NDArray[np.int64]:
    """Return the params of the delete relaxation alone, without landmarks."""
    packing, first = Packing(task), first_facts(task)
    always = first[-1]
    facts = always + 1
    goal = [first[variable] + value for variable, value in task.goal]
    conditions = [each.conditions or (always,) for each in unary]
    needed_by: list[list[int]] = [[] for _ in range(facts)]
    watches: list[list[int]] = [[] for _ in range(facts)]
    for number, needed in enumerate(conditions):
        watches[needed[-1]].append(number)
        for fact in needed:
            needed_by[fact].append(number)
    degrees = [len(each) for each in needed_by]
    room = (each + [0] * (degree - len(each)) for each, degree in zip(watches, degrees, strict=True))
    tables = {
        PLACES: places_of(packing, first),
        GOAL_FACTS: goal,
        EFFECT: [each.effect for each in unary],
        CONDITIONS: list(chain.from_iterable(conditions)),
        NEEDED_BY: list(chain.from_iterable(needed_by)),
        WATCHES: list(chain.from_iterable(room)),
        WATCHING: [len(each) for each in watches],
        STATUS: [0] * facts,
        QUEUE: [0] * (facts + 1),
    }
    header = [packing.words, len(packing.fields), facts, len(goal)]
    lengths = {CONDITIONS: [len(each) for each in conditions], NEEDED_BY: degrees, WATCHES: degrees}
    return joined(header + [0] * (_HEADER - len(header)), tables, lengths)


def with_labels(params: NDArray[np.int64], values: Sequence[int]) -> NDArray[np.int64]:
    """Return params with labels that have room for as many landmarks as there are values. No fact is a landmark yet."""
    facts = int(params[FACTS])
    words = -(-len(values) // LABEL_BITS)
    tables = {
        VALUES: values,
        OWN: [0] * facts * words,
        LABELS: [0] * facts * words,
        MISSING: [0] * words,
        EXPLORED: [0] * (1 + int(params[WORDS])),
    }
    labelled = joined(params, tables, {})
    labelled[LABEL_WORDS] = words
    return labelled


def set_landmarks(params: NDArray[np.int64], landmarks: Sequence[Landmark]) -> None:
    """Make these the only landmarks."""
    own = params[params[OWN] : params[LABELS]].view(np.uint64)
    own[:] = 0
    for number, landmark in enumerate(landmarks):
        word, bit = divmod(number, LABEL_BITS)
        for fact in landmark:
            own[fact * params[LABEL_WORDS] + word] |= np.uint64(1 << bit)
    params[params[EXPLORED]] = 0


@helper
def push(params, last, fact):
    """Put a fact at the end of the ring, unless it is in it. Return where the next one goes."""
    status = as_index(params[STATUS]) + fact
    if params[status] & QUEUED:
        return last
    params[status] |= QUEUED
    params[as_index(params[QUEUE]) + last] = fact
    return after(params, last)


@helper
def after(params, place):
    """Return the place after one in the ring."""
    return np.int64(0) if place == params[FACTS] else place + 1


@helper
def lower(params, number):
    """Remove from the label of the effect of a unary operator what is in no label of a condition.

    All conditions are taken. Returns whether this changes the label.
    """
    words, labels, owns = as_index(params[LABEL_WORDS]), as_index(params[LABELS]), as_index(params[OWN])
    fact = as_index(params[as_index(params[EFFECT]) + number])
    status = as_index(params[STATUS]) + fact
    is_new = params[status] & REACHED == 0
    has_changed = is_new
    is_least = True
    for word in range(words):
        own = params[owns + words * fact + word]
        place = labels + words * fact + word
        label = ~np.int64(0) if is_new else params[place]
        removed = label & ~own
        for i in members(params, as_index(params[CONDITIONS]) + number):
            removed &= ~params[labels + words * as_index(params[i]) + word]
            if removed == 0:
                break
        params[place] = label & ~removed
        has_changed |= removed != 0
        is_least &= label & ~removed == own
    params[status] |= REACHED | SETTLED if is_least else REACHED
    return has_changed


@helper
def start(params, states, at):
    """Reach the facts that hold in the state at word offset `at`, and no others. Return where the next one goes."""
    facts, words = as_index(params[FACTS]), as_index(params[LABEL_WORDS])
    status, labels, owns = as_index(params[STATUS]), as_index(params[LABELS]), as_index(params[OWN])
    for fact in range(facts):
        params[status + fact] = 0
    last = np.int64(0)
    for variable in range(params[VARIABLES] + 1):
        fact = facts - 1
        if variable < params[VARIABLES]:
            fact = fact_at(params, as_index(params[PLACES]) + 4 * variable, states, at)
        for word in range(words):
            place = words * fact + word
            params[labels + place] = params[owns + place] if params[KEEPS_TRUE] else 0
        params[status + fact] = REACHED | SETTLED | HOLDS
        last = push(params, last, fact)
    return last


@helper
def not_taken(params, number):
    """Return a condition of a unary operator that is not taken; -1 if all are."""
    status = as_index(params[STATUS])
    for i in members(params, as_index(params[CONDITIONS]) + number):
        if params[status + as_index(params[i])] & TAKEN == 0:
            return params[i]
    return np.int64(-1)


@helper
def is_settled(params, number):
    """Return whether the label of the effect of a unary operator cannot become smaller."""
    fact = as_index(params[as_index(params[EFFECT]) + number])
    return params[as_index(params[STATUS]) + fact] & SETTLED != 0


@helper
def carry(params, number, last):
    """Lower the label of the effect of a unary operator. Return where the next fact goes."""
    return push(params, last, as_index(params[as_index(params[EFFECT]) + number])) if lower(params, number) else last


@helper
def take(params, fact, last):
    """Take a fact for the first time, for the unary operators that watch it. Return where the next fact goes.

    An operator with another condition that is not taken watches that one from now on. All others stay, so that in the
    next state, too, an operator is looked at when the condition is taken that was the last one here.
    """
    watches, watching = as_index(params[WATCHES]), as_index(params[WATCHING])
    first = as_index(params[watches + fact])
    kept = 0
    for i in range(first, first + params[watching + fact]):
        number = as_index(params[i])
        other = np.int64(-1)
        if not is_settled(params, number):
            other = not_taken(params, number)
            if other < 0:
                last = carry(params, number, last)
        if other < 0:
            params[first + kept] = number
            kept += 1
        else:
            watched = as_index(other)
            params[as_index(params[watches + watched] + params[watching + watched])] = number
            params[watching + watched] += 1
    params[watching + fact] = kept
    return last


@helper
def take_again(params, fact, last):
    """Take a fact whose label has become smaller, for all unary operators that need it. Return as `take`."""
    for i in members(params, as_index(params[NEEDED_BY]) + fact):
        number = as_index(params[i])
        if not is_settled(params, number) and not_taken(params, number) < 0:
            last = carry(params, number, last)
    return last


@helper
def spread(params, states, at):
    """Compute the labels of all facts that can be reached from the state at word offset `at`.

    Facts whose labels have changed wait in a ring. So labels spread by the distance from the state, and few
    change again.
    """
    status, queue = as_index(params[STATUS]), as_index(params[QUEUE])
    last = start(params, states, at)
    first = np.int64(0)
    while first != last:
        fact = as_index(params[queue + first])
        first = after(params, first)
        before = params[status + fact]
        params[status + fact] = before & ~QUEUED | TAKEN
        last = take_again(params, fact, last) if before & TAKEN else take(params, fact, last)


@helper
def collect(params):
    """Write the landmarks in the labels of the goal facts. Return whether the goal can be reached."""
    status, labels = as_index(params[STATUS]), as_index(params[LABELS])
    missing, words = as_index(params[MISSING]), as_index(params[LABEL_WORDS])
    for word in range(words):
        params[missing + word] = 0
    for i in range(as_index(params[GOAL_FACTS]), as_index(params[GOAL_FACTS] + params[GOALS])):
        fact = as_index(params[i])
        if params[status + fact] == 0:
            return False
        for word in range(words):
            params[missing + word] |= params[labels + words * fact + word]
    return True


@helper
def find_missing(params, states, at):
    """Find the landmarks of the state at word offset `at` that do not hold. Return whether the goal can be reached.

    A lazy search asks for the preferred successors of the state that it has just evaluated, so nothing is done for the
    last state.
    """
    explored = as_index(params[EXPLORED])
    is_known = params[explored] != 0
    for i in range(params[WORDS]):
        word = np.int64(states[at + i])
        is_known &= params[explored + 1 + i] == word
        params[explored + 1 + i] = word
    if not is_known:
        spread(params, states, at)
        params[explored] = collect(params)
    return params[explored] != 0


@kernel(IS_GOAL)
def reach_goal(params, states, at):
    """Find the missing landmarks. Return whether the goal can be reached."""
    return find_missing(params, states, at)
