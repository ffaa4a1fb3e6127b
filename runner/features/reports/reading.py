"""Read the tables of runs and sweeps. Problems with a file become notes, and the report uses the rest."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from runner.base import NAMES, Declared, Metric, Status, UserError, plural
from runner.features.audits import audit_folders
from runner.features.reports.columns import CONFIGURATION, FOLDER, GROUP, PATH, REVISION, categorical
from runner.records import CsvTable, RecordBound, RecordFile, ResultTable, RunFolder, parsed

REQUIRED = ("run_id", "world", "instance", "algorithm", "status")
MAX_COLUMNS = 1_000
"""Maximum number of columns of a table."""
_ROWS_OF_PART = 20_000
_RESERVED = (CONFIGURATION, REVISION, FOLDER, PATH)
_OVERRIDE = re.compile(r"\+{0,2}([\w./@-]+)=(.*)", re.DOTALL)
_BOOLS = {"True": "1", "False": "0"}


class RecordedTable(NamedTuple):
    """Rows of a run or a sweep.

    `folder` is the number of the given folder in which it was found, `path` its folder relative to that one, "" if they
    are the same, and `modified` the time at which a row was written last.
    """

    folder: int
    path: str
    modified: int
    table: pd.DataFrame


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
                recorded.append(RecordedTable(place.given, path.removeprefix("."), place.modified(), table))
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
    return replace(found, metrics=tuple(each for each in found.metrics if each.name not in (*_RESERVED, GROUP)))


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
        lines = CsvTable(place.file, is_lenient=True, max_bytes=RecordBound.TABLE)
        table, lossy = _parsed(lines, metrics)
    except UserError as error:
        notes.append(str(error))
        return None
    except (csv.Error, pd.errors.ParserError, ValueError, OverflowError) as error:
        notes.append(f"{file}: not a table of results ({' '.join(str(error).split())}); left out")
        return None
    notes += _left_out(file, lines)
    if not lines.header:
        notes.append(f"{file}: not a table of results (No columns to parse from file); left out")
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


def _left_out(file: Path, lines: CsvTable) -> Iterator[str]:
    """Yield what does not fit in a file that has been read."""
    if not lines.is_complete:
        yield f"{file}: the last line is incomplete; it is left out"
    if not lines.is_utf8:
        yield f"{file}: not all of it is UTF-8; other bytes are shown as \N{REPLACEMENT CHARACTER}"
    if lines.misfits:
        yield f"{file}: {plural(lines.misfits, 'line')} with more or fewer fields than the header; left out"


def _parsed(lines: CsvTable, metrics: Mapping[str, Metric]) -> tuple[pd.DataFrame, list[str]]:
    """Return the table of a file, and the metrics with values that are not numbers, which are left out.

    Metrics are numbers (True is 1, False is 0), all other columns categories in the order of their first rows. Of
    several columns with the same name, the first is used. The file is parsed in parts, to save memory.
    """
    header = lines.header
    if len(header) > MAX_COLUMNS:
        raise ValueError(f"more than {MAX_COLUMNS:,} columns")
    places = {name: place for place, name in reversed(list(enumerate(header))) if name and name not in _RESERVED}
    names = dict(sorted((place, name) for name, place in places.items()))
    codes_of: dict[str, dict[str, int]] = {name: {} for name in names.values() if name not in metrics}
    pieces: dict[str, list[NDArray[Any]]] = {
        name: [np.empty(0, np.int32 if name in codes_of else np.float64)] for name in names.values()
    }
    lossy: dict[str, None] = {}
    options: dict[str, Any] = {
        "header": None,
        "names": list(range(len(header))),
        "usecols": list(names),
        "dtype": {place: str for place, name in names.items() if name in codes_of},
    }
    rows = (line for _, line in lines.lines())
    while piece := list(islice(rows, _ROWS_OF_PART)):
        part = parsed(piece, **options)
        for place, name in names.items():
            if name in codes_of:
                codes, texts = pd.factorize(part[place].to_numpy(object))
                numbers = [codes_of[name].setdefault(text, len(codes_of[name])) for text in texts.tolist()]
                pieces[name].append(np.array([*numbers, -1], np.int32)[codes])
                continue
            values = _numbers(part[place])
            pieces[name].append(np.where(np.isfinite(values), values, np.nan))
            if np.isnan(values).sum() > part[place].isna().sum():
                lossy[name] = None
    columns: dict[str, Any] = {}
    for name in list(pieces):
        column = np.concatenate(pieces.pop(name))
        columns[name] = categorical(column, list(codes_of.pop(name))) if name in codes_of else column
    return pd.DataFrame(columns, copy=False), list(lossy)


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
