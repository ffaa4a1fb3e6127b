"""Preferred successors: which successor of a state each applicable operator leads to.

Heuristics prefer operators; marks belong to successors, which come in the order of the applicable operators.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile import as_index, helper
from worlds.interface import Problem
from worlds.pddl.search import MAX_APPLICABLE, sort, write_applicable

# Layout of a table of successors: the number of constants of the world; these; room for the numbers of the operators.


def successor_table(problem: Problem) -> NDArray[np.int64]:
    """Return a table of the params of a heuristic that prefers operators, for `applicable_operators`."""
    constants = problem.constants
    room = np.zeros(constants[MAX_APPLICABLE], np.int64)
    return np.concatenate([[constants.size], constants, room])


@helper
def applicable_operators(params, table, states, at):
    """Find the applicable operators of the state at word offset `at`, in the order of the successors.

    `table` is the index of a table of successors in `params`. Returns the index of the first number of an operator in
    `params`, and how many there are. If their number is negative, it is an error.
    """
    first = as_index(table + 1)
    numbers = as_index(first + params[table])
    n = write_applicable(params[first:numbers], states, at, params, numbers)
    sort(params, numbers, n)
    return numbers, n
