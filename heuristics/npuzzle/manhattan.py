"""Manhattan distance of the tiles, and number of misplaced tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS
from heuristics.npuzzle.tile_sum import TileSum
from worlds.npuzzle.rules import Board


@HEURISTICS.register("manhattan", domain="npuzzle")
@dataclass(frozen=True)
class Manhattan(TileSum):
    """Number of rows plus columns between each tile and its goal cell, added up over the tiles.

    Admissible and consistent: a move brings one tile at most one cell nearer. Source: Nilsson, "Problem-solving
    methods in artificial intelligence", 1971.
    """

    admissible = True
    consistent = True

    def table(self, rows: int, columns: int, goal: Board) -> NDArray[np.int64]:
        """Return the distances to the goal cells."""
        table = cell_distances(rows, columns)[np.argsort(np.array(goal))]
        table[0] = 0
        return table


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


def cell_distances(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the Manhattan distances between all cells of a board, shape (cells, cells)."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    return abs(row - row[:, np.newaxis]) + abs(column - column[:, np.newaxis])
