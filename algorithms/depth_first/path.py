"""The path of a depth-first search: slots, levels, cycle checks and visited states.

A slot holds a generated state. The children of a node occupy consecutive slots, behind those of its ancestors. A level
holds the range of slots with the children of one node on the path, and the next child to visit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algorithms.depth_first import control_entries as d
from algorithms.engine import FIELD_WORDS, G, copy_state, find_node, find_or_insert, hash_state
from algorithms.engine import control as c
from heuristics.interface import evaluate
from worlds.compile import as_index, cost_error, helper
from worlds.interface import Problem

PARENT, PATH, VISITED = 0, 1, 2
CYCLE_CHECKS = {"parent": PARENT, "path": PATH, "visited": VISITED}
"""A state is compared with its parent and grandparent, with the path, or with all visited states."""

CHAINS = 1 << 12
"""Number of hash chains of the states on the path."""

SLOTS = "Tuple((uint64[::1], int32[::1], int64[::1], int64[::1], int64[::1], int16[::1]))"
"""Numba type of the arrays of the slots: states, step costs, g, h, scratch for h, and actions."""

LEVELS = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]))"
"""Numba type of the arrays of the levels: slot of the node, next child, end of the children, `link`, `chains`, and
`operators`.

The nodes on the path whose states have the same hash modulo CHAINS form a chain. `chains` holds the deepest level of
each chain, `link` the next level above in the chain; 0 ends it."""


# Layout of the array of operators: the number of actions if pairs of them are redundant, else 0; where the ranks of the
# actions begin, 0 without ranks; then whether an action is redundant after another one; then the ranks.
ACTIONS, RANKS, REDUNDANT = range(3)


def operators_of(problem: Problem, ranks: Sequence[int], *, without_redundant: bool) -> NDArray[np.int32]:
    """Return the array of operators of a problem.

    Parameters
    ----------
    ranks : sequence of int
        Rank of each action: children are visited by the ranks of their actions. Empty: in the order of the world.
    """
    actions = problem.action_lengths.size if without_redundant and problem.redundant_pairs else 0
    redundant = np.zeros((actions, actions), np.int32)
    for pair in problem.redundant_pairs if actions else ():
        redundant[pair] = 1
    first_rank = REDUNDANT + redundant.size if ranks else 0
    return np.concatenate([[actions, first_rank], redundant.ravel(), ranks]).astype(np.int32)


@helper
def is_redundant(operators, before, after):
    """Tell whether an action need not follow another one."""
    return operators[REDUNDANT + operators[ACTIONS] * np.int64(before) + after] != 0


@helper
def is_same(states, one, other, words):
    """Tell whether two slots hold the same state."""
    i = 0
    while i < words and states[one * words + i] == states[other * words + i]:
        i += 1
    return i == words


@helper
def is_cycle(cycle_check, states, k, slot, parent, node_slot, link, chains, words):
    """Tell whether slot k, a child of `slot`, holds the state of `slot` or `parent` or, with PATH, one on the path."""
    if cycle_check != PATH:
        return is_same(states, k, slot, words) or is_same(states, k, parent, words)
    level = np.int64(chains[chain_of(states, k, words)])
    while level > 0:
        if is_same(states, k, as_index(node_slot[level]), words):
            return True
        level = np.int64(link[level])
    return False


@helper
def chain_of(states, slot, words):
    """Return the chain of a state on the path."""
    return np.int64(hash_state(states, slot * words, words) & np.uint64(CHAINS - 1))


@helper
def enter_path(states, slot, level, link, chains, words):
    """Insert a node at the front of its chain."""
    chain = chain_of(states, slot, words)
    link[level] = chains[chain]
    chains[chain] = level


@helper
def leave_path(states, slot, level, link, chains, words):
    """Remove the last node of the path, which is at the front of its chain."""
    chains[chain_of(states, as_index(slot), words)] = link[level]


@helper
def enter_node(terms, heuristic, slots, levels, control, level, slot, top, n, adds_costs, words):
    """Append the node in `slot` to the path, and keep and evaluate those of its `n` successors that are its children.

    The successors are in the slots from `top` on. Cycles and redundant actions are left out; the children are sorted by
    their ranks or g + h, if the search sorts. Return the end of their slots, or a negative number on an error.
    `adds_costs` tells whether an order depends on g.
    """
    params, count, maximum = heuristic
    states, costs, g, h, scratch, action = slots
    node_slot, _, _, link, chains, operators = levels
    cycle_check, by_f, has_redundant = control[d.CYCLE_CHECK], control[d.BY_F] != 0, operators[ACTIONS] != 0
    control[c.EXPANDED_NODE] = level + 1
    parent = as_index(node_slot[level] if level > 0 else slot)
    node_slot[level + 1] = slot
    if cycle_check == PATH:
        enter_path(states, slot, level + 1, link, chains, words)
    kept = np.int64(top)
    for k in range(top, top + n):
        cost = np.int64(g[slot]) + costs[k]
        wrong = cost_error(costs[k], cost if adds_costs else np.int64(costs[k]))
        if wrong < 0:
            return wrong
        if is_cycle(cycle_check, states, k, slot, parent, node_slot, link, chains, words):
            continue
        if has_redundant and level > 0 and is_redundant(operators, action[slot], action[k]):
            continue
        copy_state(states, k * words, states, kept * words, words)
        action[kept] = action[k]
        g[kept] = cost
        kept += 1
    if count > 0:
        control[c.EVALUATED] += kept - top
    failure = evaluate(
        terms, count, maximum, params,
        states, slot * words, np.int64(h[slot]), states, top * words, action, h, scratch, top, kept - top,
    )  # fmt: skip
    if failure < 0:
        return failure
    if by_f or operators[RANKS] != 0:
        sort_children(operators, by_f, states, action, g, h, scratch, top, kept, words)
    control[d.MAX_SLOTS] = max(control[d.MAX_SLOTS], kept)
    return kept


@helper
def visit(control, visited, states, slot, rank, is_ranked, words):
    """Store that a state is visited at a depth or cost; return False if it was visited at this rank or below before.

    If it is not ranked, every visit before counts. If all states are stored that may be, a new one is not.
    """
    stored, fields, table = visited
    mask, at = control[c.INDEX_MASK], slot * words
    hashed = hash_state(states, at, words)
    new = as_index(control[c.NODES])
    if new == control[d.MAX_VISITED] and find_node(table, stored, words, mask, states, at, hashed) < 0:
        return True
    node = find_or_insert(table, stored, words, mask, states, at, hashed, new)
    record = node * 2 * (words + FIELD_WORDS)
    if node == new:
        control[c.NODES] += 1
    elif not is_ranked or rank >= fields[record + G]:
        return False
    else:
        control[c.REOPENED] += 1
    fields[record + G] = rank
    return True


@helper
def sort_children(operators, by_f, states, action, g, h, keys, first, last, words):
    """Sort the slots from `first` to `last` (excluded): with `by_f` by g + h, then by the ranks of their actions.

    Slots that are equal keep their order. `keys` is scratch for these slots.
    """
    for k in range(first, last):
        rank = np.int64(operators[operators[RANKS] + action[k]]) if operators[RANKS] != 0 else np.int64(0)
        keys[k] = ((g[k] + h[k]) << 15) + rank if by_f else rank
    for k in range(first + 1, last):
        at = as_index(k)
        while at > first and keys[at] < keys[at - 1]:
            for i in range(at * words, (at + 1) * words):
                states[i], states[i - words] = states[i - words], states[i]
            action[at], action[at - 1] = action[at - 1], action[at]
            g[at], g[at - 1] = g[at - 1], g[at]
            h[at], h[at - 1] = h[at - 1], h[at]
            keys[at], keys[at - 1] = keys[at - 1], keys[at]
            at = as_index(at - 1)
