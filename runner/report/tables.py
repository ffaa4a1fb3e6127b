"""Tables of a report, independent of the format in which they are written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.messages import plural
from runner.metric import Metric
from runner.report.reading import CONFIGURATION
from runner.report.runs import Runs
from runner.report.statistics import Numbers, geometric_mean

MAX_ROWS = 200
"""Maximum number of instances in a table. With more instances, only sums and means are shown."""


@dataclass(frozen=True)
class Cell:
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
    rows : list of list of Cell
        Cells by row.
    totals : list of list of Cell
        Further rows below the others, which are not sorted with them.
    notes : list of str
        Remarks below the table.
    """

    name: str
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    totals: list[list[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def measured(runs: Runs) -> list[Metric]:
    """Return the metrics that have values."""
    return [each for name, each in runs.declared.all_metrics.items() if runs.table[name].notna().any()]


def absolute(runs: Runs, metric: Metric) -> Table:
    """Return the values of a metric by instance and configuration, with sums and means.

    Only values that count in comparisons can be marked as the best.
    """
    wide, comparable = runs.pivot(metric.name), runs.comparable(metric).to_numpy()
    rows = []
    if len(wide) <= MAX_ROWS:
        for name, values, eligible in zip(wide.index, wide.to_numpy(), comparable, strict=True):
            rows.append([Cell(str(name)), *_cells(values, metric, eligible)])
    is_common = wide.notna().all(axis=1).to_numpy()
    common, values = wide[is_common], wide.to_numpy()[is_common]
    totals = []
    if len(common):
        digits = max(metric.digits, 1)
        sums = values.sum(axis=0) if metric.aggregate == "sum" else None
        means = values.mean(axis=0)
        geometric = None
        if (metric.log or metric.aggregate == "geometric_mean") and (values > 0).all():
            geometric = np.array([geometric_mean(column) for column in values.T])
        for name, found, shown in (
            ("SUM", sums, metric.digits),
            ("MEAN", means, digits),
            ("GEOMETRIC MEAN", geometric, digits),
        ):
            if found is not None:
                eligible = found if not np.isnan(comparable[is_common]).any() else np.full(len(found), np.nan)
                totals.append([Cell(name), *_cells(found, metric, eligible, shown)])
    notes = []
    if not len(common):
        notes.append("No instance has a value under every configuration, so there are no sums and means.")
    elif len(common) < len(wide):
        notes.append(
            f"Sums and means are over the {len(common):,} of {len(wide):,} instances "
            "for which every configuration has a value."
        )
    if not rows:
        notes.append(
            f"More than {MAX_ROWS} instances: the values of the {len(wide):,} are in the CSV files of the runs."
        )
    return Table(metric.name, metric.heading, ["instance", *runs.configurations], rows, totals, notes)


def coverage(runs: Runs) -> Table:
    """Return the number of rows with each status under each configuration, with invalid plans and errors first."""
    table, declared = runs.table, runs.declared
    invalid = table["valid"].astype(str) == "False"
    counts = pd.crosstab(table[CONFIGURATION], table["status"]).reindex(runs.configurations)

    def rank(name: str) -> tuple[bool, bool, int]:
        status = declared.status(name)
        return not status.is_failure, status.is_answer, -int(counts[name].sum())

    statuses = sorted(counts.columns, key=rank)
    wrong = table[invalid].groupby(CONFIGURATION, observed=False).size().reindex(runs.configurations)
    rows = []
    for name in runs.configurations:
        each = counts.loc[name].astype(int).to_dict()
        cells = [Cell(name), count(sum(each.values()))]
        cells += [count(int(wrong[name]))] if invalid.any() else []
        cells += [count(each[status]) for status in statuses]
        rows.append([*cells, Cell("; ".join(_reasons(table[table[CONFIGURATION] == name])))])
    columns = ["configuration", "rows", *(["INVALID plans"] if invalid.any() else [])]
    columns += [str(status).replace("_", " ") for status in statuses]
    return _without_empty_columns(Table("coverage", "Coverage", [*columns, "reasons"], rows))


def best(runs: Runs, metric: Metric) -> Table:
    """Return on how many instances each configuration is the best, alone or with others."""
    wide = runs.comparable(metric).dropna(how="all")
    values = wide.to_numpy()
    extreme = np.nanmax(values, axis=1) if metric.better == "more" else np.nanmin(values, axis=1)
    is_best = values == extreme[:, None]
    alone = is_best & (is_best.sum(axis=1) == 1)[:, None]
    rows = [
        [Cell(name), count(int(first)), count(int(only))]
        for name, first, only in zip(runs.configurations, is_best.sum(axis=0), alone.sum(axis=0), strict=True)
    ]
    columns = ["configuration", "best", "alone"]
    return Table(
        f"best_{metric.name}", f"Best: {metric.heading}", columns, rows, notes=[f"Of {plural(len(wide), 'instance')}."]
    )


def extreme_of(values: Numbers, metric: Metric) -> float:
    """Return the best of some values; NaN, which equals nothing, if no value is better than another."""
    known = values[~np.isnan(values)]
    if metric.better == "neither" or len(known) < 2 or known.min() == known.max():
        return float("nan")
    return float(known.min() if metric.better == "less" else known.max())


def count(number: int) -> Cell:
    """Return the cell of a count, with an empty text for 0."""
    return Cell(f"{number:,}" if number else "", float(number))


def _cells(values: Numbers, metric: Metric, eligible: Numbers, digits: int | None = None) -> list[Cell]:
    """Return the cells of one row, with the best of the eligible values marked."""
    extreme = extreme_of(eligible, metric)
    is_best: NDArray[np.bool_] = eligible == extreme
    return [
        Cell(metric.format(value, digits), float(value), bool(best))
        for value, best in zip(values, is_best, strict=True)
    ]


def _reasons(rows: pd.DataFrame) -> list[str]:
    """Return the three most common errors and reasons of one configuration, with their counts."""
    found = pd.concat([rows["error"].dropna().astype(str), rows["reason"].dropna().astype(str)])
    return [f"{count:,} x {reason}" for reason, count in found.value_counts().head(3).items()]


def _without_empty_columns(table: Table) -> Table:
    """Return a table without the columns that have no text, but for the first two."""
    kept = [index for index in range(len(table.columns)) if index < 2 or any(row[index].text for row in table.rows)]
    rows = [[row[index] for index in kept] for row in table.rows]
    return replace(table, columns=[table.columns[index] for index in kept], rows=rows)
