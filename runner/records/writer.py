"""Write the rows and plans of one cell: append each when it is finished; at the end, sort them by instance."""

from __future__ import annotations

import errno
import io
import mmap
import os
import tempfile
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from filelock import lock_descriptor
from numpy.typing import NDArray

from runner.base.errors import UserError
from runner.records.row import Row, csv_line, key_of_plan, key_of_row
from worlds.files import atomic_write, natural_order

METRICS, PLANS, ENVIRONMENT = "metrics.csv", "plans.jsonl", "environment.json"
RESULTS, LOG = "results.csv", "runner.log"
PART = "part-"
"""Prefix of the folders, inside that of a cell, with the rows of a part of its instances."""
HOLDS_RESULTS = "holds results already, which are never overwritten; choose another directory"

_BLOCK = 1 << 16


class Writer:
    """Append rows to metrics.csv and plans to plans.jsonl of a folder; both are on disk when `write` returns.

    A plan is written before its row: a row on disk means that the instance is finished. The files are locked while the
    writer is open.

    Parameters
    ----------
    columns : sequence of str
        Columns of metrics.csv.
    goes_on : bool
        Append to existing files, after their last complete line.
    known : mapping of int to int
        Keys of existing rows, and the numbers of their instances.
    """

    def __init__(
        self, directory: Path, columns: Sequence[str], goes_on: bool = False, known: Mapping[int, int] | None = None
    ) -> None:
        self._directory, self._header, self._goes_on = directory, csv_line(columns), goes_on
        self._keys, self._numbers = array("Q", known or ()), array("q", (known or {}).values())
        self._last, self._is_ordered = -1, not known
        open_file = self._reopened if goes_on else _created
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._metrics, self._plans = open_file(directory / METRICS), open_file(directory / PLANS)
            size = self._metrics.tell()
            if size == 0:
                _append(self._metrics, self._header)
            elif size > len(self._header):
                self._is_ordered = False
        except FileExistsError as error:
            raise UserError(f"{error.filename}: {HOLDS_RESULTS}") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise UserError(f"{error.filename or directory}: {error.strerror}") from None

    def write(self, rows: Sequence[Row], repeated: Sequence[Row] = ()) -> None:
        """Append rows, plans first.

        Parameters
        ----------
        repeated : sequence of Row
            Rows of instances that have one already; they are not appended. The first of equal instances decides on
            the order.
        """
        self.write_plans(b"".join(row.plans for row in rows))
        _append(self._metrics, b"".join(row.line for row in rows))
        for row in rows:
            self._keys.append(row.key)
            self._numbers.append(row.number)
            self._is_ordered = self._is_ordered and row.number > self._last
            self._last = row.number

        for row in repeated:
            self._keys.append(row.key)
            self._numbers.append(row.number)
            self._is_ordered = False

    def write_plans(self, lines: bytes) -> None:
        """Append lines to the plans."""
        if lines:
            _append(self._plans, lines)

    def close(self, *, is_complete: bool = False) -> None:
        """Sort the rows by their instances, and close the files after all data has reached the disk.

        Rows of the same instance keep their order.

        Parameters
        ----------
        is_complete : bool
            Every instance has a row: also merge the rows that tasks of a cluster have written to folders of parts.
        """
        for file in (self._plans, self._metrics):
            os.fsync(file.fileno())
        parts = self._parts() if is_complete else []
        if parts or not self._is_ordered:
            numbers = _Numbers(self._keys, self._numbers)
            for name, key_of_line, header in ((PLANS, key_of_plan, b""), (METRICS, key_of_row, self._header)):
                sources = [self._directory / name, *(part.with_name(name) for part in parts)]
                _merge([file for file in sources if file.exists()], numbers, key_of_line, header)
        self._plans.close()
        self._metrics.close()

    def _parts(self) -> list[Path]:
        """Return the files of rows of all parts; a single run has none."""
        found = self._directory.glob(f"{PART}*/{METRICS}") if self._goes_on else []
        return sorted(found, key=natural_order)

    def _reopened(self, path: Path) -> io.FileIO:
        """Open a file to append after its last complete line; create it if it does not exist."""
        file = open(path, "a+b", buffering=0)  # noqa: SIM115
        try:
            _lock(file)
            end = file.seek(0, os.SEEK_END)
            while end > 0:
                start = max(0, end - _BLOCK)
                file.seek(start)
                newline = file.read(end - start).rfind(b"\n")
                if newline >= 0:
                    end = start + newline + 1
                    break
                end = start
            file.seek(0)
            if path.name == METRICS and end > 0 and file.read(len(self._header)) != self._header:
                raise UserError(f"{path}: another version has written it, with other columns; choose another directory")
            file.truncate(end)
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file

    def close_inherited(self) -> None:
        """Close the files in a forked process; its parent keeps them, and their locks."""
        self._plans.close()
        self._metrics.close()


