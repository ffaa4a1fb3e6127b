"""Naive jump point search: pruning by comparing paths, and scans cell by cell (Harabor and Grastien, AAAI 2011)."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.gridmap.rules import STEP, Cell, GridMap, after, step_cost, successors

Jump = tuple[Cell, int, str]
"""Cell of a jump point, cost of the path to it, and its last move."""


def natural_moves(grid: GridMap, cell: Cell, last: str | None) -> list[str]:
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


def jump_points(grid: GridMap, cell: Cell, last: str | None, goal: Cell) -> Iterator[Jump]:
    """Yield the jump points that follow a cell after a straight move, or without one at the start."""
    for move in natural_moves(grid, cell, last):
        if len(move) == 1:
            yield from scan(grid, cell, move, goal, 0)
        else:
            yield from scan_diagonally(grid, cell, move, goal)


def scan(grid: GridMap, cell: Cell, move: str, goal: Cell, spent: int) -> Iterator[Jump]:
    """Go straight on until the goal, a cell where one can turn, or an obstacle."""
    while (cost := step_cost(grid, cell, move)) is not None:
        cell, spent = after(cell, move), spent + cost
        if cell == goal or natural_moves(grid, cell, move) not in ([move], []):
            yield cell, spent, move
            return


def scan_diagonally(grid: GridMap, cell: Cell, move: str, goal: Cell) -> Iterator[Jump]:
    """Go on diagonally until the goal or an obstacle, and scan straight from each cell."""
    spent = 0
    while (cost := step_cost(grid, cell, move)) is not None:
        cell, spent = after(cell, move), spent + cost
        if cell == goal:
            yield cell, spent, move
            return
        for part in (move[1], move[0]):
            yield from scan(grid, cell, part, goal, spent)
