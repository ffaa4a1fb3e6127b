"""Additional turns where pits block the Manhattan paths of a leg."""

from __future__ import annotations

from heuristics.interface import compiled_heuristic
from heuristics.wumpus.legs import directions, is_bent, is_blocked, segment_is_blocked, sum_of_legs
from worlds.compile import helper
from worlds.wumpus.search import ROW_SHIFT, column_of, row_of


@compiled_heuristic(
    "obstacle",
    domain="wumpus",
    builds_on=("manhattan", "pivots"),
    admissible=lambda heuristic: not heuristic.as_published,
    consistent=False,
    safe=True,
)
def obstacle(constants, state, as_published=False):
    """Per leg: 3 turns for a blocked straight path if the hunter faces along it, else 1; 1 if both L-paths are blocked.

    On top of `manhattan` and `pivots`: admissible, not consistent. Source: UniBZ assignment 2021/22,
    ``MANHATTAN_OBSTACLE``.

    Parameters
    ----------
    as_published : bool
        As the published program. For legs towards NW or SE it checks the wrong two paths, and overestimates.
    """
    return sum_of_legs(obstacle_leg, constants, state, as_published)


@helper
def straight_is_blocked(constants, origin, target):
    """Return whether a straight leg is blocked strictly between its ends."""
    step = 1 << ROW_SHIFT if column_of(origin) == column_of(target) else 1
    for square in range(min(origin, target) + step, max(origin, target), step):
        if is_blocked(constants, column_of(square), row_of(square)):
            return True
    return False


@helper
def straight_extra(constants, origin, target, facings):
    """Return the additional turns of a straight leg."""
    if origin == target or not straight_is_blocked(constants, origin, target):
        return 0
    return 3 if facings == directions(constants, origin, target) else 1


@helper
def l_path_is_blocked(constants, origin, target, column_first):
    """Return whether one of the two L-shaped paths is blocked, ends excluded."""
    x1, y1, x2, y2 = column_of(origin), row_of(origin), column_of(target), row_of(target)
    dx, dy = 1 if x2 > x1 else -1, 1 if y2 > y1 else -1
    if column_first:
        return segment_is_blocked(constants, x1, y1 + dy, x1, y2) or segment_is_blocked(constants, x1, y2, x2 - dx, y2)
    return segment_is_blocked(constants, x1 + dx, y1, x2, y1) or segment_is_blocked(constants, x2, y1, x2, y2 - dy)


@helper
def obstacle_leg(constants, origin, target, facings, as_published):
    """Return the additional turns."""
    if not is_bent(constants, origin, target):
        return straight_extra(constants, origin, target, facings)
    if as_published:
        return 1 if published_paths_are_blocked(constants, origin, target) else 0
    both = l_path_is_blocked(constants, origin, target, True) and l_path_is_blocked(constants, origin, target, False)
    return 1 if both else 0


@helper
def is_blocked_between(constants, x1, y1, x2, y2, origin, target):
    """Return whether a straight segment is blocked, not counting the two given squares."""
    for y in range(y1, y2 + 1):
        for x in range(x1, x2 + 1):
            square = (y << ROW_SHIFT) | x
            if square != origin and square != target and is_blocked(constants, x, y):
                return True
    return False


@helper
def published_paths_are_blocked(constants, origin, target):
    """Return whether both paths of the published program are: column min x, row max y, and column max x, row min y."""
    left, right = min(column_of(origin), column_of(target)), max(column_of(origin), column_of(target))
    bottom, top = min(row_of(origin), row_of(target)), max(row_of(origin), row_of(target))
    upper = is_blocked_between(constants, left, bottom, left, top, origin, target)
    upper = upper or is_blocked_between(constants, left, top, right, top, origin, target)
    lower = is_blocked_between(constants, right, bottom, right, top, origin, target)
    lower = lower or is_blocked_between(constants, left, bottom, right, bottom, origin, target)
    return upper and lower
