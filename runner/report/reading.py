"""Read the tables of runs and sweeps. Problems with a file become notes, and the report uses the rest."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from runner.audit.record import audit_folders
from runner.columns import NAMES, Declared
from runner.messages import plural
from runner.metric import Metric
from runner.records.declared import declared_in
from runner.records.reader import overrides_of, read_table
from runner.records.table import tables_in
from runner.records.writer import METRICS as ROWS_OF_CELL
from runner.records.writer import RESULTS
from runner.registry import UserError
from runner.status import Status

CONFIGURATION, REVISION, FOLDER, PATH = "configuration", "revision", "folder", "path"
"""Columns that reports add. `folder` is the given folder of a row, `path` the place of its file in this folder."""

REQUIRED = ("run_id", "world", "instance", "algorithm", "status")
MAX_COLUMNS = 1_000
"""Maximum number of columns of a table."""

_RESERVED = (CONFIGURATION, REVISION, FOLDER, PATH)
_OVERRIDE = re.compile(r"\+{0,2}([\w./@-]+)=(.*)", re.DOTALL)
_BOOLS = {"True": "1", "False": "0"}


@dataclass(frozen=True)
class Part:
    """Rows of one file.

    Attributes
    ----------
    folder : int
        Number of the given folder in which the file was found.
    file : Path
        The file itself.
    path : str
        Folder of the file, relative to the given folder; empty if they are the same.
    table : DataFrame
        Rows. Metrics are float64, all other columns categories of texts.
    """

    folder: int
    file: Path
    path: str
    table: pd.DataFrame


def read_parts(folders: Sequence[Path], notes: list[str]) -> tuple[list[Part], Declared]:
    """Read all tables below folders, each file once, with the metrics and statuses that they declare."""
    files: dict[Path, tuple[int, Path]] = {}
    for number, folder in enumerate(folders):
        for file in _files(folder, notes):
            files.setdefault(file.resolve(), (number, file))
    declared = Declared()
    for place in dict.fromkeys(file.parent for _, file in files.values()):
        found = _declared(place, notes)
        notes += _contradictions(place, declared, found)
        declared = declared | found | declared  # the first declaration of a name is used
    parts = []
    for number, file in files.values():
        table = _read(file, declared.all_metrics, notes)
        if table is not None and len(table):
            path = "" if file == folders[number] else file.parent.relative_to(folders[number]).as_posix()
            parts.append(Part(number, file, path.removeprefix("."), table))
    present = {name for part in parts for name in part.table}
    return parts, replace(declared, metrics=tuple(each for each in declared.metrics if each.name in present))


def join(parts: Sequence[Part], declared: Declared, folders: Sequence[str]) -> pd.DataFrame:
    """Join all tables into one, with the columns of all of them, `folder` and `path`.

    Parameters
    ----------
    parts : sequence of Part
        Tables, in the order of the rows.
    declared : Declared
        Metrics and statuses of the rows.
    folders : sequence of str
        Names of the given folders.
    """
    metrics = declared.all_metrics
    texts = [*(name for name in NAMES if name not in metrics), FOLDER, PATH]
    texts += dict.fromkeys(name for part in parts for name in map(str, part.table) if name not in (*texts, *metrics))
    tables = []
    for part in parts:
        columns = {name: part.table[name] for name in part.table}
        columns |= {FOLDER: _constant(folders[part.folder], part.table), PATH: _constant(part.path, part.table)}
        missing = pd.Series(np.nan, index=part.table.index)
        columns |= {name: missing for name in metrics if name not in columns}
        columns |= {name: missing.astype("category") for name in texts if name not in columns}
        tables.append(columns)
    for name in texts:
        union = pd.Index(list(dict.fromkeys(str(text) for table in tables for text in table[name].cat.categories)))
        for table in tables:
            table[name] = table[name].cat.set_categories(union)
    order = [*metrics, *texts]
    return pd.concat([pd.DataFrame({name: table[name] for name in order}) for table in tables], ignore_index=True)


def _constant(text: str, table: pd.DataFrame) -> pd.Series:
    """Return a column with the same text in every row. Characters without an encoding are replaced."""
    return pd.Series(text.encode(errors="replace").decode(), index=table.index, dtype="category")


def _files(folder: Path, notes: list[str]) -> list[Path]:
    """Return the files with rows: results.csv of a sweep that was collected, else the files of its cells."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        notes.append(f"{folder}: there is no such folder")
        return []
    files = tables_in(folder)
    if not files and not audit_folders(folder):
        notes.append(f"{folder}: there is no {RESULTS} or {ROWS_OF_CELL}; give the folder of a run or a sweep")
    return files


def _declared(folder: Path, notes: list[str]) -> Declared:
    """Return the declarations of a folder, without the names of columns that reports add."""
    try:
        found = declared_in(folder)
    except (UserError, OSError) as error:
        notes.append(str(error))
        return Declared()
    return Declared(tuple(each for each in found.metrics if each.name not in _RESERVED), found.statuses)


