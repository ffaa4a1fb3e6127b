"""Rules packed for the search engine.

Successors come in the order of the operators in the SAS+ file. The action code of a successor is its place in this
order among the successors of the same state, because a task may have more operators than there are codes.

A decision tree finds the applicable operators without looking at all of them. Each of its nodes has the operators whose
preconditions hold wherever a traversal reaches it, and looks at one variable. There is a child for each value that
preconditions name, and one for operators without a precondition on the variable. Source: Helmert, "The Fast Downward
planning system", JAIR 26, 2006, section 5.3.1. Here the tree is threaded: the end of each subtree jumps to what is
visited after it, so that a traversal needs no stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from worlds.compile.errors import error_code
from worlds.compile.kernel import EXPAND, IS_GOAL, as_index, helper, kernel
from worlds.pddl.packing import Packing
from worlds.pddl.task import Fact, Operator

# Layout of `constants`: a header, the goal, the index of the record of each operator, the records, the tree. A list
# of facts is its length, then (word, mask, bits) for each word. An assignment is (word, mask of the other bits, bits).
# The record of an operator is: cost; number of assignments, and these; number of conditional assignments, and for each
# the list of its conditions and the assignment. A node of the tree is: number of operators, and these; word and shift
# and mask of its variable; the jump for each value, which is the index of another node, or `END`.
WORDS, MAX_APPLICABLE, OPERATORS, ROOT, GOAL = range(5)
END = -1
"""Jump to the end of a traversal."""

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
    tree = _Tree(packing, operators + len(starts) + len(records))
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


def _facts(packing: Packing, facts: tuple[Fact, ...]) -> list[int]:
    """Return a list of facts in the layout above."""
    combined = packing.combined(facts)
    return [len(combined), *(number for each in combined for number in each)]


def _inverse(mask: int) -> int:
    return ~mask & ((1 << 64) - 1)


_Rest = tuple[Sequence[Fact], int]
"""An operator in the tree: its preconditions in the order of the tree, and its number."""


class _Tree:
    """Decision tree over the preconditions of all operators. Variables with the most preconditions come first.

    Parameters
    ----------
    packing : Packing
    base : int
        Index that the first node will have.

    Attributes
    ----------
    nodes : list of int
        All nodes, one after the other.
    root : int
        Index of the node at which a traversal begins.
    max_applicable : int
        Upper bound of the number of applicable operators of a state.
    """

    def __init__(self, packing: Packing, base: int) -> None:
        self._packing, self._base, task = packing, base, packing.task
        self._ranges = [len(facts) for facts in task.facts]
        counts = [0] * len(task.facts)
        for operator in task.operators:
            for variable, _ in operator.preconditions:
                counts[variable] += 1
        rank = {variable: place for place, variable in enumerate(sorted(range(len(counts)), key=lambda v: -counts[v]))}
        operators = [
            (sorted(operator.preconditions, key=lambda fact: rank[fact[0]]), number)
            for number, operator in enumerate(task.operators)
        ]
        operators.sort(key=lambda each: [(rank[variable], value) for variable, value in each[0]])
        self.nodes: list[int] = []
        self.root, self.max_applicable = self._tree(operators, 0, END)

    def _tree(self, operators: Sequence[_Rest], depth: int, after: int) -> tuple[int, int]:
        """Append the tree of some operators, which have the same first `depth` preconditions.

        Returns its root and the largest number of operators that one traversal may find. `after` is what is visited
        after the tree. Preconditions that all of them share need no recursion: there may be thousands.
        """
        first, last = (operators[0][0], operators[-1][0]) if operators else ((), ())
        shared = depth
        while shared < min(len(first), len(last)) and first[shared] == last[shared]:  # all between them are sorted
            shared += 1
        root, most = self._branches(operators, shared, after)
        for variable, value in reversed(first[depth:shared]):
            jumps = [after] * self._ranges[variable]
            jumps[value] = root
            root = self._node([], variable, jumps)
        return root, most

    def _branches(self, operators: Sequence[_Rest], depth: int, after: int) -> tuple[int, int]:
        """Append the tree of operators that differ in their next precondition, as `_tree` does.

        Chains of variables grow backwards, from the last to the first, because a node needs the index of the next.
        """
        here = [number for conditions, number in operators if len(conditions) == depth]
        groups = [
            (variable, list(group))
            for variable, group in groupby(
                (each for each in operators if len(each[0]) > depth), key=lambda each: each[0][depth][0]
            )
        ]
        most = 0
        for variable, group in reversed(groups):
            jumps, largest = [after] * self._ranges[variable], 0
            for value, members in groupby(group, key=lambda each: each[0][depth][1]):
                jumps[value], count = self._tree(list(members), depth + 1, after)
                largest = max(largest, count)
            most += largest
            is_first = variable == groups[0][0]
            after = self._node(sorted(here) if is_first else [], variable, jumps)
        if not groups:
            after = self._node(sorted(here), None, [after])
        return after, most + len(here)

    def _node(self, operators: Sequence[int], variable: int | None, jumps: Sequence[int]) -> int:
        index = self._base + len(self.nodes)
        place = (0, 0, 0) if variable is None else self._packing.fields[variable]
        self.nodes += [len(operators), *operators, *place, *jumps]
        return index
