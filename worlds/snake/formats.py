"""Files of boards: rows and columns, the head, the number of candies, then one line for each candy.

Every mistake in a file raises a one-line `UserError` that names file and line.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from runner.base import UserError, checked_id, content_lines, file_error, line_error, read_text
from worlds.snake.rules import MAX_SIDE, MAX_UNITS, Board, Candy, GridCell


def load(path: Path) -> tuple[str, Board]:
    """Read the file of a board. Empty lines and lines that begin with # are skipped.

    Returns
    -------
    id : str
        Name of the file without the extension.
    board : Board
        Board that the file describes.

    Raises
    ------
    UserError
        If the file cannot be read or does not describe a board.
    """
    lines = _LineReader(path)
    rows, columns = lines.numbers("rows,columns", "the size of the board")
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise lines.fail(f"rows and columns: expected 1 to {MAX_SIDE}, got {rows},{columns}")
    row, column = lines.numbers("row,column", "the head of the snake")
    head = _cell(lines, row, column, "the head", rows, columns)
    (count,) = lines.numbers("a number", "how many candies there are")
    if count < 0:
        raise lines.fail(f"the number of candies: expected 0 or more, got {count}")
    candies: dict[GridCell, Candy] = {}
    units = 0
    for number in range(1, count + 1):
        row, column, capacity = lines.numbers("row,column,capacity", f"candy {number} of {count}")
        cell = _cell(lines, row, column, "a candy", rows, columns)
        if cell == head:
            raise lines.fail(f"the candy on {row},{column} is under the head of the snake")
        if cell in candies:
            raise lines.fail(f"there is another candy on {row},{column} already")
        if capacity < 1:
            raise lines.fail(f"capacity: expected 1 or more, got {capacity}")
        units += capacity
        if units > MAX_UNITS:
            raise lines.fail(f"more than {MAX_UNITS} units of candy in all")
        candies[cell] = Candy(cell, capacity)
    lines.end(f"after {count} candies" if count != 1 else "after 1 candy")
    name = checked_id(path.stem, partial(file_error, path))
    return name, Board(rows, columns, head, tuple(candies.values()))


def dump(board: Board) -> str:
    """Return a board as the text of a file: the inverse of `load`."""
    lines = [f"{board.rows},{board.columns}", f"{board.head[0]},{board.head[1]}", str(len(board.candies))]
    lines += [f"{candy.cell[0]},{candy.cell[1]},{candy.capacity}" for candy in board.candies]
    return "\n".join(lines) + "\n"


def _cell(lines: _LineReader, row: int, column: int, what: str, rows: int, columns: int) -> GridCell:
    if not (0 <= row < rows and 0 <= column < columns):
        raise lines.fail(f"{what} on {row},{column} is outside the {rows} x {columns} board (rows and columns from 0)")
    return row, column


class _LineReader:
    """Lines of a file, read one after the other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self._rest = content_lines(read_text(path))

    def _next(self) -> str | None:
        """Return the next line; None at the end of the file."""
        self._number, line = next(self._rest, (self._number + 1, None))
        return line

    def fail(self, message: str) -> UserError:
        """Return an error at the current line."""
        return line_error(self._path, self._number, message)

    def numbers(self, form: str, what: str) -> list[int]:
        """Return the whole numbers of the next line, which must have a form such as ``row,column``."""
        line = self._next()
        expected = f"expected {form} ({what})"
        if line is None:
            raise self.fail(f"{expected}, but the file ends here")
        words = [word.strip() for word in line.split(",")]
        if len(words) != form.count(",") + 1 or not all(re.fullmatch(r"-?[0-9]{1,9}", word) for word in words):
            raise self.fail(f"{expected}, got '{line[:40]}'")
        return [int(word) for word in words]

    def end(self, where: str) -> None:
        """Check that the file ends here."""
        line = self._next()
        if line is not None:
            raise self.fail(f"expected the end of the file {where}, got '{line[:40]}'")
