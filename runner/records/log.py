"""Log of a cell: its rows and plans in the order in which they were finished, and which of the rows count.

While a cell runs, rows are appended to its metrics.csv; nothing is moved or rewritten. Of each instance the newest
finished row of the current code counts. When the cell is complete, `settle` writes its files once more: the rows that
count, sorted by their instances. Everything else about rows on disk follows from this rule.
"""

from __future__ import annotations

import errno
import io
import os
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from filelock import lock_descriptor

from runner.base.bounded_files import reading
from runner.base.columns import Declared
from runner.base.csv_table import numbered_rows
from runner.base.errors import UserError
from runner.base.files import atomic_write, csv_line, csv_values, file_error, natural_order, open_regular
from runner.base.metric import number_of
from runner.base.status import Retry
from runner.records.reader import RecordFile, RunFolder
from runner.records.row import Row, key_of, plan_lines

PART = "part-"
"""Prefix of the folders, inside that of a cell, in which tasks of a cluster write the rows of some instances."""
HOLDS_RESULTS = "holds results already, which are never overwritten; choose another directory"
NUMBER = "number"
_BLOCK = 1 << 16
_OFFSET_BITS = 44
_MAX_NUMBER = 1 << 53
_NEEDED = (NUMBER, "run_id", "search_seconds", "code", "limits", "status")


class LogWriter:
    """Append rows to metrics.csv and plans to plans.jsonl of a folder; both are on disk when `append` returns.

    A plan is written before its row: a row on disk means that the instance is finished. The files are locked while the
    writer is open.

    Parameters
    ----------
    columns : sequence of str
        Columns of metrics.csv.
    code : str
        Fingerprint of the current code. The columns of rows of other code are changed.
    goes_on : bool
        Append to existing files, after their last complete line.

    Attributes
    ----------
    is_settled : bool
        Whether the files are as `settle` would write them, if the cell is complete now.
    """

    def __init__(self, folder: Path, columns: Sequence[str], code: str = "", *, goes_on: bool = False) -> None:
        self._columns, self._code, self._goes_on = tuple(columns), code, goes_on
        self._last = -1
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._metrics, self._plans = (
                self._opened(folder / RecordFile.METRICS),
                self._opened(folder / RecordFile.PLANS),
            )
            is_new = not (self._metrics.tell() or self._plans.tell())
            self.is_settled = is_new and not any(folder.glob(f"{PART}*/{RecordFile.METRICS}"))
            if not self._metrics.tell():
                _append(self._metrics, csv_line(columns))
        except FileExistsError as error:
            raise UserError(f"{error.filename}: {HOLDS_RESULTS}") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise UserError(f"{error.filename or folder}: {error.strerror}") from None

    def append(self, rows: Sequence[Row], improvements: bytes = b"") -> None:
        """Append rows, plans first.

        Parameters
        ----------
        improvements : bytes
            Lines of plans.jsonl with improved solutions of an instance that has no row yet.
        """
        plans = b"".join(row.plans for row in rows)
        if improvements or plans:
            _append(self._plans, improvements + plans)
        _append(self._metrics, b"".join(row.line for row in rows))
        for row in rows:
            self.is_settled = self.is_settled and row.number > self._last
            self._last = row.number
        self.is_settled = self.is_settled and not improvements

    def close(self) -> None:
        """Close the files after all data has reached the disk."""
        for file in (self._plans, self._metrics):
            os.fsync(file.fileno())
        self.close_inherited()

    def close_inherited(self) -> None:
        """Close the files in a forked process; its parent keeps them, and their locks."""
        self._plans.close()
        self._metrics.close()

    def _opened(self, path: Path) -> io.FileIO:
        """Open and lock a file; to append, after its last complete line."""
        file = open(path, "a+b" if self._goes_on else "x+b", buffering=0)  # noqa: SIM115
        try:
            if not lock_file(file):
                raise UserError(f"{path}: another process is writing to this file; wait until it ends")
            end = _end_of_lines(file)
            file.seek(0)
            header = csv_line(self._columns)
            if path.name == RecordFile.METRICS and end > 0 and file.read(len(header)) != header:
                file.close()
                _change_columns(path, self._columns, self._code)
                return self._opened(path)
            file.truncate(end)
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file


