"""Files of boards: text with a board per line, or CSV with a header. Every mistake is one line that names the place."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

from runner.registry import UserError, one_line, suggest
from worlds.files import checked_id, file_error, read_text
from worlds.npuzzle.rules import MAX_SIDE, SMALLEST_SIDE, Board

BOARD_COLUMNS = ("board", "tiles")
Size = tuple[int, int]


@dataclass(frozen=True)
class Entry:
    """One board of a file.

    Attributes
    ----------
    id : str or None
    rows, columns : int
    board : tuple of int
    """

    id: str | None
    rows: int
    columns: int
    board: Board


def load(path: Path, size: Size | None = None) -> list[Entry]:
    """Read a file of boards.

    Text: one board per line, tiles by rows, separated by blanks or commas, optionally after `id:`; lines that begin
    with # are comments. CSV (by the extension): a column `board` (or `tiles`), optionally one `id`.

    Parameters
    ----------
    path : Path
    size : (int, int), optional
        Rows and columns; unless given, boards are squares.

    Raises
    ------
    UserError
        If the file cannot be read, or a line is not a board.
    """
    lines = _table if path.suffix.lower() == ".csv" else _lines
    entries = [_entry(name, tiles, size, fail) for name, tiles, fail in lines(path)]
    if not entries:
        raise file_error(path, "holds no boards; expected one per line, such as 1 2 3 4 5 6 7 0 8")
    return entries


def dump(name: str, board: Board) -> str:
    """A board as the line of a text file; `load` is the inverse."""
    return f"{name}: {' '.join(map(str, board))}\n"


Fail = Callable[[str], UserError]


def _lines(path: Path) -> Iterator[tuple[str | None, str, Fail]]:
    for number, line in enumerate(read_text(path).splitlines(), 1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        name, colon, tiles = content.rpartition(":")
        fail = _failing(path, number)
        if colon and not name.strip():
            raise fail("the id before the colon is missing")
        yield name.strip() or None, tiles, fail


def _table(path: Path) -> Iterator[tuple[str | None, str, Fail]]:
    reader = csv.DictReader(read_text(path).splitlines(keepends=True), restval="", strict=True)
    try:
        columns = reader.fieldnames or []
        column = next((name for name in BOARD_COLUMNS if name in columns), None)
        if column is None:
            raise file_error(path, f"line 1: no column 'board'{suggest('board', columns)}")
        for row in reader:
            yield one_line(row.get("id") or "") or None, row[column], _failing(path, reader.line_num)
    except csv.Error as error:
        raise file_error(path, f"line {reader.line_num}: {error}") from None


def _failing(path: Path, number: int) -> Fail:
    return lambda message: file_error(path, f"line {number}: {message}")


def _entry(name: str | None, text: str, size: Size | None, fail: Fail) -> Entry:
    words = text.replace(",", " ").split()
    not_a_number = next((word for word in words if not (word.isascii() and word.isdecimal())), None)
    if not_a_number is not None:
        raise fail(f"'{not_a_number[:40]}' is not a tile; a board is whole numbers separated by blanks, 0 is the blank")
    board = tuple(int(word) if len(word) < 10 else 10**9 for word in words)
    rows, columns = _sides(len(board), size, fail)
    if name is not None:
        checked_id(name, fail)
    return Entry(name, rows, columns, permutation(board, rows * columns, fail))


def _sides(cells: int, size: Size | None, fail: Fail) -> Size:
    if size is not None:
        if cells != size[0] * size[1]:
            raise fail(f"expected {size[0] * size[1]} tiles (world.size is {size[0]}x{size[1]}), got {cells}")
        return size
    side = isqrt(cells)
    if side * side != cells or not SMALLEST_SIDE <= side <= MAX_SIDE:
        raise fail(
            f"{cells} tiles make no square of side {SMALLEST_SIDE} to {MAX_SIDE}; "
            "for a rectangle set world.size, as in world.size=3x4"
        )
    return side, side


def permutation(board: Board, cells: int, fail: Fail) -> Board:
    """A board, checked to have each of 0 to cells - 1 once."""
    if len(board) != cells:
        raise fail(f"expected {cells} tiles, got {len(board)}")
    seen: set[int] = set()
    for tile in board:
        if not 0 <= tile < cells:
            raise fail(f"not a permutation: tile {tile} is not one of 0 to {cells - 1}")
        if tile in seen:
            missing = next(other for other in range(cells) if other not in board)
            raise fail(f"not a permutation: tile {tile} stands there twice, {missing} is missing")
        seen.add(tile)
    return board
