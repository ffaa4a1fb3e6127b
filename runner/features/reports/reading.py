"""Read the tables of runs and sweeps. Problems with a file become notes, and the report uses the rest."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from runner.base.bounded_files import RecordBound
from runner.base.columns import NAMES, Declared
from runner.base.errors import UserError
from runner.base.files import read_lines
from runner.base.messages import plural
from runner.base.metric import Metric
from runner.base.status import Status
from runner.core import RecordFile, ResultTable, RunFolder
from runner.features.audits import audit_folders
from runner.features.reports.columns import CONFIGURATION, FOLDER, GROUP, PATH, REVISION, categorical

REQUIRED = ("run_id", "world", "instance", "algorithm", "status")
MAX_COLUMNS = 1_000
"""Maximum number of columns of a table."""
_ROWS_OF_PART = 20_000
_RESERVED = (CONFIGURATION, REVISION, FOLDER, PATH, GROUP)
_OVERRIDE = re.compile(r"\+{0,2}([\w./@-]+)=(.*)", re.DOTALL)
_BOOLS = {"True": "1", "False": "0"}


class RecordedTable(NamedTuple):
    """Rows of a run or a sweep.

    `folder` is the number of the given folder in which it was found, `path` its folder relative to that one, "" if they
    are the same, `modified` the time at which a row was written last, `place` the file for messages, and `absent` has
    the built-in columns that the file does not have.
    """

    folder: int
    path: str
    modified: int
    table: pd.DataFrame
    place: Path
    absent: tuple[str, ...]


def read_tables(folders: Sequence[Path], notes: list[str]) -> tuple[list[RecordedTable], Declared]:
    """Read the rows of runs and sweeps below folders, each once, with the metrics and statuses that they declare."""
    problems: list[str] = []
    with ResultTable.below(folders, problems) as tables:
        given = {table.given for table in tables}
        notes += [note for number, folder in enumerate(folders) if number not in given for note in _nothing(folder)]
        notes += problems
        declared = Declared()
        for place in tables:
            found = _declared(place.file.parent, notes)
            notes += _contradictions(place.home, declared, found)
            declared = declared | found | declared  # the first declaration of a name is used
        recorded = []
        for place in tables:
            table = _read(place, declared.all_metrics, notes)
            if table is not None and len(table):
                is_file = folders[place.given].is_file()
                path = "" if is_file else place.home.relative_to(folders[place.given]).as_posix()
                absent = tuple(name for name in NAMES if name not in table)
                recorded.append(
                    RecordedTable(place.given, path.removeprefix("."), place.modified(), table, place.place, absent)
                )
    present = {name for each in recorded for name in each.table}
    return recorded, replace(
        declared, metrics=tuple(each for each in declared.metrics if present.issuperset(each.inputs))
    )


def _nothing(folder: Path) -> Iterator[str]:
    """Yield why there are no rows below a folder, unless it has audits."""
    if not folder.is_dir():
        yield f"{folder}: there is no such folder"
    elif not audit_folders(folder):
        yield f"{folder}: there is no {RecordFile.RESULTS} or {RecordFile.METRICS}; give the folder of a run or a sweep"


def join(recorded: Sequence[RecordedTable], declared: Declared, folders: Sequence[str]) -> pd.DataFrame:
    """Join all tables into one, with the columns of all of them, the derived metrics, `folder` and `path`.

    Parameters
    ----------
    folders : sequence of str
        Names of the given folders.
    """
    metrics = declared.all_metrics
    texts = [*(name for name in NAMES if name not in metrics), FOLDER, PATH]
    texts += dict.fromkeys(name for each in recorded for name in map(str, each.table) if name not in (*texts, *metrics))
    tables = []
    for each in recorded:
        columns: dict[Any, Any] = {name: each.table[name] for name in each.table}
        columns |= {FOLDER: _constant(folders[each.folder], each.table), PATH: _constant(each.path, each.table)}
        missing = np.full(len(each.table), -1, np.int8)
        columns |= {name: np.full(len(each.table), np.nan) for name in metrics if name not in columns}
        columns |= {name: pd.Series(categorical(missing, [])) for name in texts if name not in columns}
        tables.append(columns)
    if len(tables) == 1:
        order = [*metrics, *texts]
        joined = pd.DataFrame({name: tables[0][name] for name in order}, copy=False).reset_index(drop=True)
        return declared.with_derived(joined)
    numbers = {name: np.concatenate([table[name] for table in tables]) for name in metrics}
    unions = {name: union_categoricals([table[name] for table in tables]) for name in texts}
    return declared.with_derived(pd.DataFrame({**numbers, **unions}, copy=False))


def _constant(text: str, table: pd.DataFrame) -> pd.Series:
    """Return a column with the same text in every row. Characters without an encoding are replaced."""
    codes = np.zeros(len(table), np.int8)
    return pd.Series(categorical(codes, [text.encode(errors="replace").decode()]), index=table.index)


def _declared(folder: Path, notes: list[str]) -> Declared:
    """Return the declarations of a folder, without the names of columns that reports add."""
    try:
        found = RunFolder(folder).declared()
    except (UserError, OSError) as error:
        notes.append(str(error))
        return Declared()
    return Declared(tuple(each for each in found.metrics if each.name not in _RESERVED), found.statuses)


def _contradictions(folder: Path, known: Declared, found: Declared) -> list[str]:
    """Note the names that a folder declares differently from earlier folders."""
    before: dict[str, Metric | Status] = {
        **{each.name: each for each in known.metrics},
        **known.all_statuses,
    }
    declared: tuple[Metric | Status, ...] = (*found.metrics, *found.statuses)
    names = ", ".join(each.name for each in declared if before.get(each.name, each) != each)
    note = f"{folder}: declares {names} differently from an earlier folder; the earlier declaration is used"
    return [note] if names else []


def _read(place: ResultTable, metrics: Mapping[str, Metric], notes: list[str]) -> pd.DataFrame | None:
    """Read one file, which may be corrupt or of another version. Return None if it has no usable table."""
    file = place.place
    try:
        lines = _checked_lines(place.file)
        if not lines.is_complete:
            notes.append(f"{file}: the last line is incomplete; it is left out")
        if not lines.is_utf8:
            notes.append(f"{file}: not all of it is UTF-8; other bytes are shown as \N{REPLACEMENT CHARACTER}")
        if lines.misfits:
            left_out = plural(lines.misfits, "line")
            notes.append(f"{file}: {left_out} with more or fewer fields than the header; left out")
        table, lossy = _parsed(lines, metrics)
    except UserError as error:
        notes.append(str(error))
        return None
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        notes.append(f"{file}: not a table of results ({' '.join(str(error).split())}); left out")
        return None
    missing = [name for name in REQUIRED if name not in table.columns]
    if missing:
        has_semicolons = any(";" in name for name in table.columns)
        remedy = "separate columns by commas, not by ;" if has_semicolons else f"needed are {', '.join(REQUIRED)}"
        notes.append(f"{file}: not a table of results (no column {', '.join(missing)}; {remedy}); left out")
        return None
    unusable = table[list(REQUIRED)].isna().any(axis=1)
    if unusable.any():
        rows = plural(int(unusable.sum()), "row")
        notes.append(f"{file}: {rows} without {' or '.join(REQUIRED)}; left out")
        table = table[~unusable]
    notes += [f"{file}: column {name}: values that are not numbers are left out" for name in lossy]
    return _with_overrides(table, place.home)


@dataclass(frozen=True)
class _CheckedLines:
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


def _checked_lines(file: Path) -> _CheckedLines:
    """Check the lines of a file without keeping them, because it may be large."""
    first, commas, count, longest = b"", set[int](), 0, 0
    has_quotes, is_complete, is_utf8 = False, True, True
    for line in read_lines(file, max_bytes=RecordBound.TABLE):
        if not line.endswith(b"\n"):
            is_complete = False
            break
        first = first or line
        count += 1
        commas.add(line.count(b","))
        longest = max(longest, len(line))
        has_quotes = has_quotes or b'"' in line
        is_utf8 = is_utf8 and (line.isascii() or _is_utf8(line))
    if not has_quotes and len(commas) <= 1 and longest <= RecordBound.FIELD:
        return _CheckedLines(file, next(_fields([first]), []), count - 1, 0, is_complete, is_utf8)
    rows = _fields(line for line in read_lines(file, max_bytes=RecordBound.TABLE) if line.endswith(b"\n"))
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
    return _CheckedLines(io.BytesIO(out.getvalue().encode()), header, kept, misfits, is_complete, is_utf8)


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


def _parsed(lines: _CheckedLines, metrics: Mapping[str, Metric]) -> tuple[pd.DataFrame, list[str]]:
    """Return the table of a file, and the metrics with values that are not numbers, which are left out.

    Metrics are numbers (True is 1, False is 0), all other columns categories in the order of their first rows. Of
    several columns with the same name, the first is used. The file is parsed in parts, to save memory.
    """
    header = lines.header
    if len(header) > MAX_COLUMNS:
        raise ValueError(f"more than {MAX_COLUMNS:,} columns")
    places = {name: place for place, name in reversed(list(enumerate(header))) if name and name not in _RESERVED}
    names = dict(sorted((place, name) for name, place in places.items()))
    known: dict[str, dict[str, int]] = {name: {} for name in names.values() if name not in metrics}
    columns: dict[str, NDArray[Any]] = {
        name: np.full(lines.rows, -1, np.int32) if name in known else np.full(lines.rows, np.nan)
        for name in names.values()
    }
    lossy: dict[str, None] = {}
    with (
        lines.open() as source,
        pd.read_csv(
            source, header=None, skiprows=1, names=list(range(len(header))), usecols=list(names), nrows=lines.rows,
            dtype={place: str for place, name in names.items() if name in known}, keep_default_na=False,
            na_values=[""], low_memory=False, encoding_errors="replace", chunksize=_ROWS_OF_PART,
        ) as parts,
    ):  # fmt: skip
        for part in parts:
            for place, name in names.items():
                if name in known:
                    codes, texts = pd.factorize(part[place].to_numpy(object))
                    numbers = [known[name].setdefault(text, len(known[name])) for text in texts.tolist()]
                    columns[name][part.index] = np.array([*numbers, -1], np.int32)[codes]
                    continue
                values = _numbers(part[place])
                columns[name][part.index] = np.where(np.isfinite(values), values, np.nan)
                if np.isnan(values).sum() > part[place].isna().sum():
                    lossy[name] = None
    made = {n: categorical(each, list(known.pop(n))) if n in known else each for n, each in columns.items()}
    return pd.DataFrame(made, copy=False), list(lossy)


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as numbers; NaN for other values."""
    if not pd.api.types.is_numeric_dtype(column):  # bool is numeric
        texts = column.astype("object").where(column.notna(), None)
        column = pd.to_numeric(texts.map(lambda value: _BOOLS.get(str(value), value)), errors="coerce")
    return column.to_numpy(np.float64)


def _with_overrides(table: pd.DataFrame, home: Path) -> pd.DataFrame:
    """Add the overrides of a run to its rows, as columns. results.csv of a sweep has these columns already."""
    overrides: list[str] = []
    with suppress(UserError, OSError):  # noted when the cells are listed
        overrides = RunFolder(home).overrides()
    found = [match.groups() for text in overrides[:MAX_COLUMNS] if (match := _OVERRIDE.fullmatch(text))]
    settings = {key: value for key, value in found if key not in _RESERVED and not key.startswith("hydra.")}
    new = {key: _constant(value, table) for key, value in settings.items() if key not in table and key not in NAMES}
    return pd.concat([table, pd.DataFrame(new)], axis=1) if new else table
