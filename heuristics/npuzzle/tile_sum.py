"""Heuristics that are sums over the tiles: a table gives the value of each tile in each cell.

A move changes the cell of one tile, so a successor's value is its parent's value plus one difference.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import TERM, Heuristic, Term
from worlds.compile import Kernel, helper
from worlds.interface import InPlaceTerm, Problem
from worlds.npuzzle.rules import Board, Puzzle
from worlds.npuzzle.search import CELLS, NEXT, WORDS, BoardLayout, cells_of, layout_of, per_layout
from worlds.npuzzle.world import PuzzleWorld


def puzzle_of(problem: Problem) -> Puzzle:
    """Return the puzzle of a packed problem."""
    assert isinstance(problem.world, PuzzleWorld)
    return problem.world.puzzle


@dataclass(frozen=True)
class TileSum(Heuristic):
    """Base of heuristics that are sums over the tiles."""

    @abstractmethod
    def table(self, rows: int, columns: int, goal: Board) -> NDArray[np.int64]:
        """Return the value of each tile in each cell, shape (cells, cells). The first row (the blank) is 0.

        A value is 0 in the goal cell and positive elsewhere. A move changes it by at most 127.
        """

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        table = self._table(problem, puzzle_of(problem).goal)
        layout = layout_of(cells_of(problem))
        return Term(_KERNELS[layout], _params(problem, table), in_place=partial(_in_place, problem, table))

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the packed world, with the start board as the goal."""
        puzzle = puzzle_of(problem)
        return Term(_BACKWARD[layout_of(len(puzzle.board))], _params(problem, self._table(problem, puzzle.board)))

    def _table(self, problem: Problem, goal: Board) -> NDArray[np.int64]:
        puzzle = puzzle_of(problem)
        return self.table(puzzle.rows, puzzle.columns, goal)


def _params(problem: Problem, table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the packed world followed by the table."""
    return np.concatenate([problem.constants, table.ravel()])


def _term(layout: BoardLayout, backward: bool) -> Kernel:
    blank_of, tile_of = layout.blank, layout.tile

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        cells, words = params[CELLS], params[WORDS]
        table = NEXT + 4 * cells + words
        if parent_h < 0:
            for k in range(n):
                value = 0
                for cell in range(cells):
                    value += params[table + tile_of(out, out_at + k * words, params, cell) * cells + cell]
                h[slot + k] += value
            return 0
        blank = blank_of(states, parent_at, params)
        for k in range(n):
            code = np.int64(action[slot + k])
            cell = params[NEXT + 4 * blank + (3 - code if backward else code)]
            at = table + tile_of(states, parent_at, params, cell) * cells
            h[slot + k] += parent_h + params[at + blank] - params[at + cell]
        return 0

    term.__qualname__ = f"{'backward_' if backward else ''}tile_sum.{layout.name}"  # its own name in the disk cache
    return Kernel(term, TERM)


_KERNELS = per_layout(lambda layout: _term(layout, backward=False))
_BACKWARD = per_layout(lambda layout: _term(layout, backward=True))


@helper
def change_by_tile(table, board, blank, cell, entry, frames, parent, child, enough):
    """Return the change of the value when a tile moves to the blank."""
    return np.int64(table[entry + board[cell]])


def _in_place(problem: Problem, table: NDArray[np.int64]) -> InPlaceTerm:
    """Return the term in place. Its table holds the changes by the index of a move (blank, direction) and the tile."""
    destinations = problem.constants[NEXT : NEXT + 4 * cells_of(problem)].reshape(-1, 4)
    changes = table[:, :, np.newaxis] - table[:, destinations]  # by tile, blank, direction
    changes[:, destinations < 0] = 0
    return InPlaceTerm(change_by_tile, changes.transpose(1, 2, 0).astype(np.int8).ravel())
