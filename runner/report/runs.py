"""Rows of a report: each search once, configurations and instances under names that tell them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.columns import NAMES, Declared
from runner.metric import Metric
from runner.registry import UserError
from runner.report.grouping import Codes, group_codes
from runner.report.namesakes import tell_apart
from runner.report.naming import name_configurations, swept_limits, with_revisions
from runner.report.reading import CONFIGURATION as CONFIGURATION
from runner.report.reading import FOLDER, PATH, REVISION, Part, join, read_parts
from runner.report.revisions import folder_names, name_revisions
from runner.status import Status

MAX_LISTED = 5


class NothingToReport(UserError):
    """There is not a single row."""


@dataclass(frozen=True)
class Runs:
    """All rows of a report.

    Attributes
    ----------
    table : DataFrame
        Each search once. The columns of the tables that were read, texts as categories and numbers as float64;
        `instance` tells namesakes apart. Also `configuration`: what tells a row's way of searching from others, in as
        few words as possible; `revision`; `folder`, the given one, and `path`, where in it the row was found.
    configurations : list of str
        In the order of the rows, the revisions of each side by side.
    meanings : dict of str
        Of each configuration, in full.
    constants : dict of str
        What is the same in all rows, by column.
    notes : list of str
        What was wrong with the input.
    declared : Declared
        Metrics and statuses of the rows.
    variants : dict
        Of each search that several revisions have: its configurations, by the names of the revisions.
    cells : DataFrame
        The keys that cells have set: a row for each search and each cell that shares it. The index is the number of the
        search's row in `table`.
    """

    table: pd.DataFrame
    configurations: list[str]
    meanings: dict[str, str]
    constants: dict[str, str]
    notes: list[str]
    declared: Declared
    variants: dict[str, dict[str, str]]
    cells: pd.DataFrame

    def has(self, condition: Callable[[Status], bool]) -> NDArray[np.bool_]:
        """Return of each row whether its status meets a condition."""
        column = self.table["status"].cat
        found = np.array([condition(self.declared.status(str(name))) for name in column.categories], dtype=bool)
        return found[column.codes.to_numpy()]

    def once_for_each(self, columns: Sequence[str]) -> Runs:
        """Return the rows for groups by some columns: a search stands once in each group that has a cell with it."""
        keys = [name for name in dict.fromkeys(columns) if name in self.cells]
        if not keys or len(self.cells) == len(self.table):
            return self
        cells = self.cells[keys].assign(row=self.cells.index)
        cells = cells.iloc[np.unique(group_codes(cells, ["row", *keys]), return_index=True)[1]]
        table = self.table.iloc[cells["row"]].reset_index(drop=True)
        return replace(self, table=table.assign(**{key: cells[key].array for key in keys}))

    @cached_property
    def is_answer(self) -> NDArray[np.bool_]:
        """Of each row, whether it answers its instance."""
        return self.has(lambda status: status.is_answer)

    @cached_property
    def is_success(self) -> NDArray[np.bool_]:
        """Of each row, whether it reaches what was sought."""
        return self.has(lambda status: status.is_answer and status.is_success)

    @property
    def is_of_games(self) -> bool:
        """Whether agents have played."""
        return bool(self.table["actions"].notna().any())

    def counts(self, metric: Metric) -> NDArray[np.bool_]:
        """Return of each row whether its value may be compared: giving up early costs little, but is no success."""
        return self.is_success if metric.better == "less" else self.is_answer

    def pivot(self, metric: str) -> pd.DataFrame:
        """Return a metric as instances x configurations in the order of the rows; NaN: no value, or not answered."""
        return self._wide(self.table[metric].to_numpy())

    def comparable(self, metric: Metric) -> pd.DataFrame:
        """Return what `pivot` does, with NaN in place of values that do not count in comparisons."""
        return self._wide(np.where(self.counts(metric), self.table[metric.name].to_numpy(), np.nan))

    def _wide(self, column: NDArray[np.float64]) -> pd.DataFrame:
        names, places, columns = self._places
        values = np.full((len(names), len(self.configurations)), np.nan)
        values[places, columns] = column[self.is_answer]
        return pd.DataFrame(values, names, self.configurations)

    @cached_property
    def _places(self) -> tuple[pd.Index, NDArray[np.int64], NDArray[np.int64]]:
        """Names of the answered instances, and the place in `pivot` of each answered row."""
        rows = self.table[self.is_answer]
        places, known = pd.factorize(rows["instance"].cat.codes.to_numpy())
        names = pd.Index(rows["instance"].cat.categories[known].astype(str))
        return names, places, rows[CONFIGURATION].cat.codes.to_numpy().astype(np.int64)


def load(folders: Sequence[Path]) -> Runs:
    """Read the rows below folders.

    Raises
    ------
    NothingToReport
        If there is not a single row.
    """
    notes: list[str] = []
    distinct = list({folder.resolve(): folder for folder in folders}.values())
    parts, declared = read_parts(distinct, notes)
    if not parts:
        reasons = f" ({'; '.join(notes)})" if notes else ""
        raise NothingToReport(f"nothing to report: no rows in {', '.join(map(str, folders))}{reasons}")
    table, cells = _newest(join(parts, declared, folder_names(distinct)), _written(parts), declared, notes)
    named = name_configurations(table)
    table[REVISION] = name_revisions(table, named.labels)
    named, variants = with_revisions(named, table[REVISION])
    table[CONFIGURATION] = named.labels
    table["instance"] = tell_apart(table, notes)
    notes += [*_undeclared(table, declared), *_several_codes(table)]
    names = list(named.labels.cat.categories)
    return Runs(table, names, named.meanings, named.constants, notes, declared, variants, cells)


def _written(parts: Sequence[Part]) -> NDArray[np.float64]:
    """Return of each row when its file was last written to."""

    def time_of(file: Path) -> float:
        try:
            return file.stat().st_mtime
        except OSError:
            return 0.0

    return np.repeat([time_of(part.file) for part in parts], [len(part.table) for part in parts])


def _newest(
    table: pd.DataFrame, written: NDArray[np.float64], declared: Declared, notes: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return of the rows of each search in one folder the newest finished one, by time of file, then by line.

    Returns
    -------
    rows : DataFrame
    cells : DataFrame
        As in `Runs`.
    """
    identity = [FOLDER, "label", "run_id", *swept_limits(table)]
    keys = [str(name) for name in table if name not in (*NAMES, *declared.all_metrics, FOLDER, PATH)]
    searches, cells = group_codes(table, identity), group_codes(table, [*identity, *keys])
    if searches.max() + 1 == len(table):
        return table, table[keys]
    finished = table["status"].map(lambda name: declared.status(str(name)).retry != "failed").astype(bool)
    order = np.lexsort((np.arange(len(table)), written, finished))

    def last_of(codes: Codes) -> NDArray[np.int64]:
        return np.sort(order[pd.Series(codes[order]).drop_duplicates(keep="last").index])

    rows, of_cells = last_of(searches), last_of(cells)
    if len(of_cells) < len(table):
        notes.append(
            f"{len(table) - len(of_cells):,} rows stand there again with the same run_id; "
            "the newest finished one of each counts"
        )
    place = np.empty(len(rows), np.int64)
    place[searches[rows]] = np.arange(len(rows))
    own = table[keys].iloc[of_cells].set_axis(place[searches[of_cells]], axis=0)
    return table.iloc[rows].reset_index(drop=True), own


def _undeclared(table: pd.DataFrame, declared: Declared) -> list[str]:
    names = [str(name) for name in table["status"].unique() if name not in declared.all_statuses]
    return [f"no columns.json declares these statuses, so they are no answers: {_listed(names)}"] if names else []


def _several_codes(table: pd.DataFrame) -> list[str]:
    """Note revisions in which rows of one search, or of our own part, were made by several codes."""
    made = table[table["code"].notna()]
    ours = made["code"].astype(str).str.split("+").str[0]
    notes = []
    for revision, rows in made.groupby(REVISION, observed=True):
        codes = rows.groupby(["algorithm", "stack"], observed=True)["code"].nunique()
        if ours[rows.index].nunique() > 1 or (codes > 1).any():
            where = f"revision {revision!s}: " if revision else ""
            notes.append(f"{where}several codes have made the rows (column `code`), so that they may not be comparable")
    return notes


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_LISTED]) + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")
