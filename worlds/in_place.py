"""Moves that a depth-first search makes and undoes on one board, instead of writing out successors.

They suit worlds in which every step costs 1 and a move changes few cells of a board, such as sliding puzzles and other
permutation puzzles. A world offers them with its problem (`worlds.interface.Problem.in_place`).

A move is one word of a table. The moves that may follow a move stand in consecutive words, in the order of the
successors, without the move that undoes it. So a search tests nothing. From the lowest bit on, a word holds: where the
move leads (8 bits), the index of the first move that may follow it (20 bits), a number that heuristics use as an index
into their tables (35 bits), and a bit that marks the last move of its sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import helper

Helper = Callable[..., Any]

LAST_MOVE = np.uint64(1 << 63)
"""Bit of the last move of a sequence, the highest. Words from this number on have it."""

_POSITION = np.uint64(0xFF)
_SEQUENCE_SHIFT, _SEQUENCE = np.uint64(8), np.uint64(0xFFFFF)
_INDEX_SHIFT, _INDEX = np.uint64(28), np.uint64(0x7FFFFFFFF)


@dataclass(frozen=True)
class Moves:
    """Helpers (`worlds.compile.kernel.helper`) that change a board.

    A position is a small number that the board leaves open: for example the cell of the blank, or the last move. It
    must be at most 255.

    Attributes
    ----------
    name : str
        Name that distinguishes these moves from others.
    make : helper
        ``make(board, position, to)`` makes the move that leads from a position to another.
    undo : helper
        ``undo(board, position, to)`` undoes this move.
    """

    name: str
    make: Helper
    undo: Helper


@dataclass(frozen=True, eq=False)
class InPlaceProblem:
    """A problem whose board is changed in place.

    Attributes
    ----------
    moves : Moves
    table : ndarray of uint64
        Moves, as `pack_move` returns them.
    board : ndarray of uint8
        Board of the start, in the layout of the world.
    position : int
        Position of the start.
    first : int
        Index of the first move from the start.
    code_of : callable
        ``code_of(position, to)`` returns the action code of a move.
    """

    moves: Moves
    table: NDArray[np.uint64]
    board: NDArray[np.uint8]
    position: int
    first: int
    code_of: Callable[[int, int], int]


def pack_move(to: int, following: int, index: int, *, is_last: bool) -> int:
    """Return the word of a move.

    Parameters
    ----------
    to : int
        Position to which it leads.
    following : int
        Index of the first move that may follow.
    index : int
        Index that heuristics use.
    is_last : bool
        Whether it is the last move of its sequence.

    Raises
    ------
    ValueError
        If a number has too many bits.
    """
    if not (0 <= to <= _POSITION and 0 <= following <= _SEQUENCE and 0 <= index <= _INDEX):
        raise ValueError(f"a move in place has too large a number: {(to, following, index)}")
    return int(is_last) << 63 | index << 28 | following << 8 | to


@helper
def destination(move):
    """Return the position to which a move leads."""
    return move & _POSITION


@helper
def first_following(move):
    """Return the index of the first move that may follow a move."""
    return (move >> _SEQUENCE_SHIFT) & _SEQUENCE


@helper
def index_of(move):
    """Return the index of a move in tables of heuristics."""
    return (move >> _INDEX_SHIFT) & _INDEX
