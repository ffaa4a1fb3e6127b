"""Many states of a grid map at once, also as images."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worlds.interface import StateArrays


class GridStates(StateArrays):
    """States of a grid map, as a heuristic that takes batches sees them. An item is a cell (x, y)."""

    @cached_property
    def image(self) -> NDArray[np.float32]:
        """Three planes of 0 and 1: the obstacles, the cell of the state, the goal. Shape (states, 3, height, width)."""
        goal_x, goal_y = self.world.goal
        plane = self.world.shared.plane
        result = np.zeros((len(self), 3, *plane.shape), np.float32)
        result[:, 0] = plane
        result[np.arange(len(self)), 1, self.values[:, 1], self.values[:, 0]] = 1
        result[:, 2, goal_y, goal_x] = 1
        return result
