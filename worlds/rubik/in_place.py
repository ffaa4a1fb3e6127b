"""Turns in place. The position is the last turn, or the number of turns at the start."""

from __future__ import annotations

from functools import cache

import numpy as np

from worlds.compile import helper
from worlds.interface import InPlaceProblem, Move
from worlds.rubik.rules import CUBIES, SLOTS, State, inverse, redundant_pairs, slots_after

# Layout of the board: the slot of each cubie, the number of turns, and the slot to which each turn, and then the
# inverse of each turn, takes each slot.
TURN_COUNT, TABLES = len(CUBIES), len(CUBIES) + 1
_CUBIES, _SLOTS = len(CUBIES), len(SLOTS)


@helper
def make_turn(board, before, turn):
    """Turn a face."""
    for cubie in range(_CUBIES):
        board[cubie] = board[TABLES + _SLOTS * turn + board[cubie]]


@helper
def undo_turn(board, before, turn):
    """Turn the face back."""
    make_turn(board, before, turn + board[TURN_COUNT])


def in_place(start: State, turns: tuple[str, ...]) -> InPlaceProblem:
    """Return the problem. The entry of a move is the number of the turn."""
    tables = [slot for turn in (*turns, *map(inverse, turns)) for slot in slots_after(turn)]
    board = np.array([*start, len(turns), *tables], np.uint8)
    return InPlaceProblem(make_turn, undo_turn, board, len(turns), sequences(turns), len(turns))


@cache
def sequences(turns: tuple[str, ...]) -> tuple[tuple[Move, ...], ...]:
    """Return the turns that may follow each turn, and last those at the start."""
    redundant = redundant_pairs(turns)
    return tuple(
        tuple(Move(turn, turn, turn, turn) for turn in range(len(turns)) if (last, turn) not in redundant)
        for last in range(len(turns) + 1)
    )
