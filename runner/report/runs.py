"""Rows of runs and sweeps, read for a report: whatever is wrong with a file is noted, and the rest still counts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.audit import AUDIT
from runner.records.metric import METRICS
from runner.records.result import COLUMNS, FAILED
from runner.records.writer import METRICS as ROWS_OF_JOB
from runner.records.writer import RESULTS
from runner.registry import UserError, assignments
from worlds.files import natural_order

CONFIGURATION = "configuration"
CHOICES = ("algorithm", "heuristic", "weighting", "parameters", "ties")
"""The columns that make a configuration."""

TEXT = ("run_id", "world", "instance", *CHOICES, "status", "valid", "error", "reason", "moves")
NEEDED = ("run_id", "world", "instance", "algorithm", "status")
ANSWERED = ("solved", "unsolvable", "escaped_with_gold", "escaped", "died", "action_limit")
Numbers = NDArray[np.generic]
_NUMBERS = [metric.name for metric in METRICS]


class NothingToReport(UserError):
    """There is not a single row."""


@dataclass(frozen=True)
class Runs:
    """All rows of a report.

    Attributes
    ----------
    table : DataFrame
        The columns of metrics.csv, texts as categories and numbers as float64, and `configuration`: what tells a row's
        way of searching from others, in as few words as possible.
    configurations : list of str
        In the order of the rows.
    meanings : dict of str
        Of each configuration, in full.
    constants : dict of str
        What is the same in all rows, by column.
    notes : list of str
        What was wrong with the input.
    """

    table: pd.DataFrame
    configurations: list[str]
    meanings: dict[str, str]
    constants: dict[str, str]
    notes: list[str]

    def pivot(self, metric: str) -> pd.DataFrame:
        """A metric as instances x configurations in the order of the rows; NaN: no value, or not answered."""
        names, places, columns, answered = self._places
        values = np.full((len(names), len(self.configurations)), np.nan)
        values[places, columns] = self.table[metric].to_numpy()[answered]
        return pd.DataFrame(values, names, self.configurations)

    @cached_property
    def _places(self) -> tuple[pd.Index, Numbers, Numbers, Numbers]:
        """Names of the answered instances, and for each answered row its place in `pivot`; and which rows these are."""
        answered = self.table["status"].isin(ANSWERED).to_numpy()
        rows = self.table[answered]
        names = rows["instance"].astype(str)
        if rows["world"].nunique() > 1:
            names = rows["world"].astype(str) + " " + names
        places, distinct = pd.factorize(names)
        return pd.Index(distinct), places, rows[CONFIGURATION].cat.codes.to_numpy(), answered


def load(folders: Sequence[Path]) -> Runs:
    """Read the rows below folders.

    Raises
    ------
    NothingToReport
        If there is not a single row.
    """
    notes: list[str] = []
    files = [file for folder in folders for file in _files(folder, notes)]
    distinct = {file.resolve(): file for file in files}
    tables = {f: table for f in distinct.values() if (table := _read(f, notes)) is not None and len(table)}
    if not tables:
        reasons = f" ({'; '.join(notes)})" if notes else ""
        raise NothingToReport(f"nothing to report: no rows in {', '.join(map(str, folders))}{reasons}")
    written = np.repeat([_written(file) for file in tables], [len(table) for table in tables.values()])
    table = _newest(_joined(list(tables.values())), written, notes)
    labels, meanings, constants = _name_configurations(table)
    table[CONFIGURATION] = labels
    namesakes = int(table.duplicated(["world", "instance", CONFIGURATION]).sum())
    if namesakes:
        notes.append(
            f"{namesakes:,} instances have the name of another one (a source with other parameters?); "
            "the last of each name counts, so report such runs apart"
        )
    return Runs(table, list(labels.cat.categories), meanings, constants, notes)


def _files(folder: Path, notes: list[str]) -> list[Path]:
    """The files with rows: all of a sweep in one if it was collected, or those of its jobs."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        notes.append(f"{folder}: there is no such folder")
        return []
    for name in (RESULTS, ROWS_OF_JOB):
        if (folder / name).is_file():
            return [folder / name]
    files = sorted(folder.rglob(RESULTS), key=natural_order)
    collected = {file.parent for file in files}
    jobs = [f for f in folder.rglob(ROWS_OF_JOB) if not collected & {*f.parents}]
    files += sorted(jobs, key=natural_order)
    if not files and next(folder.rglob(AUDIT), None) is None:
        notes.append(f"{folder}: neither {RESULTS} nor {ROWS_OF_JOB} there; give the folder of a run or a sweep")
    return files