class _Kind(NamedTuple):
    """Columns that have the same texts in many rows."""

    code: str
    limits: str
    status: str
    repetitions: int


class Wanted(NamedTuple):
    """Conditions under which a row of a cell is finished.

    Attributes
    ----------
    limits : str, optional
        Limits of the cell. A row that ended at others is not finished. None: the limits do not matter.
    repeat : int
        Number of searches. A row of fewer searches is not finished, unless it failed or ended at a limit.
    """

    limits: str | None = None
    repeat: int = 1


ANY = Wanted()
"""A finished row, whatever its limits."""


class Log:
    """Rows of a cell on disk, in the order in which they were finished; about 40 bytes for each are in memory.

    Parameters
    ----------
    with_parts : bool
        Read what tasks of a cluster have written, too. Only a sweep has such parts: a run may have another run below.

    Attributes
    ----------
    files : list of Path
        File of the cell, and of the parts that tasks of a cluster have written.
    headers : list of list of str
        Columns of each file.
    keys, numbers : array of int
        Key of the `run_id`, and number of the instance in its source, of each row.
    declared : Declared
        Metrics and statuses that the rows declare.
    search_seconds : float
        Sum of the search times.

    Raises
    ------
    UserError
        If a file is corrupt.
    """

    def __init__(self, folder: Path, *, with_parts: bool = True) -> None:
        self.folder = folder
        parts = sorted(folder.glob(f"{PART}*/{RecordFile.METRICS}"), key=natural_order) if with_parts else []
        self.files = [file for file in (folder / RecordFile.METRICS, *parts) if file.exists()]
        self.headers: list[list[str]] = []
        self.keys, self.numbers = array("Q"), array("q")
        self._places, self._kinds, self._every = array("Q"), array("L"), dict[_Kind, int]()
        self.declared, self.search_seconds = Declared(), 0.0
        for index, file in enumerate(self.files):
            self.declared |= RunFolder(file.parent).declared()
            self._read(file, index << _OFFSET_BITS)
        self._names = list(self._every)

    def _read(self, file: Path, base: int) -> None:
        with reading(file):
            header, rows = numbered_rows(file)
            self.headers.append(header)
            if not header:
                return
            place = {name: place for place, name in enumerate(header)}
            wanted = itemgetter(*(place[name] for name in _NEEDED))
            repetitions = place.get("repetitions")
            numeric = [NUMBER, *(name for name in self.declared.all_metrics if name in place)]
            numbers = itemgetter(*(place[name] for name in numeric))
            for offset, values in rows:
                text, run_id, seconds, code, limits, status = wanted(values)
                try:
                    list(map(float, filter(None, numbers(values))))
                except ValueError:
                    _check_numbers(text, dict(zip(numeric, numbers(values), strict=True)))
                number = int(text)
                if not 0 <= number < _MAX_NUMBER:
                    raise ValueError(f"{NUMBER} {number}")
                self.search_seconds += float(seconds or 0)
                self.keys.append(key_of(run_id))
                self.numbers.append(number)
                self._places.append(base + offset)
                times = 1 if repetitions is None else int(values[repetitions] or 1)
                self._kinds.append(self._every.setdefault(_Kind(code, limits, status, times), len(self._every)))

    def __len__(self) -> int:
        return len(self.keys)

    def kind(self, row: int) -> _Kind:
        """Return the code, the limits, the status and the repetitions of a row."""
        return self._names[self._kinds[row]]

    def newest(
        self, code: str | None = None, gone: Collection[int] = (), retry: Retry = "failed", wanted: Wanted = ANY
    ) -> array[int]:
        """Return the rows that count, in the order of the numbers of their instances.

        Of each instance the newest finished row counts; without one, the newest. A failure or a limit does not replace
        a row that is neither, even if that is of fewer searches than wanted. A newer row of the same number and
        another `run_id` replaces it: the instance has changed. So does a newer row of the same `run_id` and another
        number: the instance has moved.

        Parameters
        ----------
        code : str, optional
            Fingerprint of the current code; rows of other code do not count. None: all rows count.
        gone : collection of int
            Keys of rows whose instances have changed or are gone; they do not count.
        retry, wanted
            Arguments of `is_finished`.
        """
        counts = [code is None or kind.code == code for kind in self._names]
        ends = [self.declared.status(kind.status).is_end for kind in self._names]
        finished = [self._is_finished(kind, retry, wanted) for kind in self._names]
        ranks = [2 * is_end + is_finished for is_end, is_finished in zip(ends, finished, strict=True)]
        if not gone and all(counts) and len({*self.keys}) == len(self) == len({*self.numbers}):  # takes less memory
            return array("Q", sorted(range(len(self)), key=self.numbers.__getitem__))
        found: dict[int, int] = {}
        numbers: dict[int, int] = {}
        for row, (key, number, kind) in enumerate(zip(self.keys, self.numbers, self._kinds, strict=True)):
            if not counts[kind] or key in gone:
                continue
            before = numbers.get(key)
            if before is not None and ranks[kind] < ranks[self._kinds[found[before]]]:
                continue
            if before is not None and before != number:
                del found[before]
            if number in found and self.keys[found[number]] != key:
                del numbers[self.keys[found[number]]]
            found[number], numbers[key] = row, number
        return array("Q", (found[number] for number in sorted(found)))

    def is_finished(self, row: int, retry: Retry, wanted: Wanted = ANY) -> bool:
        """Whether a sweep does not make a row again.

        Parameters
        ----------
        retry : {"failed", "limits", "none"}
            Setting of the sweep.
        """
        return self._is_finished(self.kind(row), retry, wanted)

    def _is_finished(self, kind: _Kind, retry: Retry, wanted: Wanted) -> bool:
        status = self.declared.status(kind.status)
        is_cut_off = status.retry == "limits" and wanted.limits not in (None, kind.limits)
        is_short = status.is_end and kind.repetitions < wanted.repeat
        return not ((retry != "none" and (is_cut_off or is_short)) or status.is_made_again(retry))

    def is_settled(self, newest: Sequence[int]) -> bool:
        """Whether the log holds nothing but the rows that count, sorted by their instances, in one file."""
        if len(self.files) != 1 or not newest or [*newest] != [*range(len(self))]:
            return False
        last = len(self) - 1
        _, line, _ = next(self._lines([last]))
        return self._places[last] + len(line) == self.files[0].stat().st_size  # no half-written line follows

    def rows(self, wanted: Sequence[int]) -> Iterator[tuple[bytes, dict[str, str]]]:
        """Yield the line and the values of some rows.

        Raises
        ------
        UserError
            If a file has changed since it was read first.
        """
        for index, line, values in self._lines(wanted):
            yield line, dict(zip(self.headers[index], values, strict=False))

    def _lines(self, wanted: Sequence[int]) -> Iterator[tuple[int, bytes, list[str]]]:
        """Yield the number of the file, the line and the values of some rows."""
        places = [(header.index("run_id"), header.index(NUMBER)) if header else (0, 0) for header in self.headers]
        with ExitStack() as stack:
            files = [stack.enter_context(open_regular(file, max_bytes=None)) for file in self.files]
            for row in wanted:
                index, offset = divmod(self._places[row], 1 << _OFFSET_BITS)
                files[index].seek(offset)
                line = files[index].readline()
                values, (run_id, number) = csv_values(line), places[index]
                if (
                    len(values) != len(self.headers[index])
                    or key_of(values[run_id]) != self.keys[row]
                    or values[number] != str(self.numbers[row])
                ):
                    raise file_error(self.files[index], "has changed while it was read; try again")
                yield index, line, values

    def plans(self, keys: Collection[int]) -> dict[int, bytes]:
        """Return the lines of plans.jsonl of the rows with these keys."""
        found: dict[int, bytes] = {}
        for file in self._plan_files():
            for _, line, plan in plan_lines(file):
                if plan is not None and (key := key_of(plan.run_id)) in keys:
                    found[key] = found.get(key, b"") + line
        return found

    def _plan_files(self) -> list[Path]:
        return [file.with_name(RecordFile.PLANS) for file in self.files if file.with_name(RecordFile.PLANS).exists()]

    def settle(self, columns: Sequence[str], newest: Sequence[int]) -> None:
        """Write the log of a complete cell once more: rows that count and their plans, sorted by their instances.

        Each file appears whole or not at all. The files of parts are removed.

        Parameters
        ----------
        columns : sequence of str
            Columns of metrics.csv.
        newest : sequence of int
            Rows that count, as `newest` returns them.
        """
        plans = self._plan_files()
        _settle_plans(self.folder / RecordFile.PLANS, plans, {self.keys[row]: self.numbers[row] for row in newest})
        if not self.is_settled(newest):
            is_same = all(header == list(columns) for header in self.headers)
            with atomic_write(self.folder / RecordFile.METRICS, "wb") as out:
                out.write(csv_line(columns))
                if is_same:
                    out.writelines(line for _, line, _ in self._lines(newest))
                else:
                    out.writelines(csv_line(row.get(name, "") for name in columns) for _, row in self.rows(newest))
        for file in (*plans, *self.files):  # a part counts as long as it has rows
            if file.parent != self.folder:
                file.unlink()


