"""Reader of CSV tables: rows one at a time, or as a pandas table. Lines and fields are bounded; nothing is executed."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.base import file_error, read_lines
from runner.records.bounded_files import RecordBound, reading

if TYPE_CHECKING:
    import pandas


class CsvTable:
    """CSV table of any size: its columns, and its rows one at a time.

    Parameters
    ----------
    is_lenient : bool
        Leave out rows that do not fit the columns, and an incomplete last line; replace bytes that are not UTF-8. By
        default missing fields at the end of a row stay empty, and anything else is an error.
    max_bytes : int, optional
        Largest size of the file.

    Attributes
    ----------
    header : list of str
        Columns; none if the file is empty.
    misfits : int
        Number of rows that have been left out so far.
    is_complete, is_utf8 : bool
        Whether the last line ends, and whether there have been no bytes other than UTF-8 so far.

    Raises
    ------
    UserError, csv.Error, UnicodeDecodeError
        If the file cannot be read, while its rows are read, too.
    """

    def __init__(self, file: Path, *, is_lenient: bool = False, max_bytes: int | None = None) -> None:
        self._file = file
        self._is_lenient = is_lenient
        self._number = 0
        self._end = 0
        self.misfits = 0
        self.is_complete = True
        self.is_utf8 = True
        self._lines = self._read(max_bytes)
        first = next(self._lines, b"").removeprefix(codecs.BOM_UTF8)
        self.header = self._fields(first) if first else []

    def _read(self, max_bytes: int | None) -> Iterator[bytes]:
        for line in read_lines(self._file, max_bytes=max_bytes):
            self._number += 1
            self._end += len(line)
            if not line.endswith(b"\n"):
                self.is_complete = False
                if self._is_lenient:
                    return
            yield line

    def _fields(self, line: bytes) -> list[str]:
        """Return the fields of the row that begins with a line: a field may have line ends."""
        return next(csv.reader(map(self._text, chain([line], self._lines))), [])

    def _text(self, line: bytes) -> str:
        try:
            return line.decode().replace("\0", "")
        except UnicodeDecodeError:
            if not self._is_lenient:
                raise
            self.is_utf8 = False
            return line.decode(errors="replace").replace("\0", "")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each row as a line with as many fields as there are columns, and its position in the file, in bytes."""
        width = len(self.header)
        start = self._end
        for line in self._lines:
            if line.count(b",") == width - 1 > 0 and _is_plain(line):
                yield start, line
            elif fields := self._fitting_fields(line):
                yield start, csv_line(fields)
            start = self._end

    def _fitting_fields(self, line: bytes) -> list[str]:
        """Return the fields of the row that begins with a line, for each column one; none if the row is left out."""
        number = self._number
        width = len(self.header)
        fields = self._fields(line)
        if self._is_lenient and len(fields) != width:
            self.misfits += 1
            return []
        if len(fields) > width:
            raise file_error(self._file, f"expected {width} fields, got {len(fields)}", line=number)
        return fields and [*fields, *[""] * (width - len(fields))]


def _is_plain(line: bytes) -> bool:
    """Whether the fields of a line are separated by its commas, and are short enough."""
    has_marks = b'"' in line or b"\r" in line
    return line.isascii() and line.endswith(b"\n") and not has_marks and len(line) <= RecordBound.FIELD


def csv_line(values: Iterable[str]) -> bytes:
    """Return a line of a CSV file."""
    line: str = _LINES.writerow(values)
    return line.encode(errors="backslashreplace")


class _Identity:
    """File of a CSV writer whose `writerow` then returns the line."""

    def write(self, line: str) -> str:
        return line


_LINES = csv.writer(_Identity(), lineterminator="\n")


def csv_values(line: bytes) -> list[str]:
    """Return the values of a line of a CSV file."""
    text = line.decode(errors="replace")
    return next(csv.reader([text]), []) if '"' in text else text.rstrip("\n").split(",")


def numbered_rows(file: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the columns of a CSV table, and its rows as texts with their positions in the file, in bytes.

    Lines that do not fit the columns, such as a half-written last line, are skipped.
    """
    table = CsvTable(file, is_lenient=True)
    return table.header, ((start, csv_values(line)) for start, line in table.lines())


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV table as text. Lines that do not fit the header are skipped."""
    with reading(file):
        header, rows = numbered_rows(file)
        for _, values in rows:
            yield dict(zip(header, values, strict=True))


def parsed(lines: Iterable[bytes], **options: Any) -> pandas.DataFrame:
    """Return lines of CSV as pandas reads them, with arguments of `pandas.read_csv`. Only "" is a missing value."""
    import pandas

    file = io.BytesIO(b"".join(lines))
    frame: pandas.DataFrame = pandas.read_csv(file, keep_default_na=False, na_values=[""], low_memory=False, **options)
    return frame
