"""Write the rows of all cells of a sweep to one table.

A search that several cells share has a row for each of them, with the swept values of that cell.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from runner.base.columns import NAMES, Declared
from runner.records.declared import declared_in, write_declared
from runner.records.folder import Job, SweepFolder
from runner.records.reader import checked_rows, metrics_below
from runner.records.row import csv_line, key_of
from runner.records.totals import Totals
from runner.records.writer import METRICS, PART, RESULTS
from worlds.files import atomic_write


class _Swept:
    """Swept keys that are not columns of rows, and their values in the cells."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.keys = [key for key in dict.fromkeys(key for job in jobs for key in job.swept) if key not in NAMES]
        self._by_folder = {job.folder: job.values for job in jobs}

    def values(self, folder: str) -> tuple[str, ...]:
        """Return the value of each key in the cell of a folder; empty if the cell does not set it."""
        of_cell = self._by_folder.get(folder, {})
        return tuple(of_cell.get(key, "") for key in self.keys)


class _Table:
    """Writer of results.csv: the columns of the rows, and one column for each swept key.

    Parameters
    ----------
    columns : sequence of str
        Columns of the rows.
    """

    def __init__(self, out: IO[bytes], columns: Sequence[str], swept: _Swept) -> None:
        self._out, self._columns, self._swept = out, columns, swept
        out.write(csv_line((*columns, *swept.keys)))

    def suffix(self, folder: str) -> bytes:
        """Return the end of each line of a cell: the values of the swept keys."""
        return csv_line(("", *self._swept.values(folder))) if self._swept.keys else b"\n"

    def write(self, row: Mapping[str, str], suffix: bytes) -> None:
        """Write a row."""
        self._out.write(csv_line(row.get(name, "") for name in self._columns)[:-1] + suffix)

    def copy(self, file: Path, columns: Sequence[str], suffix: bytes) -> None:
        """Write the rows of a file that this process has written."""
        if tuple(columns) != tuple(self._columns):
            for row in checked_rows(file):
                self.write(row, suffix)
            return
        with open(file, "rb") as rows:
            rows.readline()
            for line in rows:
                self._out.write(line[:-1] + suffix)


def concatenate(sweep: SweepFolder, cells: Sequence[Totals]) -> None:
    """Write results.csv of a sweep whose rows this process has written: there are no half-written lines.

    Parameters
    ----------
    cells : sequence of Totals
        Cells of the sweep, in their order.
    """
    declared = Declared()
    for cell in cells:
        declared |= cell.declared
    write_declared(sweep.path, declared)
    with atomic_write(sweep.path / RESULTS, "wb") as out:
        table = _Table(out, declared.columns, _Swept(sweep.recorded()))
        for cell in cells:
            folder = cell.directory.relative_to(sweep.path).as_posix()
            table.copy(cell.directory / METRICS, cell.declared.columns, table.suffix(folder))


def collect(sweep: SweepFolder) -> list[Totals]:
    """Write results.csv with the rows of all metrics.csv files below a folder, in the order of the cells.

    If several rows have the same `run_id`, limits and swept values, only the newest finished row is written. A
    half-written last line is skipped.

    Returns
    -------
    list of Totals
        Totals of each cell with rows in the table.
    """
    files, swept = metrics_below(sweep.path), _Swept(sweep.recorded())
    folders = [_cell_of(file) for file in files]
    best: dict[tuple[int, str, tuple[str, ...]], tuple[bool, int]] = {}  # whether the row is finished; its position
    columns, positions = list(NAMES), itertools.count()
    declared = Declared()
    for file, folder in zip(files, folders, strict=True):
        own = declared_in(file.parent)
        declared |= own
        rows, last = [], dict[str, str]()
        for last in checked_rows(file):
            rows.append((key_of(last["run_id"]), not own.status(last["status"]).is_made_again("failed")))
        columns += [name for name in last if name not in columns]
        limits = last.get("limits", "")  # the limits of the newest row count for all rows of a file
        values = swept.values(folder.relative_to(sweep.path).as_posix())
        for key, is_finished in rows:
            search = key, limits, values
            best[search] = max(best.get(search, (False, -1)), (is_finished, next(positions)))
    kept, positions = {position for _, position in best.values()}, itertools.count()
    found: dict[Path, Totals] = {}
    write_declared(sweep.path, declared)
    with atomic_write(sweep.path / RESULTS, "wb") as out:
        table = _Table(out, columns, swept)
        for file, folder in zip(files, folders, strict=True):
            totals = found.setdefault(folder, Totals(folder, declared))
            suffix = table.suffix(folder.relative_to(sweep.path).as_posix())
            for row in checked_rows(file):
                if next(positions) in kept:
                    totals.add(row)
                    table.write(row, suffix)
    return [totals for totals in found.values() if totals.rows]


def _cell_of(file: Path) -> Path:
    """Return the folder of the cell to which a file of rows belongs."""
    return file.parent.parent if file.parent.name.startswith(PART) else file.parent
