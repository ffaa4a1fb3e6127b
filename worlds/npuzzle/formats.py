"""Files of boards: text with one board per line, or CSV with a header.

Every mistake in a file raises a one-line `UserError` that names file and line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isqrt
from pathlib import Path
from typing import NamedTuple

from runner.base import Fail, UserError, checked_id, file_error, line_error, named_lines, one_line, read_text, suggest
from worlds.npuzzle.rules import MAX_SIDE, MIN_SIDE, Board

BOARD_COLUMNS = ("board", "tiles")
SEPARATORS = ",;\t"
"""Separators of the columns of CSV files. Excel writes semicolons where the comma is the decimal sign."""
Size = tuple[int, int]
_BETWEEN = re.compile(r"[,\[\]()]")
_BLANK = re.compile(r"_+|\.|None")


@dataclass(frozen=True)
class BoardEntry:
    """One board of a file.

    Attributes
    ----------
    id : str or None
        Name of the board in the file; None if the file has none.
    rows, columns : int
        Sides of the board.
    board : tuple of int
        Tiles by rows.
    """

    id: str | None
    rows: int
    columns: int
    board: Board


class _BoardLine(NamedTuple):
    """Name and tiles of a line, and what makes an error of it."""

    name: str | None
    words: list[str]
    fail: Fail


def load(path: Path, size: Size | None = None) -> list[BoardEntry]:
    """Read a file of boards.

    Text: one board per line, tiles by rows, separated by blanks or commas, optionally after or below `id:`; or, if that
    is no board, one row per line, perhaps below the side. Brackets are skipped; the blank is 0, _, . or None.
    Empty lines and lines that begin with # are skipped. CSV (by the extension): a column `board` (or `tiles`),
    optionally one `id`. Commas, semicolons or tabs separate the columns.

    Parameters
    ----------
    path : Path
    size : (int, int), optional
        Rows and columns of all boards. Unless given, boards are squares.

    Raises
    ------
    UserError
        If the file cannot be read, or a line is not a board.
    """
    read = _read_csv if path.suffix.lower() == ".csv" else named_lines
    lines: list[_BoardLine] = []
    for name, text, fail in read(path):
        words = _BETWEEN.sub(" ", text).split()
        if read is named_lines and name is None:
            if not words:
                continue  # a bracket
            if lines and not lines[-1].words:
                name = lines.pop().name  # a name above its board
        lines.append(_BoardLine(name, words, fail))
    try:
        entries = [_entry(line, size) for line in lines]
    except UserError:
        boards = _by_rows(lines, size)
        if not boards:
            raise
        entries = [_entry(board, size) for board in boards]
    if not entries:
        raise file_error(path, "holds no boards; expected one per line, such as 1 2 3 4 5 6 7 0 8")
    return entries


def dump(name: str, board: Board) -> str:
    """Return a board as the line of a text file: the inverse of `load`."""
    return f"{name}: {' '.join(map(str, board))}\n"


def _read_csv(path: Path) -> Iterator[tuple[str | None, str, Fail]]:
    """Yield the id, the tiles and a function that makes errors for each row of a CSV file."""
    lines = read_text(path).splitlines(keepends=True)
    separator = max(SEPARATORS, key=lines[0].count) if lines else ","
    reader = csv.DictReader(lines, restval="", strict=True, delimiter=separator)
    try:
        columns = reader.fieldnames or []
        column = next((name for name in BOARD_COLUMNS if name in columns), None)
        if column is None:
            raise line_error(path, 1, f"no column 'board'{suggest('board', columns)}")
        for row in reader:
            yield one_line(row.get("id") or "") or None, row[column], partial(line_error, path, reader.line_num)
    except csv.Error as error:
        raise line_error(path, reader.line_num, str(error)) from None


def _by_rows(lines: Sequence[_BoardLine], size: Size | None) -> list[_BoardLine]:
    """Return the boards of a file with one row per line; none if the lines are no such rows."""
    numbers = [line for line in lines if len(line.words) != 1]  # a single number above a board is its side
    if not numbers or len(lines[-1].words) == 1 or 2 * sum(map(_is_board, numbers)) > len(numbers):
        return []  # perhaps one board per line, with a mistake in another line
    height, width = size or (max(len(line.words) for line in numbers),) * 2
    short = [line for line in numbers if len(line.words) == width - 1]
    is_rows = {len(line.words) for line in numbers} <= {width, width - 1} and len(numbers) % height == 0
    if not is_rows or len(short) * height > len(numbers):
        return []
    if short:
        raise short[0].fail(f"{width - 1} tiles in a row of {width}; write 0 or _ for the blank")
    rows: list[_BoardLine] = []
    above = None
    for line in lines:
        if len(line.words) != 1:
            rows.append(line._replace(name=line.name or above))
        elif len(rows) % height:
            return []
        elif line.words[0] not in (str(height), f"{height}x{width}"):
            raise line.fail(f"expected the side of the board below ({height}), or a name such as easy:")
        above = line.name if len(line.words) == 1 else None
    boards = [rows[first : first + height] for first in range(0, len(rows), height)]
    return [_BoardLine(board[0].name, [word for row in board for word in row.words], board[0].fail) for board in boards]


def _is_board(line: _BoardLine) -> bool:
    words = ["0" if _BLANK.fullmatch(word) else word for word in line.words]
    return sorted(words) == sorted(map(str, range(len(words))))


def _entry(line: _BoardLine, size: Size | None) -> BoardEntry:
    name, words, fail = line
    words = ["0" if _BLANK.fullmatch(word) else word for word in words]
    not_a_number = next((word for word in words if not (word.isascii() and word.isdecimal())), None)
    if not_a_number is not None:
        raise fail(f"'{not_a_number[:40]}' is not a tile; a board is whole numbers separated by blanks, 0 is the blank")
    board = tuple(int(word) if len(word) < 10 else 10**9 for word in words)
    rows, columns = _sides(len(board), size, fail)
    if name is not None:
        checked_id(name, fail)
    return BoardEntry(name, rows, columns, permutation(board, rows * columns, fail))


def _sides(cells: int, size: Size | None, fail: Fail) -> Size:
    if size is not None:
        if cells != size[0] * size[1]:
            raise fail(f"expected {size[0] * size[1]} tiles (world.size is {size[0]}x{size[1]}), got {cells}")
        return size
    side = isqrt(cells)
    if side * side != cells or not MIN_SIDE <= side <= MAX_SIDE:
        raise fail(
            f"{cells} tiles make no square of side {MIN_SIDE} to {MAX_SIDE}; "
            "write one board per line, or one row per line; for a rectangle set world.size, as in world.size=3x4"
        )
    return side, side


def permutation(board: Board, cells: int, fail: Fail) -> Board:
    """Return a board after checking that it has each of 0 to cells - 1 once."""
    if len(board) != cells:
        raise fail(f"expected {cells} tiles, got {len(board)}")
    seen: set[int] = set()
    for tile in board:
        if not 0 <= tile < cells:
            raise fail(f"not a permutation: tile {tile} is not one of 0 to {cells - 1}")
        if tile in seen:
            missing = next(other for other in range(cells) if other not in board)
            raise fail(f"not a permutation: tile {tile} occurs twice, {missing} is missing")
        seen.add(tile)
    return board
