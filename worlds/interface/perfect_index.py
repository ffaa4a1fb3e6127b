"""Perfect index of all states of a world: for the exploration of complete spaces (`algorithms.frontier`).

The number of a state is ``block * size + rank``. A step leads from all states of a block to states of one other block,
and changes their ranks by one map. So an exploration works on whole blocks, and computes no numbers of single states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.compile import Kernel

STEPS = "int64(int64[::1], int64, int64[::1])"
"""``steps(data, block, out)`` writes the block and the number of the map of every step from a block into `out`, one
after the other, and returns the number of steps."""
NOWHERE = 0xFFFF
"""Entry of a map: the step is not possible in this state."""


@dataclass(frozen=True, eq=False)
class PerfectIndex:
    """Numbers of all states of a space in which every step has an inverse of the same cost.

    Attributes
    ----------
    blocks, size : int
        Number of blocks, and of states in a block, at most 65,535.
    steps : Kernel
        Kernel of signature `STEPS`.
    data : ndarray of int64
        Its first argument.
    max_steps : int
        Largest number of steps from a block.
    maps : ndarray of uint16, shape (maps, size)
        Rank of the successor by the rank of a state, or `NOWHERE`.
    number : callable
        Returns the number of a state of the rules; -1 if the state is not one of the space.
    """

    blocks: int
    size: int
    steps: Kernel
    data: NDArray[np.int64]
    max_steps: int
    maps: NDArray[np.uint16]
    number: Callable[[Any], int]


MAX_STATES = 1 << 36
"""Largest number of states of an index: 16 GiB at two bits each."""