def _check_numbers(number: str, values: Mapping[str, str]) -> None:
    """Raise `ValueError` for a value that is neither a number nor a bool: the row is damaged, so it is not finished."""
    for name, text in values.items():
        if text and number_of(text) is None:
            raise ValueError(f"{NUMBER} {number}: {name}: expected a number, got {text[:50]!r}")


def _settle_plans(target: Path, files: Sequence[Path], numbers: Mapping[int, int]) -> None:
    """Write the plans of the rows with these keys, sorted by their numbers: the lines of the last search of each."""
    keys, places = array("Q"), array("Q")
    first: dict[int, int] = {}  # lines from which the last search of each row begins
    improved: dict[int, float] = {}
    every = 0
    for index, file in enumerate(files):
        for offset, line, plan in plan_lines(file):
            every += 1
            if plan is None or not line.endswith(b"\n") or (key := key_of(plan.run_id)) not in numbers:
                continue
            # a search ends with its plan, and each of its improvements costs less than the one before
            is_improvement = plan.seconds is not None
            if key not in improved or (is_improvement and plan.cost >= improved[key]):
                first[key] = len(keys)
            if is_improvement:
                improved[key] = plan.cost
            else:
                improved.pop(key, None)
            keys.append(key)
            places.append(index << _OFFSET_BITS | offset)
    last_searches = (place for place, key in enumerate(keys) if place >= first[key])
    kept = sorted(last_searches, key=lambda place: numbers[keys[place]])
    if kept == [*range(every)] and [*files] == [target]:
        return
    opened = [open_regular(file, max_bytes=None) for file in files]
    try:
        with atomic_write(target, "wb") as out:
            for place in kept:
                index, offset = divmod(places[place], 1 << _OFFSET_BITS)
                opened[index].seek(offset)
                out.write(opened[index].readline())
    finally:
        for each in opened:
            each.close()


def _change_columns(path: Path, columns: Sequence[str], code: str) -> None:
    """Write a log of other code once more, with the current columns. Its rows are kept, but do not count."""
    with reading(path):
        header, rows = numbered_rows(path)
        with atomic_write(path, "wb") as out:
            out.write(csv_line(columns))
            for _, values in rows:
                row = dict(zip(header, values, strict=True))
                if NUMBER not in header or row.get("code", "") == code:
                    raise UserError(
                        f"{path}: another version has written it, with other columns; choose another directory"
                    )
                out.write(csv_line(row.get(name, "") for name in columns))


def _end_of_lines(file: io.FileIO) -> int:
    """Return the position after the last complete line."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def lock_file(file: IO[Any]) -> bool:
    """Lock an open file until it is closed, and return whether that worked; True if the file system has no locks."""
    try:
        return lock_descriptor(file.fileno(), blocking=False)
    except OSError:
        return True


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
