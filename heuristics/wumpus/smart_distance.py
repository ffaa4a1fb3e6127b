"""Smart distance of the Green team: estimate of a leg from the pits and blocks in the rectangle that it spans.

A path is monotone if every move leads nearer to its target. The distance from a square to the gold or to the exit does
not depend on the rest of a state, so it is tabulated. The tables are the variant of the distance, and for each of the
two targets a number for every square. The published distance of a square is computed on first use (0: not yet); the
numbers of the other variants are computed beforehand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heuristics.wumpus.legs import directions, distance, is_blocked, quarter_turns, turns
from worlds.compile import helper, kernel
from worlds.interface import Problem
from worlds.wumpus.search import EXIT, GOLD, HEIGHT, WIDTH, column_of, index_of, row_of

DOCUMENT, CORRECTED, PUBLISHED = range(3)
NO_FACING = -1
DETOUR = 4
"""Extra cost if no monotone path is free: at least two more moves and two turns."""
_MAX_TURNS = 3
_NO_PATH = np.int64(1 << 20)


def smart_tables(problem: Problem, as_published: bool = False, corrected: bool = False) -> NDArray[np.int64]:
    """Return the variant of the distance and the tables of both targets."""
    constants = problem.constants
    tables = np.zeros((2, int(constants[HEIGHT]), int(constants[WIDTH])), np.int64)
    if not as_published:
        for table, target in zip(tables, (constants[GOLD], constants[EXIT]), strict=True):
            find_turns.compiled(constants, target, table)
    variant = PUBLISHED if as_published else CORRECTED if corrected else DOCUMENT
    return np.concatenate([[variant], tables.ravel()])


@helper
def variant_of(constants):
    """Return DOCUMENT, CORRECTED or PUBLISHED."""
    return constants[constants[-1]]


@helper
def place_of(constants, origin, target):
    """Return the place of a leg's number in `constants`. `target` is the gold or the exit."""
    place = constants[-1] + 1 + index_of(constants, origin)
    return place + constants[WIDTH] * constants[HEIGHT] if target == constants[EXIT] else place


@helper
def smart_leg(constants, origin, target, facing):
    """Return the distance of a leg for a hunter with a given facing, or with any (NO_FACING).

    DOCUMENT: moves; turns of the best monotone path (at most 3), or 4 if none is free; and turns to a direction that
    leads nearer. CORRECTED: see `corrected_leg`. PUBLISHED: see `published_distance`.
    """
    if origin == target:
        return 0
    variant = variant_of(constants)
    if variant == CORRECTED:
        return corrected_leg(constants, origin, target, facing)
    first = 0 if facing == NO_FACING else turns(1 << facing, directions(constants, origin, target))
    if variant == PUBLISHED:
        place = place_of(constants, origin, target)
        if constants[place] == 0:
            constants[place] = 1 + published_distance(constants, origin, target)
        return first + constants[place] - 1
    horizontal, vertical = turns_of_paths(constants, origin, target)
    bends = min(horizontal, vertical)
    return first + distance(origin, target) + (DETOUR if bends >= _NO_PATH else min(bends, _MAX_TURNS))


@helper
def corrected_leg(constants, origin, target, facing):
    """Return the distance plus the turns of the best monotone path, first turns included, but at most `DETOUR`.

    A path that is not monotone has at least two more moves, one away from the target and one back, and at least two
    turns between these, whatever the first facing.
    """
    horizontal, vertical = turns_of_paths(constants, origin, target)
    if facing != NO_FACING:
        horizontal += quarter_turns(facing, 1 if column_of(target) > column_of(origin) else 3)
        vertical += quarter_turns(facing, 0 if row_of(target) > row_of(origin) else 2)
    return distance(origin, target) + min(DETOUR, horizontal, vertical)


@helper
def turns_of_paths(constants, origin, target):
    """Return the fewest turns of a free monotone path that begins with a horizontal move, and with a vertical one.

    `_NO_PATH` or more stands for no such path.
    """
    known = constants[place_of(constants, origin, target)]
    return known >> 32, known & 0xFFFFFFFF


@kernel("int64(int64[::1], int64, int64[:, ::1])")
def find_turns(constants, target, table):
    """Write the turns of the paths from all squares, as `turns_of_paths` reads them, starting at the target.

    A path that begins horizontally continues from the next square. It turns there if it continues vertically.
    """
    height, width = table.shape
    x, y = column_of(target), row_of(target)
    for row in range(height):
        for step_y in (-1, 1):
            at_y = y + step_y * row
            if not 0 <= at_y < height:
                continue
            for column in range(width):
                for step_x in (-1, 1):
                    at_x = x + step_x * column
                    if not 0 <= at_x < width:
                        continue
                    horizontal = vertical = _NO_PATH
                    if is_blocked(constants, at_x, at_y):
                        pass
                    elif row == 0 and column == 0:
                        horizontal = vertical = np.int64(0)
                    else:
                        if column > 0:
                            nearer = table[at_y, at_x - step_x]
                            horizontal = min(nearer >> 32, (nearer & 0xFFFFFFFF) + 1)
                        if row > 0:
                            nearer = table[at_y - step_y, at_x]
                            vertical = min(nearer & 0xFFFFFFFF, (nearer >> 32) + 1)
                    table[at_y, at_x] = horizontal << 32 | vertical
    return 0


@helper
def published_distance(constants, origin, target):
    """Return the distance by the published program, whose rectangle is often mirrored, or wrapped around its edge.

    Row by row, it finds the squares that are reachable from the anchor by moves to the right and up.
    """
    d = distance(origin, target)
    dx, dy = column_of(origin) - column_of(target), row_of(origin) - row_of(target)
    width, height = abs(dx) + 1, abs(dy) + 1
    left, bottom = min(column_of(origin), column_of(target)), min(row_of(origin), row_of(target))
    step = 1
    anchor = column_of(origin) if dy <= 0 else column_of(target)
    if (dx == 1 and dy == -1) or (dx == -1 and dy == 1):
        anchor, step = left + 1, -1
    reach, before = np.zeros(width, np.bool_), np.zeros(width, np.bool_)
    in_every_row = np.ones(width, np.bool_)
    full_rows, single, first_full = 0, True, False
    count = 0
    for row in range(height):
        count = 0
        for column in range(width):
            x = left + (anchor - left + step * column) % width
            entered = (before[column] if row > 0 else column == 0) or (column > 0 and reach[column - 1])
            reach[column] = entered and not is_blocked(constants, x, bottom + row)
            in_every_row[column] = in_every_row[column] and reach[column]
            count += 1 if reach[column] else 0
        if count == 0:
            return d + DETOUR
        single = single and count == 1
        full_rows += 1 if count == width else 0
        first_full = count == width if row == 0 else first_full
        before[:] = reach
    if not reach[width - 1]:
        return d + DETOUR
    if height == 1 or single:
        return d
    if (first_full and in_every_row[width - 1]) or (count == width and in_every_row[0]):
        return d + 1
    return d + 2 if full_rows > 0 or np.any(in_every_row) else d + 3
