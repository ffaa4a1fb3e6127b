"""Results as a pandas table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from runner.base.columns import COLUMNS
from runner.base.errors import UserError
from runner.base.metric import Column
from runner.records.folder import SweepFolder
from runner.records.given import given_results
from runner.records.latest import SWEEP
from runner.records.log import NUMBER, Log
from runner.records.reader import MAX_TABLE, METRICS, RESULTS, metrics_below, newest_time
from runner.records.view import SweepLogs, cell_of, write_table
from worlds.files import natural_order, open_regular

if TYPE_CHECKING:
    import pandas

FOLDER = "folder"
_ALLOWED = "give a CSV file, or the folder or archive of a run or a sweep"
_TEXT = {
    column.name: str
    for column in COLUMNS
    if isinstance(column, Column) and column.name not in ("seed", "valid", "number")
}


class Table(NamedTuple):
    """Rows of a run or a sweep that count.

    Attributes
    ----------
    given : int
        Number of the given path with these rows.
    home : Path
        Folder of the run or the sweep.
    file : Path
        Table in this folder. If it has none that is up to date, a table in a temporary folder.
    """

    given: int
    home: Path
    file: Path

    @property
    def place(self) -> Path:
        """Path for messages: the table, or the folder."""
        return self.file if self.file.parent == self.home else self.home

    def modified(self) -> int:
        """Return the time at which a row was written last, in nanoseconds."""
        return newest_time(metrics_below(self.home)) or newest_time([self.file])


@contextmanager
def tables_in(paths: Sequence[Path], problems: list[str] | None = None) -> Iterator[list[Table]]:
    """Return the tables at or below some paths, those below a path in natural order.

    All rows below the folder of a run or a sweep belong to it. Unless results.csv is up to date, the rows that count
    are collected into a temporary folder, which is deleted at the end of this context.

    Parameters
    ----------
    paths : sequence of Path
        CSV files, which are taken as they are, and folders.
    problems : list of str, optional
        What is wrong with the files of cells is appended; these cells are left out. By default it is an error.
    """
    with TemporaryDirectory(prefix="search-runner-") as temporary:
        found: dict[Path, Table] = {}
        for number, path in enumerate(paths):
            if path.is_file():
                found.setdefault(path.resolve(), Table(number, path.parent, path))
            for home in homes_below(path):
                if home.resolve() not in found:
                    file = _collected(home, Path(temporary, str(len(found))), problems)
                    found[home.resolve()] = Table(number, home, file)
        yield [*found.values()]


def homes_below(path: Path) -> list[Path]:
    """Return the folders of runs and sweeps with rows, at or below a folder, in natural order."""
    found: dict[Path, None] = {}
    for name, folders, files in os.walk(path):
        if not {SWEEP, RESULTS, METRICS}.isdisjoint(files):
            folders.clear()
            folder = Path(name)
            if METRICS in files:
                folder = cell_of(folder / METRICS) if folder != path else folder
            if RESULTS in files or metrics_below(folder):
                found[folder] = None
    return sorted(found, key=natural_order)


def _collected(home: Path, temporary: Path, problems: list[str] | None) -> Path:
    """Return the file with the rows of a run or a sweep that count; write it if there is none."""
    sweep, run = SweepFolder(home), home / METRICS
    if sweep.is_collected():
        return home / RESULTS
    if run.exists():
        if _is_in_order(run) and metrics_below(home) == [run]:
            return run
        try:
            logs = {home: Log(home)}
        except UserError:  # made by hand, or corrupt: who reads the table will tell
            return run
    else:
        logs = SweepLogs(home, problems).logs
    temporary.mkdir()
    write_table(sweep, logs, temporary)
    return temporary / RESULTS


def _is_in_order(file: Path) -> bool:
    """Whether the numbers of the instances ascend, as in the log of a complete run: then all rows count."""
    import pandas

    try:
        with open_regular(file, MAX_TABLE) as rows:
            numbers = pandas.read_csv(rows, usecols=[NUMBER])[NUMBER]
        return bool((numbers.diff().iloc[1:] > 0).all())
    except (UserError, ValueError, TypeError):
        return False


def read(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> pandas.DataFrame:
    """Return results as one pandas table.

    Parameters
    ----------
    path : path or list of paths
        CSV files, folders of runs or sweeps, or folders above these; ``"latest"`` is the newest in ``outputs``.
        Also archives (``"theirs.zip"``), tables as Parquet, and rows of the package (``"atlas:korf1985"``).

    Returns
    -------
    pandas.DataFrame
        All columns of all tables. If there are several tables, the column `folder` is the folder of the row.

    Raises
    ------
    UserError
        If there are no results.
    """
    import pandas

    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise UserError("read: the list of folders is empty; give at least one")
    with given_results(paths) as given, tables_in([each.path for each in given]) as found:
        for number, each in enumerate(given):
            if not any(table.given == number for table in found):
                raise UserError(f"{each.name}: there are no results; {_ALLOWED}")
        tables = [_read(table) for table in found]
    if len(tables) == 1:
        return tables[0]
    for table, place in zip(tables, found, strict=True):
        table.insert(len(table.columns), FOLDER, given[place.given].name_of(place.home))
    return pandas.concat(tables, ignore_index=True)


def _read(table: Table) -> pandas.DataFrame:
    import pandas

    try:
        with open_regular(table.file, MAX_TABLE) as file:
            return pandas.read_csv(file, dtype=_TEXT, keep_default_na=False, na_values=[""], low_memory=False)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, ValueError) as error:
        raise UserError(f"{table.place}: not a table of results ({' '.join(str(error).split())})") from None
