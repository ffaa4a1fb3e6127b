"""Number of misplaced tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS
from heuristics.npuzzle.tile_sum import TileSum
from worlds.npuzzle.rules import Board


@HEURISTICS.register("misplaced", domain="npuzzle")
@dataclass(frozen=True)
class Misplaced(TileSum):
    """Number of tiles, without the blank, that are not on their goal cells.

    Admissible and consistent: each of these tiles must move, and a move moves one tile. Source: Doran and Michie,
    "Experiments with the graph traverser program", Proceedings of the Royal Society A 294, 1966.
    """

    admissible = True
    consistent = True

    def table(self, rows: int, columns: int, goal: Board) -> NDArray[np.int64]:
        """Return 1 for all cells but the goal cells."""
        table = np.ones((rows * columns, rows * columns), np.int64)
        table[np.array(goal), np.arange(rows * columns)] = 0
        table[0] = 0
        return table
