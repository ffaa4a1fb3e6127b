"""Distances of all states of a small space to one of them: the tables of pattern databases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile import ADDRESS, call, kernel
from worlds.interface import NOWHERE, STEPS, PerfectIndex

UNREACHED = 255


def distances(index: PerfectIndex, goal: int) -> NDArray[np.uint8]:
    """Return the distance of each state of an index to the state with a number; `UNREACHED` if there is none.

    All distances must be smaller than `UNREACHED`.
    """
    table = np.full(index.blocks * index.size, UNREACHED, np.uint8)
    table[goal] = 0
    now, following = np.zeros((2, index.blocks), np.uint8)
    now[goal // index.size] = 1
    steps, out = index.steps.address(STEPS), np.empty(2 * index.max_steps, np.int64)
    depth, ranks = 0, np.empty(index.size, np.int64)
    while now.any():
        if depth + 1 == UNREACHED:
            raise ValueError("a distance does not fit into a byte")
        fill_level.compiled(steps, index.data, index.maps, table, depth, now, following, ranks, out)
        now, following, depth = following, now, depth + 1
    return table


@kernel(
    f"int64({ADDRESS}, int64[::1], uint16[:, ::1], uint8[::1], int64, uint8[::1], uint8[::1], int64[::1], int64[::1])"
)
def fill_level(steps, data, maps, table, depth, now, following, ranks, out):
    """Expand the states at a depth in the blocks that `now` marks, and mark the blocks of new states."""
    size = ranks.size
    for block in range(now.size):
        if now[block] == 0:
            continue
        now[block] = 0
        n = 0
        for rank in range(size):
            if table[block * size + rank] == depth:
                ranks[n] = rank
                n += 1
        for k in range(call(STEPS, steps, data, block, out)):
            target, chosen, new = out[2 * k], out[2 * k + 1], 0
            for i in range(n):
                to = np.int64(maps[chosen, ranks[i]])
                if to != NOWHERE and table[target * size + to] == UNREACHED:
                    table[target * size + to] = depth + 1
                    new = 1
            if new != 0:
                following[target] = 1
    return 0