def _contradictions(folder: Path, known: Declared, found: Declared) -> list[str]:
    """Note the names that a folder declares differently from earlier folders."""
    before: dict[str, Metric | Status] = {**known.all_metrics, **known.all_statuses}
    declared: tuple[Metric | Status, ...] = (*found.metrics, *found.statuses)
    names = [each.name for each in declared if before.get(each.name, each) != each]
    if not names:
        return []
    return [
        f"{folder}: declares {', '.join(names)} differently from an earlier folder; the earlier declaration is used"
    ]


def _read(file: Path, metrics: Mapping[str, Metric], notes: list[str]) -> pd.DataFrame | None:
    """Read one file, which may be corrupt or of another version. Return None if it has no usable table."""
    try:
        data = read_table(file)
    except UserError as error:
        notes.append(str(error))
        return None
    if data and not data.endswith(b"\n"):
        notes.append(f"{file}: the last line is incomplete; it is left out")
        data = data[: data.rfind(b"\n") + 1]
    try:
        data.decode()
    except UnicodeDecodeError:
        notes.append(f"{file}: not all of it is UTF-8; other bytes are shown as \N{REPLACEMENT CHARACTER}")
    try:
        header, data, misfits = _fitting(data.removeprefix(b"\xef\xbb\xbf"))
        if misfits:
            lines = plural(misfits, "line")
            notes.append(f"{file}: {lines} with more or fewer fields than the header; left out")
        table = _parsed(header, data, metrics)
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        notes.append(f"{file}: not a table of results ({' '.join(str(error).split())}); left out")
        return None
    missing = [name for name in REQUIRED if name not in table.columns]
    if missing:
        notes.append(f"{file}: not a table of results (no column {', '.join(missing)}); left out")
        return None
    older = [name for name in NAMES if name not in table.columns]
    if older:
        notes.append(f"{file}: written by another version, without the columns {', '.join(older)}; these stay empty")
    unusable = table[list(REQUIRED)].isna().any(axis=1)
    if unusable.any():
        rows = plural(int(unusable.sum()), "row")
        notes.append(f"{file}: {rows} without {' or '.join(REQUIRED)}; left out")
        table = table[~unusable]
    return _with_overrides(_typed(table, file, metrics, notes), file)


def _fitting(data: bytes) -> tuple[list[str], bytes, int]:
    """Return the header, the lines with as many fields as the header, and the number of other lines."""
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace", newline="")
    rows = csv.reader(line.replace("\0", "") for line in lines)
    header = next(rows, [])
    if b'"' not in data and len({line.count(b",") for line in io.BytesIO(data)}) <= 1:
        return header, data, 0
    out, misfits = io.StringIO(), 0
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        if len(row) == len(header):
            writer.writerow(row)
        else:
            misfits += 1
    return header, out.getvalue().encode(), misfits


def _parsed(header: Sequence[str], data: bytes, metrics: Mapping[str, Metric]) -> pd.DataFrame:
    """Return the table of a file. Of several columns with the same name, the first is used."""
    if len(header) > MAX_COLUMNS:
        raise ValueError(f"more than {MAX_COLUMNS:,} columns")
    places = {name: place for place, name in reversed(list(enumerate(header))) if name and name not in _RESERVED}
    names = {place: name for name, place in places.items()}
    # Categories are made later: with dtype="category", read_csv would turn digits into numbers.
    table = pd.read_csv(
        io.BytesIO(data),
        header=None,
        skiprows=1,
        names=list(range(len(header))),
        usecols=sorted(names),
        encoding_errors="replace",
        dtype={place: str for place, name in names.items() if name not in metrics},
        keep_default_na=False,
        na_values=[""],
        low_memory=False,
    )
    return table.rename(columns=names)


def _typed(table: pd.DataFrame, file: Path, metrics: Mapping[str, Metric], notes: list[str]) -> pd.DataFrame:
    """Return the table with metrics as numbers (True is 1, False is 0) and all other columns as categories."""
    columns = {}
    for name in table.columns:
        column = table[name]
        if name not in metrics:
            columns[name] = column.astype("category")
            continue
        if column.dtype != np.float64:
            numbers = pd.to_numeric(_without_bools(column), errors="coerce").astype(np.float64)
            if int(numbers.notna().sum()) < int(column.notna().sum()):
                notes.append(f"{file}: column {name}: values that are not numbers are left out")
            column = numbers
        columns[name] = column.where(np.isfinite(column))
    return pd.DataFrame(columns)


def _without_bools(column: pd.Series) -> pd.Series:
    """Return a column with 1 for True and 0 for False."""
    if pd.api.types.is_numeric_dtype(column):  # includes bool
        return column
    texts = column.astype("object").where(column.notna(), None)
    return texts.map(lambda value: _BOOLS.get(str(value), value))


def _with_overrides(table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Add the overrides of a cell to its rows, as columns. results.csv has these columns already."""
    overrides: list[str] = []
    if file.name == ROWS_OF_CELL:
        with suppress(UserError, OSError):  # noted when the cells are listed
            overrides = overrides_of(file.parent)
    found = [match.groups() for text in overrides[:MAX_COLUMNS] if (match := _OVERRIDE.fullmatch(text))]
    settings = {key: value for key, value in found if key not in _RESERVED and not key.startswith("hydra.")}
    new = {key: _constant(value, table) for key, value in settings.items() if key not in table and key not in NAMES}
    return pd.concat([table, pd.DataFrame(new)], axis=1) if new else table
