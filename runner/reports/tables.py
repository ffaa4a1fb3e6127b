"""Tables of a report, independent of the format in which they are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.statistics import Numbers, geometric_mean
from runner.reports.units import Scale, scale_of

MAX_ROWS = 500
"""Maximum number of instances in a table."""


@dataclass(frozen=True)
class TableCell:
    """Cell of a table.

    Attributes
    ----------
    text : str
        Text that is shown.
    value : float or None
        Number for sorting and for CSV files; None for a text.
    is_best : bool
        Whether the cell is marked as the best of its row.
    """

    text: str
    value: float | None = None
    is_best: bool = False


@dataclass(frozen=True)
class Table:
    """Table with totals and notes.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Heading.
    columns : list of str
        Names of the columns. The first column names the rows.
    rows : list of list of TableCell
        Cells by row.
    totals : list of list of TableCell
        Further rows below the others, which are not sorted with them.
    notes : list of str
        Remarks below the table.
    is_by_instance : bool
        Whether there is a row for each instance.
    """

    name: str
    title: str
    columns: list[str]
    rows: list[list[TableCell]]
    totals: list[list[TableCell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_by_instance: bool = False

    @property
    def text_columns(self) -> list[bool]:
        """For each column, whether it has texts; the first one names the rows, even if the names are numbers."""
        rows = [*self.rows, *self.totals]
        return [place == 0 or all(row[place].value is None for row in rows) for place in range(len(self.columns))]


def measured(runs: Runs) -> list[Metric]:
    """Return the metrics that have values."""
    return [each for name, each in runs.declared.all_metrics.items() if runs.table[name].notna().any()]


def absolute(runs: Runs, metric: Metric) -> Table:
    """Return the values of a metric by instance and configuration, with sums and means.

    Only values that count in comparisons can be marked as the best. With many instances, there are no rows.
    """
    wide, comparable = runs.pivot(metric.name), runs.comparable(metric).to_numpy()
    comparable = comparable if runs.applies_to_all(metric) else np.full_like(comparable, np.nan)
    scale = scale_of(metric, wide.to_numpy())
    rows = [
        [TableCell(str(name)), *_cells(values, scale, eligible)]
        for name, values, eligible in zip(wide.index, wide.to_numpy(), comparable, strict=True)
        if len(wide) <= MAX_ROWS
    ]
    is_common = wide.notna().all(axis=1).to_numpy()
    values, is_fair = wide.to_numpy()[is_common], not np.isnan(comparable[is_common]).any()
    totals = []
    if len(values):
        for name, found in _totals(values, metric):
            precise = scale if name == "SUM" else scale.for_means(found)
            totals.append([TableCell(name), *_cells(found, precise, found if is_fair else np.full(len(found), np.nan))])
    notes = []
    if not len(values):
        notes.append("No instance has a value under every configuration, so there are no sums and means.")
    elif len(values) < len(wide):
        notes.append(
            f"Sums and means are over the {len(values):,} of {len(wide):,} instances "
            "for which every configuration has a value."
        )
    if not rows:
        notes.append(f"The values of {len(wide):,} instances are in the CSV files of the runs.")
    return Table(metric.name, scale.heading, ["instance", *runs.configurations], rows, totals, notes, True)


def _totals(values: Numbers, metric: Metric) -> Iterator[tuple[str, Numbers]]:
    """Yield the sums, means and geometric means of columns, with their names."""
    if metric.aggregate == "sum":
        yield "SUM", values.sum(axis=0)
    yield "MEAN", values.mean(axis=0)
    if (metric.log or metric.aggregate == "geometric_mean") and (values > 0).all():
        yield "GEOMETRIC MEAN", np.array([geometric_mean(column) for column in values.T])


def statuses(runs: Runs) -> Table:
    """Return the number of rows with each status under each configuration, with invalid plans and errors first.

    There are no rows if all searches have solved their instances and all plans are valid.
    """
    table, declared = runs.table, runs.declared
    invalid = table["valid"].astype(str) == "False"
    if (table["status"] == "solved").all() and not invalid.any():
        return Table("statuses", "Statuses", [], [])
    counts = pd.crosstab(table[CONFIGURATION], table["status"]).reindex(runs.configurations)

    def rank(name: str) -> tuple[bool, bool, int]:
        status = declared.status(name)
        return not status.is_failure, status.is_answer, -int(counts[name].sum())

    found = sorted(counts.columns, key=rank)
    wrong = table[invalid].groupby(CONFIGURATION, observed=False).size().reindex(runs.configurations)
    rows = []
    for name in runs.configurations:
        each = counts.loc[name].astype(int).to_dict()
        cells = [TableCell(name), count(sum(each.values()))]
        cells += [count(int(wrong[name]))] if invalid.any() else []
        cells += [count(each[status]) for status in found]
        rows.append([*cells, TableCell("; ".join(_reasons(table[table[CONFIGURATION] == name])))])
    columns = ["configuration", "rows", *(["INVALID plans"] if invalid.any() else [])]
    columns += [str(status).replace("_", " ") for status in found]
    return _without_empty_columns(Table("statuses", "Statuses", [*columns, "reasons"], rows))


def best(runs: Runs, metric: Metric) -> Table:
    """Return on how many instances each configuration is the best, alone or with others."""
    wide = runs.comparable(metric).dropna(how="all")
    values = wide.to_numpy()
    extreme = np.nanmax(values, axis=1) if metric.better == "more" else np.nanmin(values, axis=1)
    is_best = values == extreme[:, None]
    alone = is_best & (is_best.sum(axis=1) == 1)[:, None]
    rows = [
        [TableCell(name), count(int(first)), count(int(only))]
        for name, first, only in zip(runs.configurations, is_best.sum(axis=0), alone.sum(axis=0), strict=True)
    ]
    columns = ["configuration", "best", "alone"]
    notes = [f"Of {plural(len(wide), 'instance')}."]
    notes += [] if runs.applies_to_all(metric) else ["Some configurations have no values at all."]
    return Table(f"best_{metric.name}", f"Best: {metric.heading}", columns, rows, notes=notes)


def extreme_of(values: Numbers, metric: Metric) -> float:
    """Return the best of some values; NaN, which equals nothing, if no value is better than another."""
    known = values[~np.isnan(values)]
    if metric.better == "neither" or len(known) < 2 or known.min() == known.max():
        return float("nan")
    return float(known.min() if metric.better == "less" else known.max())


def count(number: int) -> TableCell:
    """Return the cell of a count, with an empty text for 0."""
    return TableCell(f"{number:,}" if number else "", float(number))


def scaled(scale: Scale, value: float, is_best: bool = False) -> TableCell:
    """Return the cell of a value, in the unit of its heading."""
    return TableCell(scale.text(value), float(value) / scale.size, is_best)


def _cells(values: Numbers, scale: Scale, eligible: Numbers) -> list[TableCell]:
    """Return cells with the best of the eligible values marked."""
    is_best: NDArray[np.bool_] = eligible == extreme_of(eligible, scale.metric)
    return [scaled(scale, value, bool(best)) for value, best in zip(values, is_best, strict=True)]


def _reasons(rows: pd.DataFrame) -> list[str]:
    """Return the three most common errors and reasons of one configuration, with their counts."""
    found = pd.concat([rows["error"].dropna().astype(str), rows["reason"].dropna().astype(str)])
    return [f"{count:,} x {reason}" for reason, count in found.value_counts().head(3).items()]


def _without_empty_columns(table: Table) -> Table:
    """Return a table without the columns that have no text, but for the first two."""
    kept = [index for index in range(len(table.columns)) if index < 2 or any(row[index].text for row in table.rows)]
    rows = [[row[index] for index in kept] for row in table.rows]
    return replace(table, columns=[table.columns[index] for index in kept], rows=rows)
