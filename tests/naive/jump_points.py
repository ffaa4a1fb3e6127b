"""Naive jump points: pruning by comparing paths, and scans cell by cell (Harabor and Grastien, AAAI 2011)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.gridmaps import successors
from worlds.gridmap.rules import STEP, GridCell, GridMap, after, step_cost

Jump = tuple[GridCell, int, str]
"""Cell of a jump point, cost of the path to it, and its last move."""


def natural_moves(grid: GridMap, cell: GridCell, last: str | None) -> list[str]:
    """Return the moves from a cell to which no path of two moves around the cell is preferable, from the cell before.

    After a diagonal move, such a path is preferable if it is cheaper; after a straight move, also if it costs the same.
    """
    moves = [(move, to, cost) for move, to, cost in successors(grid, cell)]
    if last is None:
        return [move for move, _, _ in moves]
    before = cell[0] - STEP[last][0], cell[1] - STEP[last][1]
    spent = step_cost(grid, before, last)
    assert spent is not None
    around = {before: 0}
    for _, one, cost in successors(grid, before):
        if one != cell:
            around[one] = min(cost, around.get(one, cost))
            for _, two, further in successors(grid, one):
                around[two] = min(cost + further, around.get(two, cost + further))
    limit = 0 if len(last) == 2 else 1  # costs are integers: less, or at most
    return [move for move, to, cost in moves if to not in around or around[to] >= spent + cost + limit]


def jump_points(grid: GridMap, cell: GridCell, last: str | None, goal: GridCell) -> Iterator[Jump]:
    """Yield the jump points that follow a cell after a move, or without one at the start."""
    for move in natural_moves(grid, cell, last):
        found = jump(grid, cell, move, goal)
        if found is not None:
            yield found


def jump(grid: GridMap, cell: GridCell, move: str, goal: GridCell) -> Jump | None:
    """Repeat a move until a jump point; None if there is none before an obstacle.

    A jump point is the goal, a cell where one can turn after a straight move, or a cell on a diagonal from which a
    straight move that is part of the diagonal one leads to a jump point.
    """
    spent = 0
    while (cost := step_cost(grid, cell, move)) is not None:
        cell, spent = after(cell, move), spent + cost
        if len(move) == 1:
            is_jump_point = any(other != move for other in natural_moves(grid, cell, move))
        else:
            is_jump_point = any(jump(grid, cell, part, goal) is not None for part in move)
        if cell == goal or is_jump_point:
            return cell, spent, move
    return None
