"""Decision tree that finds the applicable operators without looking at all of them.

Each node has the operators whose preconditions hold wherever a traversal reaches it, and looks at one variable. There
is a child for each value that preconditions name, and one for operators without a precondition on the variable. Source:
Helmert, "The Fast Downward planning system", JAIR 26, 2006, section 5.3.1. Here the tree is threaded: the end of each
subtree jumps to what is visited after it, so that a traversal needs no stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from worlds.pddl.packing import Packing
from worlds.pddl.task import Fact

# Layout of a node: number of operators, and these; word and shift and mask of its variable; the jump for each value,
# which is the index of another node, or `END`.
END = -1
"""Jump to the end of a traversal."""

_Rest = tuple[Sequence[Fact], int]
"""An operator in the tree: its preconditions in the order of the tree, and its number."""


class DecisionTree:
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
