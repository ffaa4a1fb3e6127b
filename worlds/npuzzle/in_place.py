"""Moves of the n-puzzle in place: the blank exchanges places with a tile. The position is the cell of the blank."""

from __future__ import annotations

from functools import cache

import numpy as np

from worlds.compile import as_index, helper
from worlds.interface import InPlaceProblem, Move
from worlds.npuzzle.rules import MOVES, Puzzle
from worlds.npuzzle.search import next_cells

_DIRECTIONS = len(MOVES)


@helper
def slide(board, blank, cell):
    """Move the tile in a cell to the blank."""
    cells, tile = as_index(board.size >> 1), board[cell]
    board[blank] = tile
    board[cell] = 0
    board[cells + tile] = blank


@helper
def slide_back(board, blank, cell):
    """Move the tile in the blank's former cell back."""
    slide(board, cell, blank)


def in_place(puzzle: Puzzle) -> InPlaceProblem:
    """Return the problem with a board of the tile in each cell, and behind it the cell of each tile.

    That of the blank, which is the position, is not kept up to date. The entry of a move is ``(4 * blank + direction) *
    cells``, for tables by move and tile.
    """
    blank, cells = puzzle.board.index(0), len(puzzle.board)
    board = np.array([*puzzle.board, *np.argsort(puzzle.board)], np.uint8)
    sequences = _sequences(puzzle.rows, puzzle.columns)
    return InPlaceProblem(slide, slide_back, board, blank, sequences, _DIRECTIONS * cells + blank)


@cache
def _sequences(rows: int, columns: int) -> tuple[tuple[Move, ...], ...]:
    """Return the moves after each direction (4: none), from each cell: sequence number ``direction * cells + blank``.

    On a board of 2x2 or more, some move always follows.
    """
    cells, next_cell = rows * columns, next_cells(rows, columns).tolist()
    return tuple(
        tuple(
            Move(to, code * cells + to, code, (_DIRECTIONS * blank + code) * cells)
            for code, to in enumerate(next_cell[blank])
            if to >= 0 and code != _DIRECTIONS - 1 - last
        )
        for last in range(_DIRECTIONS + 1)
        for blank in range(cells)
    )
