"""Additional moves to shift a blocked path sideways until it is free."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import is_bent, is_blocked, segment_is_blocked, sum_of_legs
from heuristics.wumpus.obstacle import l_path_is_blocked, straight_is_blocked
from worlds.compile import helper
from worlds.wumpus.search import REGION_BOTTOM, REGION_LEFT, REGION_RIGHT, REGION_TOP, column_of, row_of


@compiled_heuristic(
    "iterative_shift",
    domain="wumpus",
    builds_on=("manhattan", "pivots", "obstacle"),
    admissible=False,
    consistent=False,
    safe=True,
)
def iterative_shift(constants, state, as_published=False):
    """Per leg: 2 moves for every sideways shift of a blocked path until a copy of it is free.

    A straight path shifts to the better side. Of an L-path only the part after the corner shifts: free of charge
    towards the origin, and for 2 moves per shift away from it. The better of the two L-paths counts. A shifted copy is
    blocked if one of its pits touches, also diagonally, a pit of the copy before; otherwise the hunter can pass between
    them.

    Neither admissible nor consistent: a detour need not keep the shape of the path. Source: UniBZ assignment 2021/22,
    ``MANHATTAN_ITERATIVE_SHIFT``.

    Parameters
    ----------
    as_published : bool
        As the published program: L-paths add nothing, and any pit in a shifted copy blocks it.
    """
    return sum_of_legs(shift_leg, constants, state, as_published)


@helper
def is_blocked_at(constants, vertical, line, position):
    """Return whether a square is blocked: row `position` of column `line`, or column `position` of row `line`."""
    return is_blocked(constants, line, position) if vertical else is_blocked(constants, position, line)


@helper
def is_in_region(constants, vertical, line):
    """Return whether a column (or row) lies inside the cave, or inside the rectangle left by pruning."""
    if vertical:
        return constants[REGION_LEFT] <= line <= constants[REGION_RIGHT]
    return constants[REGION_BOTTOM] <= line <= constants[REGION_TOP]


@helper
def has_pit(constants, vertical, line, low, high):
    """Return whether a copy of the path, on `line` between two positions (included), has a pit."""
    if low > high:
        return False
    if vertical:
        return segment_is_blocked(constants, line, low, line, high)
    return segment_is_blocked(constants, low, line, high, line)


@helper
def touches(constants, vertical, line, low, high, side):
    """Return whether a pit of the copy on `line` touches one of the copy before it. `side` is the shift's direction."""
    for position in range(low, high + 1):
        if is_blocked_at(constants, vertical, line, position):
            for other in range(max(low, position - 1), min(high, position + 1) + 1):
                if is_blocked_at(constants, vertical, line - side, other):
                    return True
    return False


@helper
def shifts(constants, vertical, line, low, high, side):
    """Return the number of shifts to one side until a path is free; negative if it reaches the edge first."""
    count = 1
    while is_in_region(constants, vertical, line + side * count):
        if not touches(constants, vertical, line + side * count, low, high, side):
            return count
        count += 1
    return -count


@helper
def straight_line(origin, target):
    """Return the line of a straight leg: whether it is a column, its number, and its lowest and highest position."""
    vertical = column_of(origin) == column_of(target)
    line = column_of(origin) if vertical else row_of(origin)
    a = row_of(origin) if vertical else column_of(origin)
    b = row_of(target) if vertical else column_of(target)
    return vertical, line, min(a, b), max(a, b)


@helper
def straight_shift(constants, origin, target):
    """Return the additional moves of a blocked straight leg."""
    vertical, line, low, high = straight_line(origin, target)
    one, other = shifts(constants, vertical, line, low, high, 1), shifts(constants, vertical, line, low, high, -1)
    if one > 0 and other > 0:
        return 2 * min(one, other)
    if one < 0 and other < 0:
        return -2 * max(one, other)
    return 2 * max(one, other)


@helper
def second_part_shift(constants, vertical, origin_line, line, low, high):
    """Return the additional moves of an L-path whose part after the corner is on `line` between two positions."""
    if not has_pit(constants, vertical, line, low, high):
        return 0
    inwards = 1 if origin_line > line else -1
    at = line + inwards
    while at != origin_line + inwards:
        if not touches(constants, vertical, at, low, high, inwards):
            return 0
        at += inwards
    return 2 * abs(shifts(constants, vertical, line, low, high, -inwards))


@helper
def shift_leg(constants, origin, target, facings, as_published):
    """Return the additional moves."""
    if origin == target:
        return 0
    if as_published:
        return 0 if is_bent(constants, origin, target) else published_shift(constants, origin, target)
    if not is_bent(constants, origin, target):
        return straight_shift(constants, origin, target) if straight_is_blocked(constants, origin, target) else 0
    if not l_path_is_blocked(constants, origin, target, True) or not l_path_is_blocked(
        constants, origin, target, False
    ):
        return 0
    x1, y1, x2, y2 = column_of(origin), row_of(origin), column_of(target), row_of(target)
    # The part that shifts need not contain the target: it is free, or the leg has no path at all.
    dx, dy = 1 if x2 > x1 else -1, 1 if y2 > y1 else -1
    row_last = second_part_shift(constants, False, y1, y2, min(x1, x2 - dx), max(x1, x2 - dx))
    column_last = second_part_shift(constants, True, x1, x2, min(y1, y2 - dy), max(y1, y2 - dy))
    return min(row_last, column_last)


@helper
def published_side(constants, vertical, line, low, high, side):
    """Count consecutive copies, the unshifted one first, that lie inside and have a pit."""
    count = 0
    if not (is_in_region(constants, not vertical, low) and is_in_region(constants, not vertical, high)):
        return count
    while is_in_region(constants, vertical, line + side * count):
        if not has_pit(constants, vertical, line + side * count, low, high):
            break
        count += 1
    return count


@helper
def published_shift(constants, origin, target):
    """Return the additional moves of a straight leg by the published program."""
    vertical, line, low, high = straight_line(origin, target)
    one = published_side(constants, vertical, line, low + 1, high - 1, 1)
    return 2 * min(one, published_side(constants, vertical, line, low + 1, high - 1, -1))
