"""Kernel of depth-first searches: graph search, iterative deepening and IDA*.

A slot holds a generated state. The children of a node occupy consecutive slots, behind those of its ancestors. A level
holds the range of slots with the children of one node on the path, and the next child to visit. Nothing else is stored,
except the visited states with the cycle check VISITED.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.hashing import hash_state
from algorithms.engine.kernel_arguments import HEURISTIC, WORLD
from algorithms.engine.nodes import FIELD_WORDS, STORE, G, copy_state, find_or_insert
from algorithms.engine.search import Status
from heuristics.interface import INFINITE_H
from heuristics.stack import TERMS, evaluate, unpack_terms
from worlds.compile.kernel import EXPAND, IS_GOAL, as_index, cost_error, helper, kernel, list_of
from worlds.compile.operations import borrowed

PARENT, PATH, VISITED = 0, 1, 2
"""Cycle checks. A state is compared with its parent and grandparent, with the path, or with all visited states."""

CHAINS = 1 << 12
"""Number of hash chains of the states on the path."""

SLOTS = "Tuple((uint64[::1], int32[::1], int64[::1], int64[::1], int64[::1], int16[::1]))"
"""Numba type of the arrays of the slots: states, step costs, g, h, scratch for h, and actions."""

LEVELS = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]))"
"""Numba type of the arrays of the levels: slot of the node, next child, end of the children, `link`, and `chains`.

The nodes on the path whose states have the same hash modulo CHAINS form a chain. `chains` holds the deepest level of
each chain, `link` the next level above in the chain; 0 ends it."""


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {HEURISTIC}, {WORLD}, {SLOTS}, {LEVELS}, {STORE},"
    "int64[::1], int64)"
)
def depth_first_step(
    expand_list, is_goal_list, term_list, heuristic, world_arrays, slots, levels, visited, control, budget
):
    """Run at most `budget` expansions; return EXHAUSTED after an iteration, or a negative number on an error."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    params, count, maximum = heuristic
    params = borrowed(params)
    states, costs, g, h, scratch, action = borrowed(slots)
    node_slot, child, last, link, chains = borrowed(levels)
    visited, control = borrowed(visited), borrowed(control)
    world, action_lengths = borrowed(world_arrays)
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    bound, limit, cycle_check = control[c.BOUND], control[c.DEPTH_LIMIT], control[c.CYCLE_CHECK]
    has_bound = bound != c.NO_INCUMBENT
    g_factor, h_factor = control[c.G_FACTOR], control[c.H_FACTOR]
    capacity = visited[0].size // (words + FIELD_WORDS)
    next_bound, level = control[c.NEXT_BOUND], control[c.LEVEL]
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        slot = as_index(child[level])
        top = as_index(last[level])
        if slot == top:
            if level == 0:
                status = Status.EXHAUSTED.value
                break
            if cycle_check == PATH:
                leave_path(states, node_slot[level], level, link, chains, words)
            level -= 1
            continue
        if expanded >= budget:
            break
        if top + successors > h.size or level + 1 == child.size or control[c.NODES] == capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        child[level] += 1
        if level > 0:
            generated += 1
            simulated += action_lengths[action[slot]]
        if h[slot] == INFINITE_H:
            continue
        f = g_factor * g[slot] + h_factor * h[slot]
        if f > bound:
            next_bound = min(next_bound, f)
            continue
        if cycle_check == VISITED and not visit(control, visited, states, slot, level, words):
            continue
        if is_goal(world, states, slot * words):
            node_slot[level + 1] = slot
            control[c.GOAL] = level + 1
            status = Status.SOLVED.value
            break
        if level == limit:
            control[c.LIMIT_REACHED] = 1
            continue
        n = expand(world, states, slot * words, states, top * words, costs, action, top)
        if n < 0:
            status = n
            break
        expanded += 1
        control[c.EXPANDED_NODE] = level + 1
        parent = as_index(node_slot[level] if level > 0 else slot)
        node_slot[level + 1] = slot
        if cycle_check == PATH:
            enter_path(states, slot, level + 1, link, chains, words)
        kept = np.int64(top)
        for k in range(top, top + n):
            cost = np.int64(g[slot]) + costs[k]
            wrong = cost_error(costs[k], cost if has_bound else np.int64(costs[k]))  # else no order depends on the sum
            if wrong < 0:
                status = wrong
                break
            if is_cycle(cycle_check, states, k, slot, parent, node_slot, link, chains, words):
                continue
            copy_state(states, k * words, states, kept * words, words)
            action[kept] = action[k]
            g[kept] = cost
            kept += 1
        if status < 0:
            break
        if count > 0:
            control[c.EVALUATED] += kept - top
        failure = evaluate(
            terms, count, maximum, params,
            states, slot * words, np.int64(h[slot]), states, top * words, action, h, scratch, top, kept - top,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        level += 1
        child[level] = top
        last[level] = kept
        control[c.MAX_SLOTS] = max(control[c.MAX_SLOTS], kept)
    control[c.LEVEL] = level
    control[c.NEXT_BOUND] = next_bound
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status


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
def visit(control, visited, states, slot, depth, words):
    """Store that a state is visited at a depth; return False if it was visited at this depth or above before.

    Without a depth limit, a visit at any depth counts.
    """
    stored, fields, table = visited
    hashed = hash_state(states, slot * words, words)
    new = as_index(control[c.NODES])
    node = find_or_insert(table, stored, words, control[c.INDEX_MASK], states, slot * words, hashed, new)
    record = node * 2 * (words + FIELD_WORDS)
    if node == new:
        control[c.NODES] += 1
    elif control[c.DEPTH_LIMIT] == c.NO_LIMIT or depth >= fields[record + G]:
        return False
    else:
        control[c.REOPENED] += 1
    fields[record + G] = depth
    return True
