"""Check the lines of a table that others have made, before it is parsed."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from runner.records.reader import MAX_TABLE
from worlds.files import read_lines


@dataclass(frozen=True)
class Lines:
    """Lines of a file that has been checked.

    Attributes
    ----------
    source : Path or BytesIO
        The file, if all its complete lines have as many fields as the header; else the lines that have.
    header : list of str
    rows : int
        Number of lines after the header.
    misfits : int
        Number of lines that were left out.
    is_complete, is_utf8 : bool
        Whether the last line ends, and whether the file has no bytes other than UTF-8.
    """

    source: Path | io.BytesIO
    header: list[str]
    rows: int
    misfits: int
    is_complete: bool
    is_utf8: bool

    def open(self) -> IO[bytes]:
        """Open the source. The lines may be followed by others."""
        return self.source if isinstance(self.source, io.BytesIO) else open(self.source, "rb")


def checked_lines(file: Path) -> Lines:
    """Check the lines of a file without keeping them, because it may be large."""
    first, commas, count = b"", set[int](), 0
    has_quotes, is_complete, is_utf8 = False, True, True
    for line in read_lines(file, max_bytes=MAX_TABLE):
        if not line.endswith(b"\n"):
            is_complete = False
            break
        first = first or line
        count += 1
        commas.add(line.count(b","))
        has_quotes = has_quotes or b'"' in line
        is_utf8 = is_utf8 and (line.isascii() or _is_utf8(line))
    if not has_quotes and len(commas) <= 1:
        return Lines(file, next(_fields([first]), []), count - 1, 0, is_complete, is_utf8)
    rows = _fields(line for line in read_lines(file, max_bytes=MAX_TABLE) if line.endswith(b"\n"))
    header, misfits, kept = next(rows, []), 0, 0
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        if len(row) == len(header):
            writer.writerow(row)
            kept += 1
        else:
            misfits += 1
    return Lines(io.BytesIO(out.getvalue().encode()), header, kept, misfits, is_complete, is_utf8)


def _fields(lines: Iterable[bytes]) -> Iterator[list[str]]:
    """Return the fields of lines, without a byte order mark."""
    texts = (line.removeprefix(codecs.BOM_UTF8).decode(errors="replace").replace("\0", "") for line in lines)
    return iter(csv.reader(texts))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
