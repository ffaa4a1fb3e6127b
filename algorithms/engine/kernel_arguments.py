"""Records of arrays that many kernels take as one argument, and their numba types."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import PARAMS, BoundStack
from worlds.compile import room_for

Arrays = tuple[np.ndarray, ...]

WORLD = "UniTuple(int64[::1], 2)"
"""Numba type of `Problem.constants` and `Problem.action_lengths`, as kernels take them."""

HEURISTIC = f"Tuple(({PARAMS}, int64, boolean))"
"""Numba type of `heuristic_of`."""

BUFFERS = "Tuple((uint64[::1], int32[::1], int16[::1], int64[::1], int64[::1], int32[::1]))"
"""Numba type of `expansion_buffers`."""


def heuristic_of(stack: BoundStack) -> tuple[tuple[NDArray[np.int64], ...], int, bool]:
    """Return the parameters of the terms, the number of terms, and whether they are combined by maximum."""
    return stack.params, len(stack.kernels), stack.maximum


def expansion_buffers(words: int, successors: int) -> Arrays:
    """Allocate the buffers of one expansion.

    Returns
    -------
    tuple of ndarray
        States of the successors and behind them their hashes; step costs; action codes; h; scratch for h; and
        `pending`, the nodes to push into the open list.
    """
    room = room_for(successors)
    steps = np.empty(words * room + successors, np.uint64), np.empty(room, np.int32), np.empty(room, np.int16)
    return *steps, *[np.empty(successors, dtype) for dtype in (np.int64, np.int64, np.int32)]
