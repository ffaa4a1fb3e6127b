"""Moves of disks packed for the search engine, and the perfect index of all states.

A state is one word, with 3 bits for the peg of each disk, the smallest disk in the lowest bits. Successors come in the
order of the peg from which a disk is taken, then of the peg to which it goes. The action code is ``from * pegs + to``.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np

from worlds.compile.kernel import EXPAND, IS_GOAL, helper, kernel
from worlds.perfect_index import NOWHERE, STEPS, PerfectIndex

BITS = 3
MAX_DISKS, MAX_PEGS = 21, 8
# Layout of `constants`: numbers of disks and pegs, and the packed goal.
DISKS, PEGS, GOAL = range(3)


@helper
def peg_of(state, disk):
    """Return the peg of a disk, from 0 for the smallest."""
    return np.int64((state >> np.uint64(BITS * disk)) & np.uint64(7))


@helper
def tops_of(state, disks, pegs):
    """Return the smallest disk of each peg, or the number of disks if it is empty, in groups of 5 bits."""
    tops = np.uint64(0)
    for peg in range(pegs):
        tops |= np.uint64(disks) << np.uint64(5 * peg)
    for disk in range(disks - 1, -1, -1):
        shift = np.uint64(5 * peg_of(state, disk))
        tops = (tops & ~(np.uint64(31) << shift)) | (np.uint64(disk) << shift)
    return tops


@helper
def write_moves(constants, states, at, out, out_at, cost, action, slot, backward):
    """Write the states after (or before) each move of a smallest disk to a peg without a smaller one."""
    state, pegs = states[at], constants[PEGS]
    tops = tops_of(state, constants[DISKS], pegs)
    n = 0
    for one in range(pegs):
        for other in range(pegs):
            source, target = (other, one) if backward else (one, other)
            disk = np.int64((tops >> np.uint64(5 * source)) & np.uint64(31))
            if disk < np.int64((tops >> np.uint64(5 * target)) & np.uint64(31)):
                out[out_at + n] = state ^ (np.uint64(source ^ target) << np.uint64(BITS * disk))
                cost[slot + n] = 1
                action[slot + n] = one * pegs + other
                n += 1
    return n


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the states after each move."""
    return write_moves(constants, states, at, out, out_at, cost, action, slot, False)


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the states before each move."""
    return write_moves(constants, states, at, out, out_at, cost, action, slot, True)


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether a state is the goal."""
    return np.int64(states[at]) == constants[GOAL]


@cache
def index_of(disks: int, pegs: int) -> PerfectIndex:
    """Return the index of all states: the pegs as digits, that of the smallest disk last.

    A block is the pegs of the large disks. A step moves one of the small disks within the block, or a large disk, if no
    small disk is on either of the two pegs.
    """
    small = next(k for k in range(disks, 0, -1) if pegs**k < NOWHERE)
    states = list(product(range(pegs), repeat=small))  # the smallest disk is the last digit
    maps = []
    for pair in combinations(range(pegs), 2):
        inner, clear = [], []
        for number, state in enumerate(states):
            disk = next((k for k in reversed(range(small)) if state[k] in pair), None)
            moved = 0 if disk is None else (sum(pair) - 2 * state[disk]) * pegs ** (small - 1 - disk)
            inner.append(NOWHERE if disk is None else number + moved)
            clear.append(number if disk is None else NOWHERE)
        maps += [inner, clear]
    return PerfectIndex(
        blocks=pegs ** (disks - small),
        size=pegs**small,
        steps=block_steps,
        data=np.array([disks - small, pegs], np.int64),
        max_steps=len(maps),
        maps=np.array(maps, np.uint16),
        number=lambda state: sum(peg * pegs**disk for disk, peg in enumerate(state)),
    )


@kernel(STEPS)
def block_steps(data, block, out):
    """Write the steps between the pegs of each pair: those of the small disks, and that of a large disk."""
    large, pegs = data[0], data[1]
    n = pair = 0
    for one in range(pegs):
        for other in range(one + 1, pegs):
            out[2 * n], out[2 * n + 1] = block, 2 * pair
            n += 1
            power, rest = 1, block
            for _ in range(large):
                peg = rest % pegs
                if peg in (one, other):
                    out[2 * n], out[2 * n + 1] = block + (one + other - 2 * peg) * power, 2 * pair + 1
                    n += 1
                    break
                power *= pegs
                rest //= pegs
            pair += 1
    return n
