"""The tables of a report, whatever they are written as."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from runner.records.metric import METRICS, Metric
from runner.records.result import FAULTY
from runner.report.runs import ANSWERED, CONFIGURATION, Runs
from runner.report.statistics import geometric_mean, ratio

MOST_ROWS = 200
"""Tables with a line for each instance have at most so many; beyond, only what they sum up to."""

SEED_IN_NAME = r"-\d+(?=(?:-[NESW])?$)"


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table.

    Attributes
    ----------
    text : str
    value : float or None
        To sort by.
    is_best : bool
    """

    text: str
    value: float | None = None
    is_best: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name : str
        For file names.
    title : str
    columns : list of str
        The first is what a row is about.
    rows : list of list of Cell
    totals : list of list of Cell
        Below the others; not sorted with them.
    notes : list of str
    """

    name: str
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    totals: list[list[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def measured(runs: Runs) -> list[Metric]:
    """The metrics of which there is something to show."""
    table = runs.table
    return [metric for metric in METRICS if metric.name in table and table[metric.name].notna().any()]


def absolute(runs: Runs, metric: Metric) -> Table:
    """A metric of all instances under all configurations, with sums and means."""
    wide = runs.pivot(metric.name)
    rows = []
    if len(wide) <= MOST_ROWS:
        for name, values in zip(wide.index, wide.to_numpy(), strict=True):
            rows.append([Cell(str(name)), *_cells(values, metric)])
    common = wide.dropna()
    values = common.to_numpy()
    totals = []
    if len(common):
        if metric.aggregate == "sum":
            totals.append([Cell("SUM"), *_cells(values.sum(axis=0), metric)])
        means = values.mean(axis=0)
        digits = max(metric.digits, 1)
        totals.append([Cell("MEAN"), *_cells(means, metric, digits)])
        if (metric.log or metric.aggregate == "geometric_mean") and (values > 0).all():
            geometric = np.array([geometric_mean(column) for column in values.T])
            totals.append([Cell("GEOMETRIC MEAN"), *_cells(geometric, metric, digits)])
    notes = []
    if not len(common):
        notes.append("No instance has a value under every configuration, so there is nothing to sum up.")
    elif len(common) < len(wide):
        notes.append(
            f"Sums and means are over the {len(common):,} of {len(wide):,} instances "
            "for which every configuration has a value."
        )
    if not rows:
        notes.append(f"{len(wide):,} instances: their values are in the CSV files of the runs.")
    return Table(metric.name, metric.heading, ["instance", *runs.configurations], rows, totals, notes)


def coverage(runs: Runs) -> Table:
    """What became of the instances under each configuration, errors and invalid plans first."""
    table = runs.table
    invalid = table["valid"].astype(str) == "False"
    counts = pd.crosstab(table[CONFIGURATION], table["status"]).reindex(runs.configurations)
    statuses = sorted(
        counts.columns, key=lambda status: (status not in FAULTY, status in ANSWERED, -counts[status].sum())
    )
    wrong = table[invalid].groupby(CONFIGURATION, observed=False).size().reindex(runs.configurations)
    rows = []
    for name in runs.configurations:
        each = counts.loc[name].astype(int).to_dict()
        cells = [Cell(name), _count(sum(each.values()))]
        cells += [_count(int(wrong[name]))] if invalid.any() else []
        cells += [_count(each[status]) for status in statuses]
        rows.append([*cells, Cell("; ".join(_reasons(table[table[CONFIGURATION] == name])))])
    columns = ["configuration", "rows", *(["INVALID plans"] if invalid.any() else [])]
    columns += [str(status).replace("_", " ") for status in statuses]
    return _without_empty_columns(Table("coverage", "Coverage", [*columns, "reasons"], rows))


def scores(runs: Runs) -> Table | None:
    """Of games: mean score with its standard error, and the shares of gold and deaths, by family of instances."""
    if not runs.table["actions"].notna().any():
        return None
    table = runs.table[runs.table["reward"].notna()]
    names = table["instance"].astype("category")
    families = names.cat.categories.to_series().astype(str).str.replace(SEED_IN_NAME, "", regex=True).to_numpy()
    family = pd.Series(families[names.cat.codes], index=table.index)
    family = table["world"].astype(str) + " " + family if table["world"].nunique() > 1 else family
    played = family.isin(family[table["actions"].notna()].unique())
    table, family = table[played], family[played]
    if family.nunique() > MOST_ROWS:
        family = pd.Series("all", index=table.index)
    groups = table.assign(family=family).groupby(["family", CONFIGURATION], observed=True, sort=False)
    found = groups["reward"].agg(["mean", "std", "count"])
    found["gold"] = groups["status"].agg(lambda s: s.isin(["escaped_with_gold", "solved"]).mean())
    found["died"] = groups["status"].agg(lambda s: (s == "died").mean())
    rows = []
    for (caves, name), row in zip(found.index.tolist(), found.to_dict("records"), strict=True):
        error = row["std"] / math.sqrt(row["count"]) if row["count"] > 1 else float("nan")
        rows.append(
            [
                Cell(str(caves)),
                Cell(str(name)),
                _count(int(row["count"])),
                Cell(f"{row['mean']:,.1f}", row["mean"]),
                Cell("" if math.isnan(error) else f"{error:,.1f}", error),
                Cell(f"{row['gold']:.1%}", row["gold"]),
                Cell(f"{row['died']:.1%}", row["died"]),
            ]
        )
    order = {caves: place for place, caves in enumerate(family.drop_duplicates())}
    rows.sort(key=lambda row: order[row[0].text])
    columns = ["instances", "configuration", "games", "mean score", "standard error", "gold", "died"]
    return Table("scores", "Scores", columns, rows)


def comparison(runs: Runs, metric: Metric, ours: str, theirs: str) -> list[Cell]:
    """One line of a pairwise comparison: wins and losses of the first, and the mean ratio with its interval."""
    wide = runs.pivot(metric.name)[[ours, theirs]].dropna()
    one, other = wide[ours].to_numpy(), wide[theirs].to_numpy()
    less, more = int((one < other).sum()), int((one > other).sum())
    wins, losses = (more, less) if metric.less_is_better is False else (less, more)
    found = ratio(one, other)
    interval = "" if math.isnan(found.mean) else f"{found.low:.3g} to {found.high:.3g}"
    mean = "" if math.isnan(found.mean) else f"{found.mean:.3g}"
    return [
        Cell(f"{ours} / {theirs}"),
        _count(len(wide)),
        _count(wins),
        _count(losses),
        _count(len(wide) - wins - losses),
        Cell(mean, found.mean),
        Cell(interval, found.low),
    ]


def comparisons(runs: Runs, metric: Metric, pairs: Sequence[tuple[str, str]]) -> Table:
    """Pairs of configurations over the instances that both have answered."""
    columns = ["pair", "instances", "wins", "losses", "ties", "ratio", "95 % interval"]
    note = "Ratio: geometric mean over instances where both are above 0; its interval by bootstrap over these."
    rows = [comparison(runs, metric, *pair) for pair in pairs]
    return Table(f"pairs_{metric.name}", f"Pairs: {metric.heading}", columns, rows, notes=[note])


def best(runs: Runs, metric: Metric) -> Table:
    """How often each configuration is the best, alone or with others."""
    wide = runs.pivot(metric.name).dropna(how="all")
    values = wide.to_numpy()
    extreme = np.nanmax(values, axis=1) if metric.less_is_better is False else np.nanmin(values, axis=1)
    is_best = values == extreme[:, None]
    alone = is_best & (is_best.sum(axis=1) == 1)[:, None]
    rows = [
        [Cell(name), _count(int(first)), _count(int(only))]
        for name, first, only in zip(runs.configurations, is_best.sum(axis=0), alone.sum(axis=0), strict=True)
    ]
    columns = ["configuration", "best", "alone"]
    return Table(f"best_{metric.name}", f"Best: {metric.heading}", columns, rows, notes=[f"of {len(wide):,} instances"])


def _cells(values: np.ndarray, metric: Metric, digits: int | None = None) -> list[Cell]:
    """Cells of one row, the best ones marked where one is better than another."""
    known = values[~np.isnan(values)]
    extreme = math.nan
    if metric.less_is_better is not None and len(known) > 1 and known.min() < known.max():
        extreme = known.min() if metric.less_is_better else known.max()
    return [Cell(metric.format(value, digits), float(value), value == extreme) for value in values]


def _count(number: int) -> Cell:
    return Cell(f"{number:,}" if number else "", float(number))


def _reasons(rows: pd.DataFrame) -> list[str]:
    """The most common reasons and errors of one configuration."""
    found = pd.concat([rows["error"].dropna().astype(str), rows["reason"].dropna().astype(str)])
    return [f"{count:,} x {reason}" for reason, count in found.value_counts().head(3).items()]


def _without_empty_columns(table: Table) -> Table:
    kept = [index for index in range(len(table.columns)) if index < 2 or any(row[index].text for row in table.rows)]
    return Table(
        table.name, table.title, [table.columns[i] for i in kept], [[row[i] for i in kept] for row in table.rows]
    )
