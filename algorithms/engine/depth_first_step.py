"""The inner loop of depth-first searches: iterative deepening, IDA* and graph search are one kernel.

The successors of the nodes on the current path lie one after the other in slots, where `expand` has written them; a
level says which slots are a node's children and which comes next. Nothing else is stored, unless states that were
visited are to be remembered.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.nodes import FIELD_WORDS, G, copy_state, enter, find_slot, hash_state, node_in
from algorithms.engine.search import Status
from heuristics.interface import UNREACHABLE
from heuristics.stack import PARAMS, TERMS, evaluate, unpack_terms
from worlds.kernel import (
    EXPAND,
    IS_GOAL,
    borrowed,
    cost_error,
    helper,
    kernel,
    list_of,
)

PARENT, PATH, VISITED = 0, 1, 2
"""What `CYCLE_CHECK` compares a state with: its grandparent (and parent), the whole path, or all that were visited."""

CHAINS = 1 << 12
SLOTS = "Tuple((uint64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int16[::1]))"
"""states, step costs, g, h, scratch for h, and action of the slots."""
LEVELS = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]))"
"""Per level: the slot of its node, its next child, the end of its children, and a chain of nodes of equal hash on the
path (`link`), which begins in `chains`."""


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {PARAMS}, int64[::1], int64[::1], {SLOTS}, {LEVELS},"
    "uint64[::1], int32[::1], int32[::1], int64[::1], int64)"
)
def depth_first_step(
    expand_list, is_goal_list, term_list, params, world, action_lengths, slots, levels,
    visited, fields, table, control, budget,
):  # fmt: skip
    """Run at most `budget` expansions of one iteration; EXHAUSTED: it is over."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    states, costs, g, h, scratch, action = borrowed(slots)
    node_slot, child, last, link, chains = borrowed(levels)
    params = borrowed(params)
    visited, fields, table, control, world, action_lengths = borrowed(
        (visited, fields, table, control, world, action_lengths)
    )
    words, successors = control[c.WORDS], control[c.MAX_SUCCESSORS]
    count, maximum = control[c.TERM_COUNT], control[c.MAXIMUM] != 0
    bound, limit, cycle_check = control[c.BOUND], control[c.DEPTH_LIMIT], control[c.CYCLE_CHECK]
    capacity = visited.size // (words + FIELD_WORDS)
    next_bound, level = control[c.NEXT_BOUND], control[c.LEVEL]
    expanded = generated = simulated = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        slot = np.int64(child[level])
        top = np.int64(last[level])
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
        if h[slot] >= UNREACHABLE:
            continue
        f = np.int64(g[slot]) + h[slot]
        if f > bound:
            next_bound = min(next_bound, f)
            continue
        if cycle_check == VISITED and not visit(visited, fields, table, control, states, slot, level, words):
            continue
        if is_goal(world, states, slot * words):
            node_slot[level + 1] = slot
            control[c.GOAL] = level + 1
            status = Status.SOLVED.value
            break
        if level == limit:
            control[c.CUT] = 1
            continue
        n = expand(world, states, slot * words, states, top * words, costs, action, top)
        if n < 0:
            status = n
            break
        expanded += 1
        parent = np.int64(node_slot[level] if level > 0 else slot)
        node_slot[level + 1] = slot
        if cycle_check == PATH:
            enter_path(states, slot, level + 1, link, chains, words)
        kept = np.int64(top)
        for k in range(top, top + n):
            cost = np.int64(g[slot]) + costs[k]
            wrong = cost_error(costs[k], cost)
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
        control[c.MAX_DEPTH_SLOTS] = max(control[c.MAX_DEPTH_SLOTS], kept)
    control[c.LEVEL] = level
    control[c.NEXT_BOUND] = next_bound
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status


@helper
def is_same(states, one, other, words):
    """Whether two slots hold the same state."""
    i = 0
    while i < words and states[one * words + i] == states[other * words + i]:
        i += 1
    return i == words


@helper
def is_cycle(cycle_check, states, k, slot, parent, node_slot, link, chains, words):
    """Whether the state in slot k, a child of that in `slot`, is one that it need not go back to."""
    if cycle_check != PATH:
        return is_same(states, k, slot, words) or is_same(states, k, parent, words)
    level = np.int64(chains[chain_of(states, k, words)])
    while level > 0:
        if is_same(states, k, np.int64(node_slot[level]), words):
            return True
        level = np.int64(link[level])
    return False


@helper
def chain_of(states, slot, words):
    """Index of the chain that a state on the path belongs to."""
    return np.int64(hash_state(states, slot * words, words) & np.uint64(CHAINS - 1))


@helper
def enter_path(states, slot, level, link, chains, words):
    """Put a node at the beginning of its chain."""
    chain = chain_of(states, slot, words)
    link[level] = chains[chain]
    chains[chain] = level


@helper
def leave_path(states, slot, level, link, chains, words):
    """Take the last node of the path, which is at the beginning of its chain, out of it."""
    chains[chain_of(states, np.int64(slot), words)] = link[level]


@helper
def visit(visited, fields, table, control, states, slot, depth, words):
    """Remember that a state is visited at a depth; False if there is nothing new to find from there."""
    mask = control[c.INDEX_MASK]
    stride = words + FIELD_WORDS
    hashed = hash_state(states, slot * words, words)
    place = find_slot(table, visited, words, mask, states, slot * words, hashed)
    node = node_in(table, place, mask)
    if node >= 0:
        if control[c.DEPTH_LIMIT] == c.NO_LIMIT or depth >= fields[node * 2 * stride + G]:
            return False
        control[c.REOPENED] += 1
    else:
        node = control[c.NODES]
        control[c.NODES] += 1
        enter(table, place, mask, node, hashed)
        copy_state(states, slot * words, visited, node * stride + FIELD_WORDS, words)
    fields[node * 2 * stride + G] = depth
    return True
