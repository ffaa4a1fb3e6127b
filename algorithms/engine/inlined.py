"""Functions that are compiled into the kernel of searches from both ends, and how it finds states.

In general it calls the functions of a world and of the heuristics through lists, and finds a state by its hash. Where
a world numbers many states (`worlds.numbering`), its functions and a heuristic of one term become parts of the kernel,
and the table has a slot for each number (`algorithms.engine.twins.NumberedTwinNodes`). Both must expand the same nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.engine.nodes import FIELD_WORDS, find_slot_of
from algorithms.engine.successors import count_expansion, expand_node, hash_successors
from heuristics.stack import evaluate, stored_h
from worlds.compile.errors import NEGATIVE_H
from worlds.compile.kernel import Kernel, as_index, helper, named
from worlds.compile.operations import prefetch


class Inlined(NamedTuple):
    """Kernels of a world and of a heuristic with at most one term in each direction.

    Attributes
    ----------
    number, expand, predecessors : Kernel
        Kernels of the world.
    forward, backward : Kernel or None
        Terms; None for h = 0.
    """

    number: Kernel
    expand: Kernel
    predecessors: Kernel
    forward: Kernel | None
    backward: Kernel | None


def lookup(inlined: Inlined | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the two helpers by which a kernel finds states: by their hashes, or by their numbers.

    ``prepare(world, out, n, words, keys, table)`` writes the keys of `n` successors from index `keys` of `out` on, and
    prefetches their slots. ``slot(table, stored, words, index_mask, out, at, key)`` returns the slot of a state: that
    of its node, or a free one.
    """
    if inlined is None:
        return prepare_hashes, slot_by_hash
    number_of = inlined.number.inlined

    def prepare(constants, out, n, words, keys, table):
        for k in range(n):
            key = number_of(constants, out, k * words)
            out[keys + k] = key
            prefetch(table, key)

    return helper(named(prepare, "prepare", number_of)), slot_by_number


@helper
def prepare_hashes(constants, out, n, words, keys, table):
    """Write the hashes of successors."""
    hash_successors(out, n, words, keys, table)


@helper
def slot_by_hash(table, stored, words, index_mask, out, at, key):
    """Return the slot of a state by its hash."""
    return find_slot_of(table, stored, words, words + FIELD_WORDS + 1, index_mask, out, at, key)


@helper
def slot_by_number(table, stored, words, index_mask, out, at, key):
    """Return the slot of a state by its number."""
    return as_index(np.int64(key))


def expander(inlined: Inlined | None) -> Callable[..., Any]:
    """Return the helper that expands a node."""
    if inlined is None:
        return expand_by_address
    forward, backward = inlined.expand.inlined, inlined.predecessors.inlined

    def expand_of(expands, direction, control, node, constants, lengths, states, at, g, out, cost, action):
        if direction == 0:
            n = forward(constants, states, at, out, 0, cost, action, 0)
        else:
            n = backward(constants, states, at, out, 0, cost, action, 0)
        return count_expansion(n, control, node, lengths, g, cost, action)

    return helper(named(expand_of, "expand_of", forward, backward))


@helper
def expand_by_address(expands, direction, control, node, constants, lengths, states, at, g, out, cost, action):
    """Expand a node by the kernel of a direction."""
    return expand_node(expands[direction], control, node, constants, lengths, states, at, g, out, cost, action)


def evaluators(inlined: Inlined | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the helpers that evaluate successors, with the arguments of `evaluate`, for each direction."""
    if inlined is None:
        return evaluate, evaluate
    return _single_term(inlined.forward), _single_term(inlined.backward)


def _single_term(term: Kernel | None) -> Callable[..., Any]:
    """Return a helper with the arguments of `heuristics.stack.evaluate` that knows the only term."""
    if term is None:

        def value(terms, count, maximum, params, states, at, parent_h, out, out_at, action, h, scratch, slot, n):
            for k in range(slot, slot + n):
                h[k] = 0
            return 0

    else:
        estimate = term.inlined

        def value(terms, count, maximum, params, states, at, parent_h, out, out_at, action, h, scratch, slot, n):
            for k in range(slot, slot + n):
                h[k] = 0
            status = estimate(params[0], states, at, parent_h, out, out_at, action, h, slot, n)
            if status < 0:
                return status
            for k in range(slot, slot + n):
                if h[k] < 0:
                    return NEGATIVE_H
                h[k] = stored_h(h[k])
            return 0

    return helper(named(value, "single_term", term and term.function))
