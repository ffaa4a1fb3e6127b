"""Connected components of a map: cells between which there is a path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.compile import kernel, raise_on_error
from worlds.gridmap.rules import STEP, GridMap
from worlds.gridmap.search import MASKS, byte_of, passable_cells

OBSTACLE = -1
"""Label of cells on which one cannot stand."""
_UNSEEN = -2

Labels = NDArray[np.int32]


def components_of(grid: GridMap, world: NDArray[np.int64]) -> Labels:
    """Return the number of the component of each cell, row by row; `OBSTACLE` for cells that are not passable.

    Components are numbered from 0, in the order of their first cells. Every step has an inverse, and where a diagonal
    step is possible, two straight steps are, too. So straight steps determine the components.

    Parameters
    ----------
    world : ndarray of int64
        The packed map, as `worlds.gridmap.search.constants_of` returns it.
    """
    labels = np.where(passable_cells(grid).ravel(), _UNSEEN, OBSTACLE).astype(np.int32)
    steps = np.array([dx + dy * grid.width for dx, dy in STEP.values()][:4], np.int64)
    raise_on_error(label_components.compiled(world, steps, labels, np.empty_like(labels)))
    return labels


@kernel("int64(int64[::1], int64[::1], int32[::1], int32[::1])")
def label_components(constants, steps, labels, stack):
    """Label all unseen cells, and return the number of components."""
    count = 0
    for first in range(labels.size):
        if labels[first] != _UNSEEN:
            continue
        labels[first] = count
        stack[0] = first
        size = 1
        while size > 0:
            size -= 1
            cell = np.int64(stack[size])
            moves = byte_of(constants, MASKS, cell)
            for move in range(steps.size):
                to = cell + steps[move]
                if (moves >> move) & 1 and labels[to] == _UNSEEN:
                    labels[to] = count
                    stack[size] = to
                    size += 1
        count += 1
    return count
