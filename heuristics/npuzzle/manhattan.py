"""Manhattan distance of the tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.npuzzle.tile_sum import TileSum
from runner.registry import register
from worlds.npuzzle.rules import Board


@register("heuristic", "manhattan", domain="npuzzle")
@dataclass(frozen=True)
class Manhattan(TileSum):
    """For every tile, the rows and columns between its cell and its goal.

    Admissible and consistent: a move brings one tile one cell nearer at best. Source: Nilsson, "Problem-solving
    methods in artificial intelligence", 1971.
    """

    admissible = True
    consistent = True

    def table(self, rows: int, columns: int, goal: Board) -> NDArray[np.int64]:
        """Distances to the goal cells."""
        row, column = np.divmod(np.arange(rows * columns), columns)
        target = np.argsort(np.array(goal))
        distance = abs(row - row[target][:, np.newaxis]) + abs(column - column[target][:, np.newaxis])
        distance[0] = 0
        return distance
