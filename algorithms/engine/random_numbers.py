"""Random numbers in kernels: SplitMix64 (Steele, Lea and Flood 2014), whose state is in the control array.

So a search draws the same numbers on every machine, and goes on where it has stopped.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine import control_open_list as q
from worlds.compile import helper

_STEP, _FIRST, _SECOND = (np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@helper
def next_random(control):
    """Return the next number, a uint64."""
    state = np.uint64(control[q.RANDOM]) + _STEP
    control[q.RANDOM] = np.int64(state)
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))


@helper
def random_unit(control):
    """Return a random float from 0 to 1 (excluded), a multiple of 2^-53."""
    return np.float64(next_random(control) >> np.uint64(11)) * 2.0**-53


@helper
def random_below(control, count):
    """Return a random integer from 0 to `count` (excluded), at most 2^31."""
    return np.int64(random_unit(control) * count)
