"""Maps as jump point search sees them: pruning rules, and bits that tell where a scan stops.

The rules are those of jump point search without cutting corners (Harabor and Grastien, AAAI 2011). Of the paths with
equal costs, those with the diagonal moves first are followed. So after a straight move only the same move remains, and
beside an obstacle that has just been passed, the turns to its side. After a diagonal move, the same move and its two
straight parts remain.

A straight scan stops at a cell with such a turn, or at the last cell before an obstacle. One bit per cell and direction
tells where scans stop. The bits of a line of cells are consecutive, so that a scan looks at up to 64 cells at once
(Harabor and Grastien, ICAPS 2014). With preprocessing, there are such bits for the diagonal directions, too: a diagonal
scan stops where a straight scan in one of its parts finds a turn, or at the last cell before an obstacle.

Everything is derived from the possible moves from each cell, so that water and ground stay apart. Moves have the codes
of `worlds.gridmap.search`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import as_index, helper, kernel
from worlds.compile.operations import trailing_zeros
from worlds.gridmap.rules import STEP
from worlds.gridmap.search import MASKS, WIDTH, byte_of
from worlds.gridmap.world import SharedMap

# Layout of a map: its width (at 0, as in the packed map, so that cells have the same numbers); per move, dx and dy; per
# move, the number of the bit of the cell (0, 0), and what x and y add to it, so that a move adds 1 (the number is 0 for
# moves without bits); per move and set of possible moves, the natural moves, eight to a number; from MOVES on, the
# possible moves from each cell, likewise; then the bits.
DX, DY, FIRST_BIT, BIT_X, BIT_Y = range(WIDTH + 1, WIDTH + 41, 8)
NATURAL = 41
MOVES = NATURAL + 8 * 256 // 8

_STEPS = tuple(STEP.values())
_CODES = {step: code for code, step in enumerate(_STEPS)}
_KEPT_MAPS = 16
"""Number of maps that stay in memory."""


def natural_moves(move: int, possible: int) -> int:
    """Return the moves to follow after a move, as bits, in a cell with these possible moves.

    After a straight move, one can turn to a side if one could not have moved there diagonally from the cell before.
    """
    dx, dy = _STEPS[move]
    if dx and dy:
        return possible & (1 << move | 1 << _CODES[dx, 0] | 1 << _CODES[0, dy])
    natural = 1 << move
    for side_x, side_y in ((dy, dx), (-dy, -dx)):
        side, back = _CODES[side_x, side_y], _CODES[side_x - dx, side_y - dy]
        if possible >> side & 1 and not possible >> back & 1:
            natural |= 1 << side | 1 << _CODES[side_x + dx, side_y + dy]
    return possible & natural


_NATURAL = np.array([[natural_moves(move, possible) for possible in range(256)] for move in range(8)], np.uint8)


@lru_cache(_KEPT_MAPS)
def jump_point_map(shared: SharedMap, preprocess: bool) -> NDArray[np.int64]:
    """Return a map in the layout above, with the bits of the straight moves, or of all moves with `preprocess`.

    For a map of w x h cells, it takes 1.5 w h bytes. Preprocessing adds w (w + h) / 2 bytes.
    """
    width, height = shared.grid.width, shared.grid.height
    moves = shared.packed[MASKS:]
    header = np.zeros(MOVES, np.int64)
    header[WIDTH] = width
    header[DX : DX + 8], header[DY : DY + 8] = zip(*_STEPS, strict=True)
    header[NATURAL:MOVES] = _NATURAL.reshape(-1).view("<i8")
    size = MOVES + moves.size
    for move in range(8 if preprocess else 4):
        first, per_x, per_y, bits = _lines(width, height, move)
        header[FIRST_BIT + move], header[BIT_X + move], header[BIT_Y + move] = 64 * size + first, per_x, per_y
        size += -(-bits // 64)
    if 64 * size >= 1 << 31:
        raise ValueError(f"a map of {width} x {height} cells is too large for jump point search")
    world = np.concatenate([header, moves, np.zeros(size - MOVES - moves.size, np.int64)])
    mark_stops.compiled(world, height)
    return world


def _lines(width: int, height: int, move: int) -> tuple[int, int, int, int]:
    """Return the number of the bit of the cell (0, 0), what x and y add to it, and the number of bits."""
    dx, dy = _STEPS[move]
    if dx == 0:
        return (0 if dy > 0 else height - 1), height, dy, width * height
    first = 0 if dx > 0 else width - 1
    if dy == 0:
        return first, dx, width, width * height
    # A diagonal is a line of `width` bits. Its number is x + y, or x - y + height - 1.
    if dx == dy:
        return first + width * (height - 1), width + dx, -width, width * (width + height - 1)
    return first, width + dx, width, width * (width + height - 1)


@kernel("int64(int64[::1], int64)")
def mark_stops(world, height):
    """Set the bits of all cells in which scans stop."""
    width = world[WIDTH]
    for move in range(8):
        if world[FIRST_BIT + move] == 0:
            continue
        for y in range(height):
            for x in range(width):
                stops = possible_moves(world, x, y) >> move & 1 == 0
                if move < 4:
                    stops |= has_turn(world, x, y, move)
                else:
                    stops |= finds_turn(world, x, y, horizontal_part(world, move))
                    stops |= finds_turn(world, x, y, vertical_part(world, move))
                bit = bit_of(world, x, y, move)
                world[bit >> 6] |= np.int64(stops) << (bit & 63)
    return 0


@helper
def possible_moves(world, x, y):
    """Return the moves that are possible from a cell, as bits."""
    return byte_of(world, MOVES, as_index(y * world[WIDTH] + x))


@helper
def natural_moves_in(world, x, y, move):
    """Return the moves to follow in a cell after a move, as bits (`natural_moves`)."""
    return byte_of(world, NATURAL, move << 8 | possible_moves(world, x, y))


@helper
def has_turn(world, x, y, move):
    """Return whether one can turn in a cell after a straight move."""
    return natural_moves_in(world, x, y, move) & ~(1 << move) != 0


@helper
def finds_turn(world, x, y, move):
    """Return whether a straight scan from a cell finds a cell where one can turn."""
    if possible_moves(world, x, y) >> move & 1 == 0:
        return False
    steps = steps_to_stop(world, x, y, move)
    return has_turn(world, x + steps * world[DX + move], y + steps * world[DY + move], move)


@helper
def horizontal_part(world, move):
    """Return the horizontal part of a diagonal move: E or W."""
    return (1 - world[DX + move]) >> 1


@helper
def vertical_part(world, move):
    """Return the vertical part of a diagonal move: S or N."""
    return 2 + ((1 - world[DY + move]) >> 1)


@helper
def bit_of(world, x, y, move):
    """Return the number of the bit that tells whether a scan stops in a cell."""
    return as_index(world[FIRST_BIT + move] + x * world[BIT_X + move] + y * world[BIT_Y + move])


@helper
def steps_to_stop(world, x, y, move):
    """Return the number of moves, at least 1, after which a scan stops. The move must be possible."""
    here = bit_of(world, x, y, move)
    at = (here + 1) >> 6
    stops = np.uint64(world[at]) >> np.uint64((here + 1) & 63)
    if stops != 0:
        return 1 + trailing_zeros(stops)
    at += 1
    while world[at] == 0:
        at += 1
    return (at << 6) + trailing_zeros(np.uint64(world[at])) - here
