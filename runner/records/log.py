"""Log of a cell: its rows and plans on disk, in the order in which they were finished.

While a cell runs, rows are appended to its metrics.csv; nothing is moved or rewritten. `runner.records.rule` decides
which of them count. When the cell is complete, `settle` writes its files once more: the rows that count, sorted by the
numbers of their instances.
"""

from __future__ import annotations

import errno
import io
import math
import mmap
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import numpy as np
from filelock import lock_descriptor

from runner.base import (
    INTERRUPTED,
    SOLVED,
    UNSOLVABLE,
    Declared,
    UserError,
    atomic_write,
    file_error,
    natural_order,
    number_of,
    open_regular,
)
from runner.records.bounded_files import reading
from runner.records.csv_table import csv_line, csv_values, numbered_rows, read_rows
from runner.records.row import Row, key_of, plan_lines
from runner.records.rule import ALL_ROWS, RowKind, RowRule
from runner.records.run_folder import RecordFile, RunFolder

PART = "part-"
"""Prefix of the folders, inside that of a cell, in which tasks of a cluster write the rows of some instances."""
NUMBER = "number"
_MAX_NUMBER = 1 << 53
_NEEDED = (
    NUMBER, "run_id", "search_seconds", "code", "limits", "status", "content", "valid", "cost", "bound", "repetitions",
)  # fmt: skip

Array = np.ndarray[Any, np.dtype[Any]]
ROW = np.dtype(
    [
        ("key", np.uint64), ("number", np.int64), ("kind", np.uint32), ("file", np.uint32), ("offset", np.int64),
        ("seconds", float), ("content", np.uint64), ("is_plan", bool), ("is_unsolvable", bool), ("cost", float),
        ("bound", float),
    ]
)  # fmt: skip
"""Row in memory: keys of its `run_id` and `content` (0: none), the number of its instance, its kind, its file and the
position there, and what it claims: a valid plan or that there is none, its cost and its bound (NaN: none)."""