def _written(file: Path) -> float:
    """When a file was last written to."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _read(file: Path, notes: list[str]) -> pd.DataFrame | None:
    """One file, however old or damaged."""
    try:
        data = file.read_bytes()
    except OSError as error:
        notes.append(f"{file}: {error.strerror}")
        return None
    if not data.endswith(b"\n") and data:
        notes.append(f"{file}: the last line was not written to its end, left out")
        data = data[: data.rfind(b"\n") + 1]
    try:
        data.decode()
    except UnicodeDecodeError:
        notes.append(f"{file}: not UTF-8 everywhere; what cannot be read is shown as \N{REPLACEMENT CHARACTER}")
    data, misfits = _fitting(data)
    if misfits:
        notes.append(f"{file}: {misfits:,} lines that do not fit the header, left out")
    try:
        table = pd.read_csv(
            io.BytesIO(data),
            encoding_errors="replace",
            dtype=dict.fromkeys(TEXT, str),  # "category" would make a number of what looks like one
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        notes.append(f"{file}: not a table of results ({' '.join(str(error).split())})")
        return None
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        notes.append(f"{file}: not a table of results: no column {', '.join(missing)}")
        return None
    older = [name for name in COLUMNS if name not in table.columns]
    if older:
        notes.append(f"{file}: of another version, without {', '.join(older)}")
    unusable = table[list(NEEDED)].isna().any(axis=1)
    if unusable.any():
        notes.append(f"{file}: {int(unusable.sum()):,} rows without {' or '.join(NEEDED)}, left out")
        table = table[~unusable]
    return _typed(table.reindex(columns=list(COLUMNS)), file, notes)


def _fitting(data: bytes) -> tuple[bytes, int]:
    """The lines with as many fields as the first, and how many have not."""
    if b'"' not in data and len({line.count(b",") for line in data.splitlines()}) <= 1:
        return data, 0
    text, out = data.decode(errors="replace").replace("\0", ""), io.StringIO()
    writer, width, misfits = csv.writer(out, lineterminator="\n"), 0, 0
    for row in csv.reader(io.StringIO(text, newline="")):
        width = width or len(row)
        if len(row) == width:
            writer.writerow(row)
        else:
            misfits += 1
    return out.getvalue().encode(), misfits


def _typed(table: pd.DataFrame, file: Path, notes: list[str]) -> pd.DataFrame:
    """Texts as categories and metrics as numbers."""
    for name in TEXT:
        table[name] = table[name].astype("category")
    for name in _NUMBERS:
        if table[name].dtype != np.float64:
            numbers = pd.to_numeric(table[name], errors="coerce").astype(np.float64)
            if int(numbers.notna().sum()) < int(table[name].notna().sum()):
                notes.append(f"{file}: {name}: what is not a number is left out")
            table[name] = numbers
        table[name] = table[name].where(np.isfinite(table[name]))
    return table


def _joined(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """All rows under each other, texts still as categories."""
    for name in TEXT:
        union = list(dict.fromkeys(str(text) for table in tables for text in table[name].cat.categories))
        for table in tables:
            table[name] = table[name].cat.set_categories(union)
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0].reset_index(drop=True)


def _newest(table: pd.DataFrame, written: NDArray[np.float64], notes: list[str]) -> pd.DataFrame:
    """Of rows with the same identity the newest that was finished, by the time of its file, then by its line."""
    if not table["run_id"].duplicated().any():
        return table
    finished = ~table["status"].isin(FAILED)
    order = np.lexsort((np.arange(len(table)), written, finished))
    kept = table.iloc[order].drop_duplicates("run_id", keep="last").sort_index()
    left_out = len(table) - len(kept)
    notes.append(f"{left_out:,} rows stand there again with the same run_id; the newest finished one of each counts")
    return kept.reset_index(drop=True)


def _name_configurations(table: pd.DataFrame) -> tuple[pd.Series, dict[str, str], dict[str, str]]:
    """A short name of each row's configuration, what the names mean, and what all have in common."""
    keys = [table[name].cat.add_categories("").fillna("") for name in CHOICES]
    combinations = pd.DataFrame(dict(zip(CHOICES, keys, strict=True))).astype("string")
    groups = combinations.drop_duplicates()
    varying: list[str] = []
    told_apart = 1
    for name in CHOICES:  # as few columns as tell all apart
        if (number := len(groups[[*varying, name]].drop_duplicates())) > told_apart:
            varying.append(name)
            told_apart = number
    alike = [name for name in CHOICES if groups[name].nunique() == 1]
    constants = {name: str(groups[name].iloc[0]) for name in alike if groups[name].iloc[0]}
    worlds = list(table["world"].unique())
    if len(worlds) == 1:
        constants["world"] = str(worlds[0])
    shorten = {"heuristic": _last_heuristics, "weighting": _differences}
    short = {name: shorten[name](groups[name].tolist()) if name in shorten else {} for name in varying}
    labels, meanings = [], {}
    for values in groups.itertuples(index=False):
        row = dict(zip(CHOICES, map(str, values), strict=True))
        parts = [short[name].get(row[name], row[name]) for name in varying if row[name] not in ("", "none")]
        meaning = assignments({name: row[name] for name in CHOICES if row[name]}, " ")
        label = " ".join(parts) or (row["heuristic"] if "heuristic" in varying else row["algorithm"])
        label = meaning if label in meanings else label
        labels.append(label)
        meanings[label] = meaning
    table_of_labels = dict(zip(groups.itertuples(index=False, name=None), labels, strict=True))
    codes = pd.MultiIndex.from_frame(combinations)
    order = pd.MultiIndex.from_tuples(list(table_of_labels))
    categories = pd.Categorical.from_codes(order.get_indexer(codes), categories=pd.Index(labels))
    return pd.Series(categories, index=table.index), meanings, constants


def _last_heuristics(stacks: Iterable[str]) -> dict[str, str]:
    """Stacks by their last heuristic, where that tells them apart, as in the names of the documented stacks."""
    stacks = list(dict.fromkeys(stacks))
    last = {stack: stack if stack.startswith("max(") else stack.rsplit("+", 1)[-1] for stack in stacks}
    bare = {stack: name if name == stack else name.split("(")[0] for stack, name in last.items()}
    for names in (bare, last):
        if len(set(names.values())) == len(stacks):
            return names
    return {}


def _differences(texts: Iterable[str]) -> dict[str, str]:
    """Texts such as ``name(a=1,b=2)`` without the parameters that all of the same name have in common."""
    found = {text: re.fullmatch(r"(\w+)\((.*)\)", text) for text in dict.fromkeys(texts) if text}
    shown = {}
    for text, match in found.items():
        if match is not None:
            alike = [other[2].split(",") for other in found.values() if other is not None and other[1] == match[1]]
            own = [part for part in match[2].split(",") if len(alike) == 1 or not all(part in parts for parts in alike)]
            shown[text] = f"{match[1]}({','.join(own)})"
    return shown
