"""Calls of the functions of a world and of the heuristics by a kernel, and the search for the node of a state.

In general it calls them by their addresses, and finds a state by its hash. Where a world numbers its states
(`worlds.interface.numbering`) and the heuristic has at most one compiled term, their functions become parts of the
kernel, and a table has an entry for each number (`algorithms.engine.number_table`). The compiler then removes calls,
checks, and loops over the words of a state: searches of grid maps are three to seven times as fast. Both kinds must
expand the same nodes; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.engine.nodes import FIELD_WORDS, copy_state, find_or_insert, find_slot, insert, node_in
from algorithms.engine.successors import count_expansion, expand_node, hash_successors
from heuristics.interface import BoundStack, evaluate, store_values
from worlds.compile import IS_GOAL, Kernel, as_index, call, helper, named, prefetch

FEWEST_STATES = 1 << 14
"""Number of states from which a kernel for the world and the heuristic is worth the seconds of its compilation."""


class Inlined(NamedTuple):
    """Kernels of a world that numbers its states, and of a heuristic with at most one term, for one direction.

    Attributes
    ----------
    words : int
        Number of words of a state.
    number, expand, is_goal : Kernel
        Kernels of the world; backward, `expand` is that of the predecessors.
    term : Kernel or None
        The only term; None for h = 0.
    """

    words: int
    number: Kernel
    expand: Kernel
    is_goal: Kernel
    term: Kernel | None


def inlined_in(stack: BoundStack, *, backward: bool = False, fewest_states: int = 0) -> Inlined | None:
    """Return the kernels to compile into that of a search, or None if it calls them by their addresses.

    Parameters
    ----------
    stack : BoundStack
        Stack of the direction.
    backward : bool
        Whether the search goes back from the goals.
    fewest_states : int
        Number of states from which such a kernel is worth the seconds of its compilation.
    """
    problem = stack.problem
    numbering, expand = problem.numbering, problem.predecessors if backward else problem.expand
    if numbering is None or expand is None or numbering.states < fewest_states:
        return None
    if len(stack.kernels) > 1 or stack.calls_python:
        return None
    term = stack.kernels[0] if stack.kernels else None
    return Inlined(problem.initial.size, numbering.number, expand, problem.is_goal, term)


def lookup(inlined: Inlined | None) -> tuple[Callable[..., Any], ...]:
    """Return the helpers by which a kernel finds the nodes of states: by their hashes, or by their numbers.

    Returns
    -------
    prepare : helper
        ``prepare(constants, out, n, words, keys, table)`` writes the keys of `n` successors from index `keys` of `out`
        on, and prefetches what will be read.
    find_or_insert : helper
        ``find_or_insert(table, stored, words, index_mask, out, at, key, next_node)`` returns the node of a state; if
        there is none, it stores the state as `next_node`.
    slot_of : helper
        ``slot_of(table, stored, words, stride, index_mask, out, at, key)`` returns the slot of a state: that of its
        node, or a free one.
    node_in : helper
        ``node_in(table, slot, index_mask)`` returns the node in a slot, or a negative number if the slot is free.
    insert : helper
        ``insert(table, slot, index_mask, node, key)`` writes a node into a free slot.
    """
    if inlined is None:
        return prepare_hashes, find_or_insert, find_slot, node_in, insert
    number_of = inlined.number.inlined

    def prepare(constants, out, n, words, keys, table):
        for k in range(n):
            number = number_of(constants, out, k * words)
            out[keys + k] = number
            prefetch(table, number)

    prepare = helper(named(prepare, "prepare", number_of))
    return prepare, find_or_insert_by_number, slot_by_number, node_by_number, insert_by_number


@helper
def prepare_hashes(constants, out, n, words, keys, table):
    """Write the hashes of successors."""
    hash_successors(out, n, words, keys, table)


@helper
def find_or_insert_by_number(table, stored, words, base, out, at, key, next_node):
    """Return the node of a state by its number; if there is none, store the state as `next_node`."""
    slot = as_index(np.int64(key))
    node = node_by_number(table, slot, base)
    if node < 0:
        node = next_node
        insert_by_number(table, slot, base, node, key)
        copy_state(out, at, stored, node * (words + FIELD_WORDS) + FIELD_WORDS, words)
    return as_index(node)


@helper
def slot_by_number(table, stored, words, stride, index_mask, out, at, key):
    """Return the slot of a state by its number."""
    return as_index(np.int64(key))


@helper
def node_by_number(table, slot, base):
    """Return the node in a slot of a table by numbers."""
    return np.int64(table[slot]) - base - 1


@helper
def insert_by_number(table, slot, base, node, key):
    """Write a node into a slot of a table by numbers."""
    table[slot] = base + node + 1


def expander(inlined: Inlined | None) -> Callable[..., Any]:
    """Return the helper that expands a node and counts the expansion, with the arguments of `expand_node`."""
    if inlined is None:
        return expand_node
    expand_state = inlined.expand.inlined

    def expand_of(expand, control, node, constants, lengths, states, at, g, out, cost, action):
        n = expand_state(constants, states, at, out, 0, cost, action, 0)
        return count_expansion(n, control, node, lengths, g, cost, action)

    return helper(named(expand_of, "expand_of", expand_state))


def goal_test(inlined: Inlined | None) -> Callable[..., Any]:
    """Return the helper that tests whether a state is a goal."""
    if inlined is None:
        return test_by_address
    is_goal_state = inlined.is_goal.inlined

    def test_goal(is_goal, constants, states, at):
        return is_goal_state(constants, states, at)

    return helper(named(test_goal, "test_goal", is_goal_state))


@helper
def test_by_address(is_goal, constants, states, at):
    """Return whether a state is a goal."""
    return call(IS_GOAL, is_goal, constants, states, at)


def evaluator(inlined: Inlined | None) -> Callable[..., Any]:
    """Return the helper that evaluates successors, with the arguments of `heuristics.interface.stack.evaluate`."""
    return evaluate if inlined is None else single_term(inlined.term, 0)


def single_term(term: Kernel | None, index: int) -> Callable[..., Any]:
    """Return a helper with the arguments of `heuristics.interface.stack.evaluate` that knows the only term.

    Parameters
    ----------
    term : Kernel or None
        The term; None for h = 0.
    index : int
        Index of its parameters.
    """
    estimate = None if term is None else term.inlined

    def value(terms, count, maximum, params, states, at, parent_h, out, out_at, action, h, scratch, slot, n):
        for k in range(slot, slot + n):
            h[k] = 0
        if estimate is None:  # numba removes the branch that is not taken before it looks at types
            return 0
        status = estimate(params[index], states, at, parent_h, out, out_at, action, h, slot, n)
        if status < 0:
            return status
        return store_values(h, slot, n)

    return helper(named(value, "single_term", term and term.function, index))
