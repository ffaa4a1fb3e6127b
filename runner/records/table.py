"""Results as a pandas table."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runner.base import NAMES, Declared, UserError, file_error, files_below, natural_order, walked
from runner.records.bounded_files import RecordBound, reading
from runner.records.csv_table import CsvTable, csv_line, parsed
from runner.records.folder import SweepFolder
from runner.records.given import GivenResults
from runner.records.log import Log
from runner.records.run_folder import RecordFile, RunFolder, newest_time
from runner.records.view import SweepLogs, cell_of, write_table

if TYPE_CHECKING:
    import pandas

FOLDER = "folder"
_TABLE = "number of the table"
_WHOLE = re.compile(r"-?(0|[1-9]\d*)")
_BOOLS = ("True", "False", "true", "false")
_MAX_EXACT = 1 << 53
"""Largest number up to which floats have all whole numbers."""
_ALLOWED = "give a CSV file, or the folder or archive of a run or a sweep"
_TEXT = {name: str for name in NAMES if name not in (*Declared().all_metrics, "seed", "valid", "number")}


class ResultTable(NamedTuple):
    """Rows of a run or a sweep that count.

    Attributes
    ----------
    given : int
        Number of the given path with these rows.
    home : Path
        Folder of the run or the sweep.
    file : Path
        Table in this folder. If it has none that is up to date, a table in a temporary folder.
    is_given : bool
        Whether this file was given, not its folder. Then nothing beside it has rows.
    """

    given: int
    home: Path
    file: Path
    is_given: bool = False

    @property
    def place(self) -> Path:
        """Path for messages: the table, or the folder."""
        return self.file if self.file.parent == self.home else self.home

    def modified(self) -> int:
        """Return the time at which a row was written last, in nanoseconds."""
        logs = [] if self.is_given else files_below(self.home, RecordFile.METRICS)
        return newest_time(logs) or newest_time([self.file])

    @classmethod
    @contextmanager
    def below(cls, paths: Sequence[Path], problems: list[str] | None = None) -> Iterator[list[ResultTable]]:
        """Return the tables at or below some paths, those below a path in natural order.

        All rows below the folder of a run or a sweep belong to it. Unless results.csv is up to date, the rows that
        count are collected into a temporary folder, which is deleted at the end of this context.

        Parameters
        ----------
        paths : sequence of Path
            CSV files, which are taken as they are, and folders.
        problems : list of str, optional
            What is wrong with the files of cells is appended; these cells are left out. By default it is an error.
        """
        with TemporaryDirectory(prefix="search-runner-") as temporary:
            tables: dict[Path, ResultTable] = {}
            for number, path in enumerate(paths):
                if path.is_file():
                    tables.setdefault(path.resolve(), cls(number, path.parent, path, is_given=True))
                for home in homes_below(path):
                    if home.resolve() not in tables:
                        file = _collected(home, Path(temporary, str(len(tables))), problems)
                        tables[home.resolve()] = cls(number, home, file)
            yield [*tables.values()]


def homes_below(path: Path) -> list[Path]:
    """Return the folders of runs and sweeps with rows, at or below a folder, in natural order."""
    homes: dict[Path, None] = {}
    for name, folders, files in os.walk(path):
        if not {RecordFile.SWEEP, RecordFile.RESULTS, RecordFile.METRICS}.isdisjoint(files):
            folders.clear()
            folder = Path(name)
            if RecordFile.METRICS in files:
                folder = cell_of(folder / RecordFile.METRICS) if folder != path else folder
            if RecordFile.RESULTS in files or files_below(folder, RecordFile.METRICS):
                homes[folder] = None
    return sorted(homes, key=natural_order)


def record_files(folder: Path) -> list[Path]:
    """Return the records of all runs and sweeps at or below a folder, in natural order.

    Of the tables of a run or a sweep, results.csv is one of them if it is up to date, otherwise metrics.csv.

    Raises
    ------
    UserError
        If there are no rows.
    """
    homes = homes_below(folder)
    if not homes:
        raise UserError(
            f"{folder}: there is no {RecordFile.RESULTS} or {RecordFile.METRICS}; give the folder of a run or a sweep"
        )
    unused = {home: RecordFile.METRICS if SweepFolder(home).is_collected() else RecordFile.RESULTS for home in homes}
    records = (file for file in walked(folder) if RecordFile.matches(file.relative_to(folder).as_posix()))
    used = (file for file in records if all(unused.get(parent) != file.name for parent in file.parents))
    return sorted((file for file in used if file.is_file() and not file.is_symlink()), key=natural_order)


def _collected(home: Path, temporary: Path, problems: list[str] | None) -> Path:
    """Return the file with the rows of a run or a sweep that count; write it if there is none."""
    sweep = SweepFolder(home)
    run = home / RecordFile.METRICS
    if sweep.is_collected():
        return home / RecordFile.RESULTS
    if run.exists():
        try:
            log = Log(home, with_parts=True)
        except UserError:  # made by hand, or corrupt: who reads the table will tell
            return run
        if log.is_settled(log.counted()):
            return run
        logs = {home: log}
    else:
        logs = SweepLogs(home, problems).logs
    temporary.mkdir()
    write_table(sweep, logs, temporary, write=open)
    return temporary / RecordFile.RESULTS


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
        All columns of all tables, and the metrics that follow from them. If there are several tables, the column
        `folder` is the folder of the row.

    Raises
    ------
    UserError
        If there are no results.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise UserError("read: the list of folders is empty; give at least one")
    with (
        GivenResults.opened(paths, records=RecordFile.TABLES) as all_results,
        ResultTable.below([results.path for results in all_results]) as result_tables,
    ):
        for number, results in enumerate(all_results):
            if not any(table.given == number for table in result_tables):
                raise UserError(f"{results.name}: there are no results; {_ALLOWED}")
        declared = Declared()
        for folder in dict.fromkeys(table.file.parent for table in result_tables):
            with suppress(UserError, OSError):  # the rows can be read without
                declared |= RunFolder(folder).declared()
        frame = _joined(result_tables, declared)
    tables = frame.pop(_TABLE)
    frame = declared.with_derived(frame)
    if len(result_tables) > 1:
        folders = np.array([all_results[table.given].name_of(table.home) for table in result_tables], object)
        frame.insert(len(frame.columns), FOLDER, folders[tables.to_numpy(int)])
    return frame


def _joined(tables: Sequence[ResultTable], declared: Declared) -> pandas.DataFrame:
    """Return the rows of all tables, with the number of the table. Tables with equal headers are parsed together.

    To parse a table takes pandas some milliseconds, even without rows, and there may be thousands. Whole numbers beside
    missing values become Int64, because floats lose digits; metrics only where floats would. The values of a swept key
    stay texts if one of them is not as the number would be written, such as 1.10 or 007.
    """
    import pandas
    from pandas.api.types import is_integer_dtype

    def stays_whole(column: pandas.Series) -> bool:
        is_key = column.name not in declared.all_metrics and bool(column.notna().any())
        return is_key or bool(column.abs().max() > _MAX_EXACT)

    tables_by_header: dict[tuple[str, ...], list[int]] = {}
    for number, table in enumerate(tables):
        tables_by_header.setdefault(_header(table), []).append(number)
    frames: list[pandas.DataFrame] = []
    for header, numbers in tables_by_header.items():
        rows = (_rows(tables[number], number) for number in numbers)
        lines = list(chain([csv_line([*header, _TABLE])], *rows))
        frame = parsed(lines, dtype=_TEXT)
        floats = [name for name, column in frame.select_dtypes("float64").items() if stays_whole(column)]
        keys = [name for name in frame.select_dtypes(["number", "bool"]) if "." in str(name)]
        used = {*floats, *keys}
        texts = parsed(lines, usecols=sorted(used), dtype=str) if used else pandas.DataFrame()
        frames.append(frame.assign(**{str(name): _as_written(texts[name], frame[name]) for name in texts}))
    if len(frames) == 1:
        return frames[0]
    for name in dict.fromkeys(name for frame in frames for name in frame):
        columns = [frame[name] for frame in frames if name in frame]
        whole = [column for column in columns if is_integer_dtype(column)]
        if any(map(stays_whole, whole)) and all(is_integer_dtype(each) or each.isna().all() for each in columns):
            frames = [frame.astype({name: "Int64"}) if name in frame else frame for frame in frames]
    return pandas.concat(frames).sort_values(_TABLE, kind="stable", ignore_index=True)


def _as_written(texts: pandas.Series, column: pandas.Series) -> pandas.Series:
    """Return a column of numbers as whole numbers if it has no others, as texts if one is written differently."""
    import pandas

    given = texts.dropna().unique()
    if "." in str(column.name) and not all(text in _BOOLS or _is_plain(text) for text in given):
        return texts
    if column.dtype != "float64" or not len(given) or not all(map(_WHOLE.fullmatch, given)):
        return column
    values = [None if text is None else int(text) for text in texts.astype("object").where(texts.notna(), None)]
    try:
        return pandas.Series(pandas.array(values, dtype="Int64"), column.index)
    except OverflowError:
        return column


def _is_plain(text: str) -> bool:
    """Whether a text is a number as it is written in tables."""
    return _WHOLE.fullmatch(text) is not None or text in (repr(float(text)), f"{float(text):.15g}")


def _header(table: ResultTable) -> tuple[str, ...]:
    """Return the columns of a table."""
    with reading(table.place):
        header = CsvTable(table.file).header
    if not header:
        raise file_error(table.place, "not a table of results (it has no columns)")
    return tuple(header)


def _rows(table: ResultTable, number: int) -> Iterator[bytes]:
    """Yield the rows of a table as lines of CSV, each with the number of the table at its end."""
    with reading(table.place):
        for _, line in CsvTable(table.file, max_bytes=RecordBound.TABLE).lines():
            yield b"%b,%d\n" % (line.rstrip(b"\n"), number)