class _Numbers:
    """Number of the first instance of each key, in arrays that have room for millions of rows."""

    def __init__(self, keys: array[int], numbers: array[int]) -> None:
        every, of_every = np.array(keys, np.uint64), np.array(numbers, np.int64)
        order = np.lexsort((of_every, every))
        self._keys, first = np.unique(every[order], return_index=True)
        self._numbers = of_every[order][first]

    def of(self, keys: array[int]) -> NDArray[np.int64]:
        """Return the number of each key; an unknown key gets the number of the key before it."""
        wanted = np.array(keys, np.uint64)
        if not len(self._keys):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        is_known = self._keys[places] == wanted
        last_known = np.maximum.accumulate(np.where(is_known, np.arange(len(wanted)), -1))
        return np.where(last_known < 0, -1, self._numbers[places[last_known]])


def _merge(
    files: Sequence[Path],
    numbers: _Numbers,
    key_of_line: Callable[[bytes], int],
    header: bytes,
) -> None:
    """Sort the lines of all files into the first file atomically, and remove the other files.

    A line with an unknown key stays behind the line before it.
    """
    keys, starts = array("Q"), array("q", [0])
    with tempfile.TemporaryFile(dir=files[0].parent) as gathered:
        for file in files:
            with open(file, "rb") as lines:
                lines.seek(len(header))
                for line in lines:
                    if line.endswith(b"\n"):
                        keys.append(key_of_line(line))
                        starts.append(starts[-1] + gathered.write(line))
        gathered.flush()
        ranks = numbers.of(keys) if keys else np.zeros(0, np.int64)
        if keys and (len(files) > 1 or (np.diff(ranks) < 0).any()):
            with (
                atomic_write(files[0], "wb") as out,
                mmap.mmap(gathered.fileno(), 0, access=mmap.ACCESS_READ) as content,
            ):
                out.write(header)
                for line_number in np.argsort(ranks, kind="stable").tolist():
                    out.write(content[starts[line_number] : starts[line_number + 1]])
    for file in files[1:]:
        file.unlink()


def _created(path: Path) -> io.FileIO:
    """Open and lock a new file; raise `FileExistsError` if it exists."""
    file = open(path, "x+b", buffering=0)  # noqa: SIM115
    _lock(file)
    return file


def _lock(file: io.FileIO) -> None:
    """Lock an open file until it is closed; do nothing if the file system has no locks."""
    try:
        is_free = lock_descriptor(file.fileno(), blocking=False)
    except OSError:
        return
    if not is_free:
        file.close()
        raise UserError(f"{file.name}: another process is writing to this file; wait until it ends")


def _append(file: io.FileIO, data: bytes) -> None:
    """Write data to an unbuffered file; the operating system has all data when this returns.

    If the data cannot be written completely (full disk), the file is truncated to its old length.
    """
    before = file.tell()
    if os.fstat(file.fileno()).st_nlink == 0:
        raise OSError(errno.ENOENT, "was removed while it was written to", file.name)
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        with suppress(OSError):
            file.truncate(before)
            file.seek(before)
        raise
