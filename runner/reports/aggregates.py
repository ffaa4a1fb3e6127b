"""Tables in which metrics are summed up over instances, by any columns of the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base.errors import UserError, suggest
from runner.base.metric import Metric
from runner.reports.grouping import Codes, distinct
from runner.reports.naming import CHOICES
from runner.reports.reading import CONFIGURATION, REVISION
from runner.reports.runs import Runs, listed
from runner.reports.statistics import AGGREGATES, Numbers, aggregate
from runner.reports.tables import Table, TableCell, extreme_of, scaled
from runner.reports.units import scale_of

MAX_GROUPS = 500
"""Maximum number of rows, and of columns, of a table."""
EMPTY = "(empty)"
_SEARCH = frozenset((CONFIGURATION, REVISION, "stack", "label", *CHOICES))
"""Columns that tell searches of the same instance apart."""


@dataclass(frozen=True)
class Grouping:
    """Columns of the results by which metrics are summed up.

    Attributes
    ----------
    rows, columns : tuple of str
        Columns whose values are the rows and the columns of the tables.
    options : tuple of str
        Options of the command line that name the rows and the columns, for messages.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] = (CONFIGURATION,)
    options: tuple[str, str] = ("--rows", "--columns")

    @classmethod
    def by(cls, columns: Sequence[str]) -> Grouping:
        """Return the grouping with a row for each configuration and a column for each value of some columns."""
        return cls((CONFIGURATION,), tuple(columns), ("--by", "--by"))

    @classmethod
    def chosen(cls, by: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> Grouping | None:
        """Return the grouping that the options choose; None without options.

        Raises
        ------
        UserError
            If they exclude each other.
        """
        if by and (rows or columns):
            raise UserError("--by: cannot be used with --rows or --columns; give one or the other")
        if columns and not rows:
            raise UserError("--columns: needs --rows; give both")
        if rows:
            return cls(tuple(rows), tuple(columns or cls.columns))
        return cls.by(by) if by else None

    @property
    def compares_rows(self) -> bool:
        """Whether the configurations are compared down the columns, because only the rows are settings of searches."""
        return not _SEARCH.intersection(self.columns) and bool(_SEARCH.intersection(self.rows))

    @property
    def has_totals(self) -> bool:
        """Whether a total over the rows, or over the columns if these are compared, is one of different instances."""
        return self.compares_rows or not _SEARCH.intersection(self.rows)

    @property
    def title(self) -> str:
        """Names of the columns, for headings."""
        return " and ".join(name for name in (*self.rows, *self.columns) if name != CONFIGURATION) or CONFIGURATION


@dataclass(frozen=True)
class _Axis:
    """Values of some columns of the results, as rows or columns of a table.

    Attributes
    ----------
    names : list of list of str
        Combinations of values, in the order of the table.
    codes : array of int
        Place in `names` of each row of the results.
    """

    names: list[list[str]]
    codes: Codes


def check(runs: Runs, grouping: Grouping) -> None:
    """Check the columns of a grouping.

    Raises
    ------
    UserError
        If a column does not exist or has no values, or if there are too many groups.
    """
    present = [str(name) for name in runs.table if runs.table[name].notna().any()]
    for option, names in zip(grouping.options, (grouping.rows, grouping.columns), strict=True):
        for name in names:
            if name not in present:
                why = "has no values here" if name in runs.table else "is not a column"
                raise UserError(f"{option}: '{name}' {why}{suggest(name, present)}")
        if (groups := len(distinct(runs.table, names)[0])) > MAX_GROUPS:
            raise UserError(f"{option}: {', '.join(names)}: {groups:,} groups of rows; at most {MAX_GROUPS} are shown")


def aggregates(runs: Runs, metric: Metric, grouping: Grouping) -> Table:
    """Return a metric summed up by rows and columns.

    Values are compared along the rows of the table, or down its columns (`Grouping.compares_rows`). If the compared
    groups share instances, only the instances that all of them have answered are summed up. The best group is marked
    if all these values count in comparisons.
    """
    rows, columns = _axis(runs.table, grouping.rows), _axis(runs.table, grouping.columns)
    lines, compared = (columns, rows) if grouping.compares_rows else (rows, columns)
    values = runs.table[metric.name].to_numpy()
    frame = pd.DataFrame(
        {
            "compared": compared.codes,
            "instance": runs.table["instance"].cat.codes.to_numpy(),
            "value": values,
            "has_value": runs.is_answer & ~np.isnan(values),
            "is_comparable": runs.is_comparable(metric),
        }
    )
    found = np.full((len(lines.names), len(compared.names)), np.nan)
    can_be_best = np.zeros(len(found), dtype=bool)
    shared, apart, summed = list[str](), list[str](), list[pd.DataFrame]()
    applies_to_all = runs.applies_to_all(metric)

    def aggregated(rows: pd.DataFrame) -> Numbers:
        values = np.full(len(compared.names), np.nan)
        for code, part in rows.groupby("compared")["value"]:
            values[int(str(code))] = aggregate(part.to_numpy(), metric.aggregate)
        return values

    for place, name in enumerate(lines.names):
        group = frame[lines.codes == place]
        is_shared, is_summed = _summed(group)
        (shared if is_shared else apart).append(", ".join(name))
        summed.append(group[is_summed])
        found[place] = aggregated(summed[-1])
        can_be_best[place] = applies_to_all and is_shared and bool(summed[-1]["is_comparable"].all())
    scale = scale_of(metric, found, are_means=metric.aggregate != "sum")

    def cells(values: Numbers, can_be_best: bool) -> list[TableCell]:
        is_best = values == extreme_of(values, metric) if can_be_best else np.zeros(len(values), dtype=bool)
        return [scaled(scale, value, bool(best)) for value, best in zip(values, is_best, strict=True)]

    made = [cells(values, bool(best)) for values, best in zip(found, can_be_best, strict=True)]
    notes = _notes(metric, grouping, shared, apart)
    is_full = ~np.isnan(found[:, ~np.isnan(found).all(axis=0)]).any(axis=1)
    total = None
    if grouping.has_totals and is_full.sum() > 1:
        full = aggregated(pd.concat([part for part, chosen in zip(summed, is_full, strict=True) if chosen]))
        total = AGGREGATES[metric.aggregate].upper(), cells(full, bool(can_be_best[is_full].all()))
        if not is_full.all():
            line = "columns" if grouping.compares_rows else "rows"
            notes.append(f"{total[0]}: over the {is_full.sum():,} of {len(found):,} {line} without empty cells.")
    title = f"{scale.heading} by {grouping.title}"
    return _table(f"by_{metric.name}", title, grouping, rows, columns, made, total, notes)


def success_counts(runs: Runs, grouping: Grouping) -> Table:
    """Return the number of successes and of all rows, by rows and columns."""
    rows, columns = _axis(runs.table, grouping.rows), _axis(runs.table, grouping.columns)
    size = len(rows.names), len(columns.names)
    places = rows.codes * size[1] + columns.codes
    counts = np.bincount(places, minlength=size[0] * size[1]).reshape(size)
    solved = np.bincount(places[runs.is_success], minlength=size[0] * size[1]).reshape(size)
    if grouping.compares_rows:
        solved, counts = solved.T, counts.T
    cells = [
        [TableCell(f"{some:,} of {every:,}" if every else "") for some, every in zip(*line, strict=True)]
        for line in zip([*solved, solved.sum(axis=0)], [*counts, counts.sum(axis=0)], strict=True)
    ]
    total = (AGGREGATES["sum"].upper(), cells.pop()) if grouping.has_totals and len(cells) > 2 else None
    return _table(
        "by_successes", f"successes by {grouping.title}", grouping, rows, columns, cells[: len(solved)], total, []
    )


def _table(
    name: str,
    title: str,
    grouping: Grouping,
    rows: _Axis,
    columns: _Axis,
    lines: list[list[TableCell]],
    total: tuple[str, list[TableCell]] | None,
    notes: list[str],
) -> Table:
    """Return a table.

    Parameters
    ----------
    lines : list of list of TableCell
        Rows of the table, or its columns if `Grouping.compares_rows`.
    total : (str, list of TableCell), optional
        Name and cells of the total of all lines.
    """
    headings = [", ".join(map(_heading, grouping.columns, names)) for names in columns.names]
    totals = list[list[TableCell]]()
    if grouping.compares_rows:
        lines = [list(cells) for cells in zip(*lines, *([total[1]] if total else []), strict=True)]
        headings += [total[0]] if total else []
    elif total:
        totals = [[TableCell(total[0]), *(TableCell("") for _ in grouping.rows[1:]), *total[1]]]
    made = [[*map(TableCell, names), *cells] for names, cells in zip(rows.names, lines, strict=True)]
    return Table(name, title, [*grouping.rows, *headings], made, totals, notes)


def _heading(column: str, value: str) -> str:
    """Return the heading of one value of a column: names of searches stand alone, other values need a name."""
    return value if column in _SEARCH else f"{column.rpartition('.')[2]}={value}"


def _axis(table: pd.DataFrame, columns: Sequence[str]) -> _Axis:
    """Return the values of columns. Numbers are sorted by size; other values keep the order of the rows."""
    texts, codes = distinct(table, columns)
    keys = []
    for name in columns:
        numbers = pd.to_numeric(texts[name], errors="coerce")
        if name == CONFIGURATION:
            keys.append(table[name].cat.categories.get_indexer(pd.Index(texts[name])))
        elif numbers[texts[name] != ""].notna().all():
            keys.append(numbers.to_numpy())
        else:
            keys.append(pd.factorize(texts[name])[0])
    order = np.lexsort(keys[::-1])
    names = [[str(text) or EMPTY for text in row] for row in texts.iloc[order].itertuples(index=False)]
    return _Axis(names, np.argsort(order)[codes])


def _summed(group: pd.DataFrame) -> tuple[bool, NDArray[np.bool_]]:
    """Choose the rows of the results that are summed up in one row of the table, or in one column.

    Compared groups without values are left out of account.

    Returns
    -------
    is_shared : bool
        Whether the compared groups have instances in common.
    is_summed : array of bool
        For each row of the results, whether it is summed up.
    """
    instances, columns = (pd.factorize(group[name])[0] for name in ("instance", "compared"))
    has_value = group["has_value"].to_numpy()
    is_present = np.zeros((instances.max() + 1, columns.max() + 1), dtype=bool)
    is_unanswered = np.zeros_like(is_present)
    is_present[instances, columns] = True
    is_unanswered[instances[~has_value], columns[~has_value]] = True
    compared = np.unique(columns[has_value])
    is_shared = np.asarray(is_present[:, compared].all(axis=1))
    if not is_shared.any():
        return False, has_value
    is_answered = is_shared & ~np.asarray(is_unanswered[:, compared].any(axis=1))
    return True, is_answered[instances] & has_value


def _notes(metric: Metric, grouping: Grouping, shared: Sequence[str], apart: Sequence[str]) -> list[str]:
    """Return notes on the instances that are summed up, where compared groups share instances and where they do not."""
    kind = AGGREGATES[metric.aggregate].capitalize()
    line, others = ("column", "rows") if grouping.compares_rows else ("row", "columns")
    over_shared = (
        f"{kind} of each {line} over the instances for which all its {others} have a value; {others} without values "
        "are left out of account."
    )
    over_all = f"the {others} have no instances in common, so each {kind.lower()} is over all its answers."
    if not apart:
        return [over_shared]
    if not shared:
        return [over_all.capitalize()]
    return [over_shared, f"In the {line}s {listed(apart)}, {over_all}"]
