"""Violations of what stacks declare, in all states that can be reached."""

from __future__ import annotations

import numpy as np

from algorithms.spaces.state_space import StateSpace
from algorithms.spaces.state_values import values
from heuristics.interface.stack import BoundStack


def violations(bound: BoundStack, space: StateSpace) -> tuple[int, int]:
    """Return the number of states whose value is too large, and of steps along which it drops by more than they cost.

    `tests/algorithms/spaces/test_state_space.py` compares spaces and values with naive ones.
    """
    h = values(bound, space.all_states())
    before = np.repeat(np.arange(space.count), np.diff(space.first))
    drops = h[before] > space.cost + h[space.target]
    return int((h > space.distance).sum()), int(drops.sum())
