"""Heuristics that are sums over the tiles: a table gives the value of each tile in each cell.

A move changes the cell of one tile, so a successor's value is its parent's value plus one difference.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heuristics.in_place import InPlace, Moves
from heuristics.interface import TERM, Heuristic, Term
from worlds.interface import Problem, Words
from worlds.kernel import Kernel, helper
from worlds.npuzzle.instance import PuzzleInstance
from worlds.npuzzle.rules import Board, Puzzle
from worlds.npuzzle.search import CELLS, NEXT, WORDS, Layout, cells_of, layout_of, per_layout, unpack


def puzzle_of(problem: Problem) -> Puzzle:
    """Return the puzzle of a packed problem."""
    assert isinstance(problem.instance, PuzzleInstance)
    return problem.instance.puzzle


@dataclass(frozen=True)
class TileSum(Heuristic):
    """Base of heuristics that are sums over the tiles."""

    @abstractmethod
    def table(self, rows: int, columns: int, goal: Board) -> NDArray[np.int64]:
        """Return the value of each tile in each cell, shape (cells, cells). The first row (the blank) is 0."""

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
    return np.concatenate([problem.world, table.ravel()])


def _term(layout: Layout, backward: bool) -> Kernel:
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

    term.__qualname__ = f"{'backward_' if backward else ''}tile_sum.{layout.name}"  # see `Kernel`
    return Kernel(term, TERM)


_KERNELS = per_layout(lambda layout: _term(layout, backward=False))
_BACKWARD = per_layout(lambda layout: _term(layout, backward=True))


# In place: `params` holds the number of cells; for each cell five places that list where the blank can go from there,
# ended by -1; and for each tile, its cell and the blank's cell, the change of the value when the tile moves there.
@helper
def load(params, board, frames):
    """Do nothing: the estimate needs no frame."""
    return 0


@helper
def destination(params, blank, move):
    """Return the cell where the blank goes by its move number `move`."""
    return params[1 + 5 * blank + move]


@helper
def estimate(params, board, frames, frame, h, blank, cell):
    """Return the value after the tile in a cell has moved to the blank."""
    cells = params[0]
    return h + params[1 + 5 * cells + (board[cell] * cells + cell) * cells + blank]


@helper
def exchange(params, board, blank, cell):
    """Move the tile in a cell to the blank."""
    board[blank] = board[cell]
    board[cell] = 0


MOVES = Moves("tile_sum", load, destination, estimate, exchange)


def _in_place(problem: Problem, table: NDArray[np.int64]) -> InPlace:
    cells = cells_of(problem)
    change = table[:, np.newaxis, :] - table[:, :, np.newaxis]
    params = np.concatenate([[cells], destinations(problem).ravel(), change.ravel()])
    return InPlace(MOVES, params, board_of, code_between)


def destinations(problem: Problem) -> NDArray[np.int64]:
    """Return where the blank can go from each cell, in the order of the successors, ended by -1. Shape (cells, 5)."""
    cells = cells_of(problem)
    table = np.full((cells, 5), -1, np.int64)
    for cell, row in enumerate(problem.world[NEXT : NEXT + 4 * cells].reshape(cells, 4)):
        found = row[row >= 0]
        table[cell, : found.size] = found
    return table


def board_of(problem: Problem, state: Words) -> tuple[NDArray[np.int32], int]:
    """Return the tiles of a packed state by cells, and the cell of its blank."""
    board = unpack(state, cells_of(problem))
    return np.array(board, np.int32), board.index(0)


def code_between(problem: Problem, blank: int, cell: int) -> int:
    """Return the action code of the move that takes the blank from one cell to another."""
    return int(np.flatnonzero(problem.world[NEXT + 4 * blank : NEXT + 4 * blank + 4] == cell)[0])