class LogWriter:
    """Append rows to metrics.csv and plans to plans.jsonl of a folder; the system has both when `append` returns.

    Existing files go on after their last complete line. A plan is written before its row: a row on disk means that the
    instance is finished. The files are locked while the writer is open.

    Parameters
    ----------
    columns : sequence of str
        Columns of metrics.csv.
    code : str
        Fingerprint of the current code. The columns of rows of other code are changed.
    keeps_repetitions : bool
        Keep each search of an instance that is searched several times in repetitions.csv.
    writes_outputs : bool
        Write what programs have printed; otherwise their files stay as they are.

    Attributes
    ----------
    is_settled : bool
        Whether the files are as `settle` would write them, if the cell is complete now.
    """

    def __init__(
        self,
        folder: Path,
        columns: Sequence[str],
        code: str = "",
        *,
        keeps_repetitions: bool = False,
        writes_outputs: bool = True,
    ) -> None:
        self._writes_outputs = writes_outputs
        self._columns = tuple(columns)
        self._code = code
        self._last = -1
        self._outputs = folder / RecordFile.PRINTED
        self._has_outputs = self._outputs.is_dir()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._metrics = self._opened(folder / RecordFile.METRICS)
            self._plans = self._opened(folder / RecordFile.PLANS)
            is_new = not (self._metrics.tell() or self._plans.tell())
            self.is_settled = is_new and not any(folder.glob(f"{PART}*/{RecordFile.METRICS}"))
            self._repetitions = self._opened(folder / RecordFile.REPETITIONS) if keeps_repetitions else None
            for file in (self._metrics, self._repetitions):
                if file is not None and not file.tell():
                    _append(file, csv_line(columns))
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise UserError(f"{error.filename or folder}: {error.strerror}") from None

    def append(self, rows: Sequence[Row], improvements: bytes = b"", repetitions: Sequence[Row] = ()) -> None:
        """Append repetitions, then plans, then rows.

        Parameters
        ----------
        improvements : bytes
            Lines of plans.jsonl with improved solutions of an instance that has no row yet.
        repetitions : sequence of Row
            Single searches; `rows` may have their medians.
        """
        if self._repetitions is not None:
            _append(self._repetitions, b"".join(row.line for row in repetitions))
        plans = b"".join(row.plans for row in rows)
        for row in rows if self._writes_outputs else ():
            self._write_output(row)
        if improvements or plans:
            _append(self._plans, improvements + plans)
        _append(self._metrics, b"".join(row.line for row in rows))
        for row in rows:
            self.is_settled = self.is_settled and row.number > self._last
            self._last = row.number
        self.is_settled = self.is_settled and not improvements

    def _write_output(self, row: Row) -> None:
        """Write what a program has printed; remove what an earlier search of the instance has left."""
        file = self._outputs / f"{row.key:016x}.txt"
        if row.output:
            self._outputs.mkdir(exist_ok=True)
            with atomic_write(file, "wb") as out:
                out.write(row.output.encode(errors="backslashreplace"))
            self._has_outputs = True
        elif self._has_outputs:
            file.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files after all data has reached the disk."""
        for file in self._files:
            os.fsync(file.fileno())
        self.close_inherited()

    def close_inherited(self) -> None:
        """Close the files in a forked process; its parent keeps them, and their locks."""
        for file in self._files:
            file.close()

    @property
    def _files(self) -> list[io.FileIO]:
        return [file for file in (self._repetitions, self._plans, self._metrics) if file is not None]

    def _opened(self, path: Path) -> io.FileIO:
        """Open and lock a file; to append, after its last complete line."""
        file = open(path, "a+b", buffering=0)  # noqa: SIM115
        try:
            if not lock_file(file):
                raise UserError(f"{path}: another process is writing to this file; wait until it ends")
            end = _end_of_lines(file)
            file.seek(0)
            header = csv_line(self._columns)
            if path.name != RecordFile.PLANS and end > 0 and file.read(len(header)) != header:
                file.close()
                if path.name == RecordFile.METRICS:
                    _refuse_other_version(path, self._code)
                _join([path], path, self._columns)  # rows of other code are kept, but do not count
                return self._opened(path)
            file.truncate(end)
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file


class Log:
    """Rows of a cell on disk, in the order in which they were finished. About 70 bytes for each are in memory.

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
    table : array of ROW
        What decides which rows count, for each row.
    kinds : list of RowKind
        Combinations of code, limits, status and repetitions; the column `kind` of the table has their numbers.
    declared : Declared
        Metrics and statuses that the rows declare.

    Raises
    ------
    UserError
        If a file is corrupt.
    """

    def __init__(self, folder: Path, *, with_parts: bool) -> None:
        self.folder = folder
        parts = sorted(folder.glob(f"{PART}*/{RecordFile.METRICS}"), key=natural_order) if with_parts else []
        self.files = [file for file in (folder / RecordFile.METRICS, *parts) if file.exists()]
        self.headers: list[list[str]] = []
        self.declared = Declared()
        tables = [np.empty(0, ROW)]
        kinds: dict[tuple[str, str, str, int], int] = {}
        for number, file in enumerate(self.files):
            self.declared |= RunFolder(file.parent).declared()
            tables.append(np.fromiter(self._read(number, file, kinds), ROW))
        self.table = np.concatenate(tables)
        self.kinds = [
            RowKind(self.declared.status(status), code, limits, searches) for status, code, limits, searches in kinds
        ]

    def _read(self, number: int, file: Path, kinds: dict[tuple[str, str, str, int], int]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a file, whose place in `files` is given. New kinds are numbered."""
        with reading(file):
            header, rows = numbered_rows(file)
            self.headers.append(header)
            if not header:
                return
            columns = {name: column for column, name in enumerate(header)}
            needed = itemgetter(*(columns[name] for name in _NEEDED))
            numeric = [NUMBER, *(name for name in self.declared.all_metrics if name in columns)]
            numeric_values = itemgetter(*(columns[name] for name in numeric))
            for offset, values in rows:
                place, run_id, seconds, code, limits, status, content, valid, cost, bound, searches = needed(values)
                try:
                    list(map(float, filter(None, numeric_values(values))))
                except ValueError:
                    _check_numbers(place, dict(zip(numeric, numeric_values(values), strict=True)))
                if not 0 <= int(place) < _MAX_NUMBER:
                    raise ValueError(f"{NUMBER} {place}")
                kind = kinds.setdefault((status, code, limits, int(searches or 1)), len(kinds))
                is_plan = status == SOLVED.name and valid == "True" and cost != ""
                claims = is_plan, status == UNSOLVABLE.name, _float(cost), _float(bound)
                problem = key_of(content) if content else 0
                yield key_of(run_id), int(place), kind, number, offset, float(seconds or 0), problem, *claims

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def keys(self) -> list[int]:
        """Key of the `run_id` of each row."""
        keys: list[int] = self.table["key"].tolist()
        return keys

    @property
    def numbers(self) -> Array:
        """Number of the instance of each row in its source."""
        return self.table["number"]

    def kind(self, row: int) -> RowKind:
        """Return the code, the limits, the status and the repetitions of a row."""
        return self.kinds[int(self.table["kind"][row])]

    def of_kind(self, rank: Callable[[RowKind], int]) -> Array:
        """Return the value of a function of its kind for each row."""
        return np.fromiter(map(rank, self.kinds), np.intp, len(self.kinds)).take(self.table["kind"])

    def output_of(self, row: int) -> Path:
        """Return the file of what the program has printed for a row, which need not exist."""
        name = f"{self.keys[row]:016x}.txt"
        file = self.files[self.table["file"][row]].parent / RecordFile.PRINTED / name
        return file if file.exists() else self.folder / RecordFile.PRINTED / name

    def counted(self, rule: RowRule = ALL_ROWS) -> Array:
        """Return the rows that count, in the order of the numbers of their instances.

        Of each `run_id`, the newest of the rows with the highest rank counts.
        """
        ranks = self.of_kind(rule.rank)
        rows = np.flatnonzero(ranks)
        rows = rows[last_of_each(ranks[rows], self.table["key"][rows])]
        return rows[np.argsort(self.numbers[rows], kind="stable")]

    def current(self, rule: RowRule) -> Array:
        """Return the rows that count and that the current code has made, in the order of `counted`."""
        rows = self.counted(rule)
        return rows[self.of_kind(rule.is_current)[rows] > 0]

    def interruptions(self) -> Counter[int]:
        """Return how many searches of each key were interrupted."""
        rows = np.flatnonzero(self.of_kind(lambda kind: kind.status == INTERRUPTED))
        return Counter(self.table["key"][rows].tolist())

    def is_settled(self, rows: Sequence[int] | Array) -> bool:
        """Whether the log holds nothing but these rows, in this order, in one file."""
        is_one_file = [file.parent for file in self.files] == [self.folder]  # that of a part is no file of the cell
        if not is_one_file or not len(rows) or not np.array_equal(rows, np.arange(len(self))):
            return False
        line, _ = next(self.rows(rows[-1:]))
        end = int(self.table["offset"][-1]) + len(line)
        return end == self.files[0].stat().st_size  # no half-written line follows

    def rows(
        self, wanted: Sequence[int] | Array, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[bytes, dict[str, str]]]:
        """Yield the line and the values of some rows.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns of the lines; by default those of their files.

        Raises
        ------
        UserError
            If a file has changed since it was read first.
        """
        has_columns = [columns is None or header == [*columns] for header in self.headers]
        found = self.table[["key", "number", "file", "offset"]][np.asarray(wanted, np.intp)]
        with ExitStack() as stack:
            files = [stack.enter_context(open_regular(file, max_bytes=None)) for file in self.files]
            for key, number, index, offset in found.tolist():
                header = self.headers[index]
                line = _line_at(files, index, offset)
                texts = csv_values(line)
                values = dict(zip(header, texts, strict=False))
                is_same = len(texts) == len(header) and key_of(values["run_id"]) == key
                if not is_same or values[NUMBER] != str(number):
                    raise file_error(self.files[index], "has changed while it was read; try again")
                if columns is not None and not has_columns[index]:
                    line = csv_line(values.get(name, "") for name in columns)
                yield line, values

    def plans(self, keys: Iterable[int]) -> Iterator[bytes]:
        """Yield, for each of some keys, the lines of plans.jsonl of the last search of its row; b"" if it has none."""
        places: dict[int, list[tuple[int, int]]] = {key: [] for key in keys}
        costs: dict[int, float] = {}  # of the improvements of searches that have not ended
        for index, file in enumerate(self._plan_files()):
            for offset, line, plan in plan_lines(file):
                if plan is None or not line.endswith(b"\n") or (key := key_of(plan.run_id)) not in places:
                    continue
                # a search ends with its plan, or set of plans; each of its improvements costs less than the one before
                is_improvement = plan.seconds is not None
                is_first = key not in costs or (is_improvement and plan.cost >= costs[key])
                if is_first and plan.solution <= 1:
                    places[key] = []
                places[key].append((index, offset))
                costs.pop(key, None)
                if is_improvement:
                    costs[key] = plan.cost
        with ExitStack() as stack:
            files = [stack.enter_context(open_regular(file, max_bytes=None)) for file in self._plan_files()]
            for key in places:
                yield b"".join(_line_at(files, *place) for place in places[key])

    def _plan_files(self) -> list[Path]:
        return [file.with_name(RecordFile.PLANS) for file in self.files if file.with_name(RecordFile.PLANS).exists()]

    def settle(self, columns: Sequence[str], rows: Sequence[int] | Array) -> None:
        """Write the files once more: these rows and their plans, in this order.

        Each file appears whole or not at all. The files of parts are removed.

        Parameters
        ----------
        columns : sequence of str
            Columns of metrics.csv.
        """
        plan_files = self._plan_files()
        if plan_files:
            with atomic_write(self.folder / RecordFile.PLANS, "wb") as out:
                out.writelines(self.plans(self.keys[row] for row in rows))
        if not self.is_settled(rows):
            with atomic_write(self.folder / RecordFile.METRICS, "wb") as out:
                out.write(csv_line(columns))
                out.writelines(line for line, _ in self.rows(rows, columns))
        for file in (*plan_files, *self.files):  # a part counts as long as it has rows
            if file.parent != self.folder:
                self._move_outputs(file.parent / RecordFile.PRINTED)
                self._move_repetitions(file.with_name(RecordFile.REPETITIONS), columns)
                file.unlink()

    def _move_outputs(self, part: Path) -> None:
        """Move what programs have printed from the folder of a part."""
        files = [*part.glob("*.txt")]
        if files:
            (self.folder / RecordFile.PRINTED).mkdir(exist_ok=True)
        for file in files:
            file.replace(self.folder / RecordFile.PRINTED / file.name)

    def _move_repetitions(self, part: Path, columns: Sequence[str]) -> None:
        """Move the single searches of a part behind those of the cell."""
        own = self.folder / RecordFile.REPETITIONS
        if part.exists():
            _join([file for file in (own, part) if file.exists()], own, columns)
            part.unlink()


