"""Rules packed for the search engine.

Successors come in the order of the operators in the SAS+ file. The action code of a successor is its place in this
order among the successors of the same state, because a task may have more operators than there are codes.

A decision tree finds the applicable operators without looking at all of them (`worlds.pddl.decision_tree`). If a task
has axioms, they are evaluated in each successor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, as_index, error_code, helper, kernel
from worlds.pddl.axiom_order import groups_of
from worlds.pddl.decision_tree import DecisionTree
from worlds.pddl.packing import Packing
from worlds.pddl.task import Axiom, Effect, Fact, Operator

# Layout of `constants`: a header, the goal, the index of the record of each operator, the records, the axioms, the tree
# (see `decision_tree`). A list of facts is its length, then (word, mask, bits) for each word. An assignment is (word,
# mask of the other bits, bits). The record of an operator is: cost; number of assignments, and these; number of
# conditional assignments, and for each the list of its conditions and the assignment. The axioms, at index AXIOMS (0:
# none), are: number of assignments of default values, and these; number of groups, and for each: number of axioms, 1 if
# they are repeated until nothing changes, and for each axiom the list of its conditions and the assignment.
WORDS, MAX_APPLICABLE, OPERATORS, ROOT, AXIOMS, GOAL = range(6)

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
def write_applicable(constants, states, at, found, slot):
    """Write the numbers of the applicable operators to `found` from index `slot` on, and return how many there are.

    Returns a negative number if there are more than `constants[MAX_APPLICABLE]`.
    """
    n, node = 0, constants[ROOT]
    while node >= 0:  # not `END`
        count = as_index(constants[node])
        if n + count > constants[MAX_APPLICABLE]:
            return np.int64(TOO_MANY)
        for i in range(node + 1, node + 1 + count):
            found[slot + n] = constants[i]
            n += 1
        place = node + 1 + count
        value = (states[at + as_index(constants[place])] >> np.uint64(constants[place + 1])) & np.uint64(
            constants[place + 2]
        )
        node = constants[place + 3 + as_index(np.int64(value))]
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
def assign(constants, assignment, out, out_at):
    """Carry out an assignment."""
    word = out_at + as_index(constants[assignment])
    out[word] = (out[word] & np.uint64(constants[assignment + 1])) | np.uint64(constants[assignment + 2])


@helper
def apply(constants, record, states, at, out, out_at):
    """Write the state after an operator, which has its record at an index."""
    for i in range(constants[WORDS]):
        out[out_at + i] = states[at + i]
    count, entry = as_index(constants[record + 1]), record + 2
    for _ in range(count):
        assign(constants, entry, out, out_at)
        entry += 3
    count = constants[entry]
    entry += 1
    for _ in range(count):
        assignment = entry + 1 + 3 * as_index(constants[entry])
        if facts_hold(constants, entry, states, at):
            assign(constants, assignment, out, out_at)
        entry = assignment + 3


@helper
def is_assigned(constants, assignment, states, at):
    """Return whether an assignment changes nothing."""
    word = states[at + as_index(constants[assignment])]
    return (word & np.uint64(constants[assignment + 1])) | np.uint64(constants[assignment + 2]) == word


@helper
def evaluate_axioms(constants, states, at):
    """Give the derived variables of the state at word offset `at` their values."""
    entry = as_index(constants[AXIOMS])
    defaults, entry = constants[entry], entry + 1
    for _ in range(defaults):
        assign(constants, entry, states, at)
        entry += 3
    groups, entry = constants[entry], entry + 1
    for _ in range(groups):
        axioms, is_recursive, first = constants[entry], constants[entry + 1] == 1, entry + 2
        changed = True
        while changed:
            changed, entry = False, first
            for _ in range(axioms):
                assignment = entry + 1 + 3 * as_index(constants[entry])
                if not is_assigned(constants, assignment, states, at) and facts_hold(constants, entry, states, at):
                    assign(constants, assignment, states, at)
                    changed = is_recursive
                entry = assignment + 3


@kernel("int64(int64[::1], uint64[::1], int64, int32[::1], int64)")
def applicable(constants, states, at, found, slot):
    """Write the numbers of the applicable operators, in the order of the successor generator."""
    return write_applicable(constants, states, at, found, slot)


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors in the order of the operators. The array of costs first holds the operators' numbers."""
    n = write_applicable(constants, states, at, cost, slot)
    if n < 0:
        return n
    sort(cost, slot, n)
    words, operators = as_index(constants[WORDS]), as_index(constants[OPERATORS])
    for k in range(n):
        record = as_index(constants[operators + as_index(cost[slot + k])])
        apply(constants, record, states, at, out, out_at + k * words)
        if constants[AXIOMS] > 0:
            evaluate_axioms(constants, out, out_at + k * words)
        cost[slot + k] = constants[record]
        action[slot + k] = k
    return n


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether all goal facts hold."""
    return facts_hold(constants, GOAL, states, at)


@lru_cache(maxsize=1)
def constants_of(packing: Packing) -> NDArray[np.int64]:
    """Return everything that does not change during a search, in the layout above. The last result is kept."""
    task = packing.task
    goal = _facts(packing, task.goal)
    operators = GOAL + len(goal)
    records: list[int] = []
    starts = []
    for operator in task.operators:
        starts.append(operators + len(task.operators) + len(records))
        records += _record(packing, operator)
    first_axiom = operators + len(starts) + len(records)
    axioms = _axioms(packing)
    tree = DecisionTree(packing, first_axiom + len(axioms))
    header = [packing.words, min(tree.max_applicable, MAX_CODES), operators, tree.root, first_axiom if axioms else 0]
    rows = [*header, *goal, *starts, *records, *axioms, *tree.nodes]
    return np.array([row - (1 << 64) if row >> 63 > 0 else row for row in rows], np.int64)


def generator_of(packing: Packing) -> NDArray[np.int64]:
    """Return what `write_applicable` reads of the constants, alone, without a limit of the applicable operators."""
    tree = DecisionTree(packing, GOAL)
    header = [packing.words, tree.max_applicable, 0, tree.root, 0]
    return np.array([*header, *tree.nodes], np.int64)


def _record(packing: Packing, operator: Operator) -> list[int]:
    """Return the record of an operator.

    Assignments before the first conditional effect of the same variable are combined; from then on each stays alone,
    in the order of the effects.
    """
    conditional = [effect for effect in operator.effects if effect.conditions]
    first = min((operator.effects.index(effect) for effect in conditional), default=len(operator.effects))
    plain = packing.combined((effect.variable, effect.value) for effect in operator.effects[:first])
    record = [operator.cost, len(plain), *_assignments(plain)]
    rest = operator.effects[first:]
    record.append(len(rest))
    for effect in rest:
        record += _rule(packing, effect)
    return record


def _axioms(packing: Packing) -> list[int]:
    """Return the axioms in the layout above; nothing if there are none."""
    task = packing.task
    if not task.axioms:
        return []
    defaults = packing.combined(task.defaults.items())
    groups = groups_of(task)
    rows = [len(defaults), *_assignments(defaults), len(groups)]
    for group in groups:
        rows += [len(group.rules), int(group.is_recursive)]
        for axiom in group.rules:
            rows += _rule(packing, axiom)
    return rows


def _rule(packing: Packing, rule: Effect | Axiom) -> list[int]:
    """Return the conditions and the assignment of an effect or an axiom."""
    return [*_facts(packing, rule.conditions), *_assignments(packing.combined([(rule.variable, rule.value)]))]


def _assignments(facts: Sequence[tuple[int, int, int]]) -> list[int]:
    return [number for word, mask, bits in facts for number in (word, _inverse(mask), bits)]


def _facts(packing: Packing, facts: tuple[Fact, ...]) -> list[int]:
    """Return a list of facts in the layout above."""
    combined = packing.combined(facts)
    return [len(combined), *(number for each in combined for number in each)]


def _inverse(mask: int) -> int:
    return ~mask & ((1 << 64) - 1)
