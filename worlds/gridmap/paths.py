"""Paths that programs write as cells: the moves along them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.gridmap.rules import STEP, GridCell, GridMap
from worlds.interface import plan_texts

_MANY = 10**9
_MOVE = {step: move for move, step in STEP.items()}


def moves_of(grid: GridMap, start: GridCell, words: plan_texts.PlanWords, cells: Sequence[GridCell]) -> tuple[str, ...]:
    """Return the moves along cells. Between two of them, which may be far apart, is a straight or a diagonal line.

    Parameters
    ----------
    grid : GridMap
    start : (int, int)
        The cell that must come first.
    words : plan_texts.PlanWords
        A word of the text for each cell.
    cells : sequence of (int, int)

    Raises
    ------
    ValueError
        If there is no such line between two cells, a cell is outside the map, or there is no cell.
    """
    if not cells:
        raise ValueError(f"line 1: expected the cells of a path from the start {start} on, got none")
    if cells[0] != start:
        raise ValueError(f"{words.place(0)}: expected the start {start} as the first cell, got {cells[0]}")
    moves: list[str] = []
    before = start
    for number, cell in enumerate(cells[1:], 1):
        if not (0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height):
            outside = f"{cell} is outside the map, which has {grid.width} x {grid.height} cells"
            raise ValueError(f"{words.place(number)}: {outside}")
        line = _line(before, cell)
        if not line:
            raise ValueError(f"{words.place(number)}: no straight or diagonal line leads from {before} to {cell}")
        moves += line
        words.check_length(number, len(moves))
        before = cell
    return tuple(moves)


def _line(before: GridCell, after: GridCell) -> list[str]:
    """Return the moves along the straight or diagonal line between two cells; none if there is no such line."""
    step = after[0] - before[0], after[1] - before[1]
    if step in _MOVE:
        return [_MOVE[step]]
    dx, dy = step
    length = max(abs(dx), abs(dy))
    is_line = length > 0 and min(abs(dx), abs(dy)) in (0, length)
    return [_MOVE[dx // length, dy // length]] * length if is_line else []


def cells_of_json(items: Sequence[Any]) -> tuple[plan_texts.PlanWords, list[GridCell]]:
    """Return the cells of a list in JSON, such as [[0, 0], [1, 1]].

    Raises
    ------
    ValueError
        If an item is no pair of whole numbers.
    """
    words = plan_texts.json_items(items)
    for number, item in enumerate(items):
        is_pair = isinstance(item, list) and len(item) == 2
        if not is_pair or not all(type(part) is int and abs(part) < _MANY for part in item):
            raise words.fail(number, "is no cell; expected [x, y]")
    return words, [(x, y) for x, y in items]
