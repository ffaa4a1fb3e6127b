"""Maps as jump point search sees them: pruning rules, and lines of bits that say where a scan stops.

The rules are those of jump point search without cutting corners (Harabor and Grastien, AAAI 2011 and ICAPS 2014). Among
paths of equal cost, those with diagonal moves first are followed. After a straight move, this leaves the same move, and
beside an obstacle that has just been passed, the turns to that side. After a diagonal move, it leaves this move and its
two straight parts.

A straight scan stops at a cell with such a turn (a jump point), and at the last cell before an obstacle. For each
direction, one bit per cell says whether a scan stops there. The bits of a line of cells are consecutive, so that a scan
looks at up to 64 cells at once. With preprocessing, a diagonal scan has such lines, too: it stops at the last cell before
an obstacle, and where one of the two straight scans finds a jump point.

Moves are numbered as in `worlds.gridmap.search`. Everything is derived from the possible moves from each cell, so that
water and ground stay apart.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from worlds.gridmap.instance import SharedMap
from worlds.gridmap.rules import STEP
from worlds.gridmap.search import HEIGHT as PACKED_HEIGHT
from worlds.gridmap.search import MASKS
from worlds.gridmap.search import WIDTH as PACKED_WIDTH

# Layout of the map: its width; per move, dx and dy; per move, the number of the bit of cell (0, 0), and what x and y add
# to it, so that a move adds 1 (FIRST_BIT is 0 for a direction without lines); per straight move and set of possible
# moves, the natural moves, eight to a number; from MOVES on, the possible moves from each cell, likewise; then the lines.
WIDTH = 0
DX, DY, FIRST_BIT, BIT_X, BIT_Y = range(1, 41, 8)
NATURAL = 41
MOVES = NATURAL + 4 * 256 // 8

_CODES = {step: code for code, step in enumerate(STEP.values())}
_STEPS = tuple(STEP.values())
_KEPT_MAPS = 16
"""Number of maps that stay in memory."""

Cells = NDArray[np.bool_]


def natural_moves(move: int, possible: int) -> int:
    """Return the moves to follow after a straight move, as a set of bits, in a cell with these possible moves.

    A side is open if one can turn to it, but could not have moved there diagonally from the cell before.
    """
    dx, dy = _STEPS[move]
    natural = 1 << move
    for side_x, side_y in ((dy, dx), (-dy, -dx)):
        side, back = _CODES[side_x, side_y], _CODES[side_x - dx, side_y - dy]
        if possible >> side & 1 and not possible >> back & 1:
            natural |= 1 << side | 1 << _CODES[side_x + dx, side_y + dy]
    return natural & possible


@lru_cache(_KEPT_MAPS)
def jump_point_map(shared: SharedMap, preprocess: bool) -> NDArray[np.int64]:
    """Return the map in the layout above, with lines of the four straight directions, or of all with `preprocess`."""
    width, height = int(shared.packed[PACKED_WIDTH]), int(shared.packed[PACKED_HEIGHT])
    table = shared.packed[MASKS:]
    possible = table.astype("<i8").view(np.uint8)[: width * height].reshape(height, width)
    world = np.zeros(MOVES, np.int64)
    world[WIDTH] = width
    world[DX : DX + 8], world[DY : DY + 8] = np.array(_STEPS).T
    world[NATURAL:MOVES] = _NATURAL.reshape(-1).view("<i8")
    parts, size = [world, table], MOVES + table.size
    for move, stops in enumerate(_stops(possible, preprocess)):
        bits, first, per_x, per_y = _lines(stops, move)
        world[FIRST_BIT + move], world[BIT_X + move], world[BIT_Y + move] = 64 * size + first, per_x, per_y
        parts.append(bits)
        size += bits.size
    return np.concatenate(parts)


_NATURAL = np.array([[natural_moves(move, possible) for possible in range(256)] for move in range(4)], np.uint8)


def _stops(possible: NDArray[np.uint8], preprocess: bool) -> list[Cells]:
    """Return for each move the cells in which its scan stops."""
    stops, found = [], []
    for move in range(4):
        can_move = (possible >> move & 1).astype(bool)
        has_turn = (_NATURAL[move] & ~np.uint8(1 << move))[possible] != 0
        stops.append(has_turn | ~can_move)
        found.append(_finds(stops[move], has_turn, can_move, move))
    for move in range(4, 8) if preprocess else ():
        can_move = (possible >> move & 1).astype(bool)
        one, other = straight_parts(move)
        stops.append(~can_move | found[one] | found[other])
    return stops


def straight_parts(move: int) -> tuple[int, int]:
    """Return the horizontal and the vertical part of a diagonal move."""
    dx, dy = _STEPS[move]
    return _CODES[dx, 0], _CODES[0, dy]


def _finds(stops: Cells, has_turn: Cells, can_move: Cells, move: int) -> Cells:
    """Return from which cells a straight scan finds a jump point."""
    stops, has_turn, can_move = (_along(cells, move) for cells in (stops, has_turn, can_move))
    length = stops.shape[1]
    places = np.where(stops, np.arange(length), length)
    next_stop = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    found = np.zeros_like(stops)
    found[:, :-1] = can_move[:, :-1] & np.take_along_axis(has_turn, next_stop[:, 1:], axis=1)
    return _along(found, move, back=True)


def _along(cells: Cells, move: int, *, back: bool = False) -> Cells:
    """Return a view of cells in which a straight move goes along the rows to the right; or from there back."""
    dx, dy = _STEPS[move]
    if dx:
        return cells[:, ::dx]
    return cells.T[::dy] if back else cells[::dy].T


def _lines(stops: Cells, move: int) -> tuple[NDArray[np.int64], int, int, int]:
    """Return the bits of the lines in the direction of a move, the bit of cell (0, 0), and what x and y add to it."""
    height, width = stops.shape
    dx, dy = _STEPS[move]
    if dx == 0:
        first, per_x, per_y, size = (0 if dy > 0 else height - 1), height, dy, width * height
    elif dy == 0:
        first, per_x, per_y, size = (0 if dx > 0 else width - 1), dx, width, width * height
    else:
        # Line x + y or x - y + height - 1, and in it the place of the column.
        first = (0 if dx > 0 else width - 1) + (width * (height - 1) if dx == dy else 0)
        per_x, per_y, size = width + dx, (-width if dx == dy else width), width * (width + height - 1)
    bits = np.zeros(-(-size // 64) * 64, bool)
    np.lib.stride_tricks.as_strided(bits[first:], (height, width), (per_y, per_x))[...] = stops
    return np.packbits(bits, bitorder="little").view("<i8").astype(np.int64), first, per_x, per_y
