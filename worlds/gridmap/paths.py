"""Paths that programs write as cells: the moves along them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from worlds.gridmap.rules import STEP, GridCell, GridMap
from worlds.plan_texts import MAX_ACTIONS, Word

_MOVE = {step: move for move, step in STEP.items()}


def moves_of(grid: GridMap, start: GridCell, cells: Iterable[tuple[Word, GridCell]]) -> tuple[str, ...]:
    """Return the moves along cells. Between two of them, which may be far apart, is a straight or a diagonal line.

    Parameters
    ----------
    grid : GridMap
    start : (int, int)
        The cell that must come first.
    cells : iterable of (Word, (int, int))
        Cells and where they are in the text.

    Raises
    ------
    ValueError
        If there is no such line between two cells, a cell is outside the map, or there is no cell.
    """
    moves: list[str] = []
    before: GridCell | None = None
    for word, cell in cells:
        x, y = cell
        if not (0 <= x < grid.width and 0 <= y < grid.height):
            raise ValueError(f"{word.place}: {cell} is outside the map, which has {grid.width} x {grid.height} cells")
        if before is None and cell != start:
            raise ValueError(f"{word.place}: expected the start {start} as the first cell, got {cell}")
        if before is not None:
            moves += _line(before, cell, word)
        if len(moves) > MAX_ACTIONS:
            raise ValueError(f"{word.place}: a path of more than {MAX_ACTIONS:,} moves")
        before = cell
    if before is None:
        raise ValueError(f"line 1: expected the cells of a path from the start {start} on, got none")
    return tuple(moves)


def _line(before: GridCell, after: GridCell, word: Word) -> list[str]:
    """Return the moves along the straight or diagonal line between two cells."""
    dx = after[0] - before[0]
    dy = after[1] - before[1]
    length = max(abs(dx), abs(dy))
    is_line = length > 0 and min(abs(dx), abs(dy)) in (0, length)
    if not is_line:
        raise ValueError(f"{word.place}: no straight or diagonal line leads from {before} to {after}")
    return [_MOVE[dx // length, dy // length]] * length


def cells_of_json(items: Iterable[Any]) -> Iterator[tuple[Word, GridCell]]:
    """Yield the cells of a list in JSON, such as [[0, 0], [1, 1]].

    Raises
    ------
    ValueError
        If an item is no pair of whole numbers.
    """
    for number, item in enumerate(items, 1):
        word = Word(f"item {number}", json.dumps(item))
        if not (isinstance(item, list) and len(item) == 2 and all(type(part) is int for part in item)):
            raise word.fail("is no cell; expected [x, y]")
        yield word, (item[0], item[1])
