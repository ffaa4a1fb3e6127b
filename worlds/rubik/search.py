"""Turns packed for the search engine.

A state is two words with 5 bits for the slot of each cubie: the corners, and the edges, whose slots count from 0. The
action code is the number of the turn among those that are allowed, and successors come in this order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, helper, kernel
from worlds.rubik.rules import CORNERS, EDGES, FIRST_EDGE_SLOT, SLOTS, State, inverse, slots_after

BITS = 5
# Layout of `constants`: the number of turns and the solved cube; then, for each turn, the slot to which it takes
# each slot of a corner and each slot of an edge; then the same for the inverses of the turns.
COUNT, GOAL, AFTER = 0, 1, 3
CORNER_COUNT, EDGE_COUNT, SLOT_COUNT = len(CORNERS), len(EDGES), len(SLOTS)


def pack(state: State) -> list[int]:
    """Return the words of a state."""
    corners, edges = state[:CORNER_COUNT], state[CORNER_COUNT:]
    return [
        sum(slot << BITS * n for n, slot in enumerate(corners)),
        sum(slot - FIRST_EDGE_SLOT << BITS * n for n, slot in enumerate(edges)),
    ]


def unpack(words: Sequence[int]) -> State:
    """Return the state of packed words."""
    corners = (words[0] >> BITS * n & 31 for n in range(CORNER_COUNT))
    return (*corners, *((words[1] >> BITS * n & 31) + FIRST_EDGE_SLOT for n in range(EDGE_COUNT)))


def slots_of(states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the slot of each cubie in packed states, of shape (states, cubies); those of edges count from 0."""
    shifts = np.arange(0, BITS * EDGE_COUNT, BITS, dtype=np.uint64)
    corners, edges = (states[:, [word]] >> shifts & np.uint64((1 << BITS) - 1) for word in range(2))
    return np.hstack([corners[:, :CORNER_COUNT], edges]).astype(np.int64)


def constants_of(turns: Sequence[str], goal: State) -> list[int]:
    """Return the constants of the kernels."""
    after = [slots_after(turn) for turn in (*turns, *map(inverse, turns))]
    tables = [slot - FIRST_EDGE_SLOT * (n >= FIRST_EDGE_SLOT) for table in after for n, slot in enumerate(table)]
    return [len(turns), *pack(goal), *tables]


@helper
def slot_at(states, at, cubie):
    """Return the slot of a cubie; those of edges count from 0."""
    if cubie < CORNER_COUNT:
        return np.int64((states[at] >> np.uint64(BITS * cubie)) & np.uint64(31))
    return np.int64((states[at + 1] >> np.uint64(BITS * (cubie - CORNER_COUNT))) & np.uint64(31))


@helper
def write_turns(constants, states, at, out, out_at, cost, action, slot, first_table):
    """Write the states after each turn, or after its inverse."""
    for turn in range(constants[COUNT]):
        table = AFTER + SLOT_COUNT * (first_table + turn)
        corners = edges = np.uint64(0)
        for cubie in range(CORNER_COUNT):
            corners |= np.uint64(constants[table + slot_at(states, at, cubie)]) << np.uint64(BITS * cubie)
        table += FIRST_EDGE_SLOT
        for edge in range(EDGE_COUNT):
            after = constants[table + slot_at(states, at, CORNER_COUNT + edge)]
            edges |= np.uint64(after) << np.uint64(BITS * edge)
        out[out_at + 2 * turn], out[out_at + 2 * turn + 1] = corners, edges
        cost[slot + turn] = 1
        action[slot + turn] = turn
    return constants[COUNT]


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the states after each turn."""
    return write_turns(constants, states, at, out, out_at, cost, action, slot, 0)


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the states before each turn."""
    return write_turns(constants, states, at, out, out_at, cost, action, slot, constants[COUNT])


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether a state is the solved cube."""
    return np.int64(states[at]) == constants[GOAL] and np.int64(states[at + 1]) == constants[GOAL + 1]