def _join(files: Sequence[Path], target: Path, columns: Sequence[str]) -> None:
    """Write the rows of tables, one after the other, into one with these columns."""
    with atomic_write(target, "wb") as out:
        out.write(csv_line(columns))
        for file in files:
            out.writelines(csv_line(row.get(name, "") for name in columns) for row in read_rows(file))


def last_of_each(ranks: Array, *keys: Array) -> Array:
    """Return the places of the last among the items of the highest rank that agree in all keys, in ascending order."""
    order = np.lexsort((ranks, *keys))
    is_last = np.ones(len(order), bool)
    is_last[:-1] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    return np.sort(order[is_last])


def _line_at(files: Sequence[IO[bytes]], index: int, offset: int) -> bytes:
    """Return the line at a position of one of some files."""
    files[index].seek(offset)
    return files[index].readline()


def _float(text: str) -> float:
    number = number_of(text)
    return math.nan if number is None else number


def _check_numbers(number: str, values: Mapping[str, str]) -> None:
    """Raise `ValueError` for a value that is neither a number nor a bool: the row is damaged, so it is not finished."""
    for name, text in values.items():
        if text and number_of(text) is None:
            raise ValueError(f"{NUMBER} {number}: {name}: expected a number, got {text[:50]!r}")


def _refuse_other_version(path: Path, code: str) -> None:
    """Raise `UserError` if a log with other columns has rows of the current code."""
    log = Log(path.parent, with_parts=False)
    if not any(log.headers) or any(log.kind(row).code == code for row in range(len(log))):
        raise UserError(f"{path}: another version has written it, with other columns; choose another directory")


def _end_of_lines(file: io.FileIO) -> int:
    """Return the position after the last complete line."""
    if file.seek(0, os.SEEK_END) == 0:
        return 0
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.rfind(b"\n") + 1


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
