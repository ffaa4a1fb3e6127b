"""Rules packed for the search engine.

Successors come in the order of the operators in the SAS+ file. The action code of a successor is its place in this
order among the successors of the same state, because a task may have more operators than there are codes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile.errors import error_code
from worlds.compile.kernel import EXPAND, IS_GOAL, as_index, helper, kernel
from worlds.pddl.packing import Packing
from worlds.pddl.successor_generator import SuccessorGenerator
from worlds.pddl.task import Operator, Task

# Layout of Problem.world: a header, the goal, the index of the record of each operator, the records, the tree of the
# successor generator. A list of facts is its length, then (word, mask, bits) for each word. An assignment is (word,
# mask of the other bits, bits). The record of an operator is: cost; number of assignments, and these; number of
# conditional assignments, and for each the list of its conditions and the assignment.
WORDS, MAX_APPLICABLE, OPERATORS, ROOT, GOAL = range(5)

MAX_CODES = (1 << 15) - 1
"""Largest number of successors of a state: action codes are int16."""
TOO_MANY = error_code(f"more than {MAX_CODES:,} operators are applicable in one state")


@helper
def facts_hold(table, facts, states, at):
    """Return whether a list of facts at index `facts` of a table holds in the state at word offset `at`."""
    for i in range(table[facts]):
        fact = facts + 1 + 3 * i
        if states[at + as_index(table[fact])] & np.uint64(table[fact + 1]) != np.uint64(table[fact + 2]):
            return False
    return True


@helper
def write_applicable(world, states, at, found, slot):
    """Write the numbers of the applicable operators to `found` from index `slot` on, and return how many there are.

    Returns a negative number if there are more than `world[MAX_APPLICABLE]`.
    """
    n, node = 0, world[ROOT]
    while node >= 0:  # not `END`
        count = as_index(world[node])
        if n + count > world[MAX_APPLICABLE]:
            return np.int64(TOO_MANY)
        for i in range(node + 1, node + 1 + count):
            found[slot + n] = world[i]
            n += 1
        place = node + 1 + count
        value = (states[at + as_index(world[place])] >> np.uint64(world[place + 1])) & np.uint64(world[place + 2])
        node = world[place + 3 + as_index(np.int64(value))]
    return np.int64(n)


@helper
def sort(numbers, first, n):
    """Sort `n` numbers from index `first` on, by Shell's method (gaps of Ciura)."""
    for gap in (301, 132, 57, 23, 10, 4, 1):
        for i in range(first + gap, first + n):
            number, j = numbers[i], i
            while j >= first + gap and numbers[j - gap] > number:
                numbers[j] = numbers[j - gap]
                j -= gap
            numbers[j] = number


@helper
def assign(world, assignment, out, out_at):
    """Carry out an assignment."""
    word = out_at + as_index(world[assignment])
    out[word] = (out[word] & np.uint64(world[assignment + 1])) | np.uint64(world[assignment + 2])


@helper
def apply(world, record, states, at, out, out_at):
    """Write the state after an operator, which has its record at an index."""
    for i in range(world[WORDS]):
        out[out_at + i] = states[at + i]
    count, entry = as_index(world[record + 1]), record + 2
    for _ in range(count):
        assign(world, entry, out, out_at)
        entry += 3
    count = world[entry]
    entry += 1
    for _ in range(count):
        assignment = entry + 1 + 3 * as_index(world[entry])
        if facts_hold(world, entry, states, at):
            assign(world, assignment, out, out_at)
        entry = assignment + 3


@kernel("int64(int64[::1], uint64[::1], int64, int32[::1], int64)")
def applicable(world, states, at, found, slot):
    """Write the numbers of the applicable operators, in the order of the successor generator."""
    return write_applicable(world, states, at, found, slot)


@kernel(EXPAND)
def expand(world, states, at, out, out_at, cost, action, slot):
    """Write the successors in the order of the operators. The array of costs first holds the operators' numbers."""
    n = write_applicable(world, states, at, cost, slot)
    if n < 0:
        return n
    sort(cost, slot, n)
    words, operators = as_index(world[WORDS]), as_index(world[OPERATORS])
    for k in range(n):
        record = as_index(world[operators + as_index(cost[slot + k])])
        apply(world, record, states, at, out, out_at + k * words)
        cost[slot + k] = world[record]
        action[slot + k] = k
    return n


@kernel(IS_GOAL)
def is_goal(world, states, at):
    """Return whether all goal facts hold."""
    return facts_hold(world, GOAL, states, at)


def world_of(task: Task, packing: Packing) -> NDArray[np.int64]:
    """Return everything that does not change during a search, in the layout above."""
    goal = _facts(packing, task.goal)
    operators = GOAL + len(goal)
    records: list[int] = []
    starts = []
    for operator in task.operators:
        starts.append(operators + len(task.operators) + len(records))
        records += _record(packing, operator)
    tree = SuccessorGenerator(task, packing, operators + len(starts) + len(records))
    header = [packing.words, min(tree.max_applicable, MAX_CODES), operators, tree.root]
    rows = [*header, *goal, *starts, *records, *tree.nodes]
    return np.array([row - (1 << 64) if row >> 63 > 0 else row for row in rows], np.int64)


def _record(packing: Packing, operator: Operator) -> list[int]:
    """Return the record of an operator.

    Assignments before the first conditional effect of the same variable are combined; from then on each stays alone,
    in the order of the effects.
    """
    conditional = [effect for effect in operator.effects if effect.conditions]
    first = min((operator.effects.index(effect) for effect in conditional), default=len(operator.effects))
    plain = packing.combined((effect.variable, effect.value) for effect in operator.effects[:first])
    record = [operator.cost, len(plain)]
    for word, mask, bits in plain:
        record += [word, _inverse(mask), bits]
    rest = operator.effects[first:]
    record.append(len(rest))
    for effect in rest:
        ((word, mask, bits),) = packing.combined([(effect.variable, effect.value)])
        record += [*_facts(packing, effect.conditions), word, _inverse(mask), bits]
    return record


def _facts(packing: Packing, facts: tuple[tuple[int, int], ...]) -> list[int]:
    """Return a list of facts in the layout above."""
    combined = packing.combined(facts)
    return [len(combined), *(number for each in combined for number in each)]


def _inverse(mask: int) -> int:
    return ~mask & ((1 << 64) - 1)
