"""Moves of the n-puzzle in place: the blank exchanges places with a tile. The position is the cell of the blank."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import helper
from worlds.in_place import InPlaceProblem, Moves, pack_move
from worlds.npuzzle.rules import MOVES, Puzzle
from worlds.npuzzle.search import next_cells

_DIRECTIONS = len(MOVES)


@helper
def slide(board, blank, cell):
    """Move the tile in a cell to the blank."""
    board[blank] = board[cell]
    board[cell] = 0


@helper
def slide_back(board, blank, cell):
    """Move the tile in the blank's former cell back."""
    board[cell] = board[blank]
    board[blank] = 0


@helper
def slide_with_inverse(board, blank, cell):
    """Move the tile in a cell to the blank, on a board that is followed by the cell of each tile."""
    cells = board.size >> 1
    tile = np.int64(board[cell])
    board[blank] = tile
    board[cell] = 0
    board[cells + tile] = blank
    board[cells] = cell


@helper
def slide_back_with_inverse(board, blank, cell):
    """Move the tile in the blank's former cell back, on a board that is followed by the cell of each tile."""
    slide_with_inverse(board, cell, blank)


PLAIN = Moves("slide", slide, slide_back)
WITH_INVERSE = Moves("slide_with_inverse", slide_with_inverse, slide_back_with_inverse)


def in_place(puzzle: Puzzle, *, with_inverse: bool) -> InPlaceProblem:
    """Return the problem with a board of uint8: the tile in each cell.

    The index of a move is ``(4 * blank + direction) * cells``, for tables by move and tile.

    Parameters
    ----------
    with_inverse : bool
        Let the cell of each tile follow.
    """
    cells = len(puzzle.board)
    board = np.array(puzzle.board, np.uint8)
    if with_inverse:
        board = np.concatenate([board, np.argsort(board).astype(np.uint8)])
    blank = puzzle.board.index(0)
    next_cell = next_cells(puzzle.rows, puzzle.columns)

    def code_of(position: int, to: int) -> int:
        return int(np.flatnonzero(next_cell[position] == to)[0])

    moves = WITH_INVERSE if with_inverse else PLAIN
    first = _sequence(_DIRECTIONS, blank, cells)
    return InPlaceProblem(moves, _table(puzzle.rows, puzzle.columns), board, blank, first, code_of)


def _sequence(last: int, blank: int, cells: int) -> int:
    """Return the index of the first move after the direction `last` (4: none), from the cell of the blank."""
    return (last * cells + blank) * _DIRECTIONS


@cache
def _table(rows: int, columns: int) -> NDArray[np.uint64]:
    """Return the moves after each direction, from each cell. On a board of 2x2 or more, some move always follows."""
    cells = rows * columns
    next_cell = next_cells(rows, columns)
    table = np.zeros((_DIRECTIONS + 1) * cells * _DIRECTIONS, np.uint64)
    for last in range(_DIRECTIONS + 1):
        for blank in range(cells):
            undoing = _DIRECTIONS - 1 - last
            possible = [code for code in range(_DIRECTIONS) if next_cell[blank, code] >= 0 and code != undoing]
            for number, code in enumerate(possible):
                to, index = int(next_cell[blank, code]), (_DIRECTIONS * blank + code) * cells
                word = pack_move(to, _sequence(code, to, cells), index, is_last=code == possible[-1])
                table[_sequence(last, blank, cells) + number] = word
    return table
