"""Tables of metrics summed up over instances, by any columns of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.metric import Metric
from runner.registry import UserError, suggest
from runner.report.grouping import Codes, distinct
from runner.report.pairs import aggregated
from runner.report.reading import CONFIGURATION
from runner.report.runs import MAX_LISTED, Runs
from runner.report.tables import Cell, Table, extreme_of

MAX_GROUPS = 500
EMPTY = "(empty)"


@dataclass(frozen=True)
class Grouping:
    """Columns by whose values tables are summed up.

    Attributes
    ----------
    rows, columns : tuple of str
        What the rows and the columns of the tables stand for.
    option : str
        That has named the rows, for messages.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] = (CONFIGURATION,)
    option: str = "--rows"


@dataclass(frozen=True)
class _Axis:
    """The values of some columns, as rows or columns of a table.

    Attributes
    ----------
    names : list of list of str
        In their order.
    codes : array of int
        Place in `names` of each row of results.
    """

    names: list[list[str]]
    codes: Codes


def check(runs: Runs, grouping: Grouping) -> None:
    """Check that there are such columns.

    Raises
    ------
    UserError
        If there is no such column, or it has too many values.
    """
    present = [str(name) for name in runs.table if runs.table[name].notna().any()]
    for option, names in ((grouping.option, grouping.rows), ("--columns", grouping.columns)):
        for name in names:
            if name not in present:
                why = "has no values here" if name in runs.table else "is no column"
                raise UserError(f"{option}: '{name}' {why}{suggest(name, present)}")
        if (groups := len(distinct(runs.table, names)[0])) > MAX_GROUPS:
            raise UserError(f"{option}: {', '.join(names)}: {groups:,} groups of rows; at most {MAX_GROUPS} are shown")


def aggregates(runs: Runs, metric: Metric, grouping: Grouping) -> Table:
    """Return a metric summed up as it declares, by rows and columns, with the number of successes.

    Where the columns of a row share instances, only those are summed up that all of them have answered. The best is
    marked if these values may be compared.
    """
    rows, columns = _axis(runs.table, grouping.rows), _axis(runs.table, grouping.columns)
    values = runs.table[metric.name].to_numpy()
    frame = pd.DataFrame(
        {
            "column": columns.codes,
            "instance": runs.table["instance"].cat.codes.to_numpy(),
            "value": values,
            "counts": runs.is_answer & ~np.isnan(values),
            "is_comparable": runs.counts(metric),
            "is_success": runs.is_success,
        }
    )
    lines, shared, apart = [], list[str](), list[str]()
    for code, names in enumerate(rows.names):
        group = frame[rows.codes == code]
        is_shared, is_summed = _summed(group)
        (shared if is_shared else apart).append(", ".join(names))
        cells = [_cells(group, is_summed, place, metric) for place in range(len(columns.names))]
        extreme = extreme_of(np.array([value.value for value, _ in cells], dtype=float), metric)
        is_fair = is_shared and bool(group["is_comparable"].to_numpy()[is_summed].all())
        cells = [(replace(value, is_best=is_fair and value.value == extreme), number) for value, number in cells]
        lines.append([*map(Cell, names), *(cell for pair in cells for cell in pair)])
    headings = [", ".join(names) for names in columns.names]
    headings = [part for name in headings for part in (name, f"{name}: successes")]
    title = f"{metric.heading} by {' and '.join(grouping.rows)}"
    notes = _notes(metric, shared, apart)
    return Table(f"by_{metric.name}", title, [*grouping.rows, *headings], lines, notes=notes)


def _axis(table: pd.DataFrame, columns: Sequence[str]) -> _Axis:
    """Return the values of columns: numbers by size, configurations as everywhere, texts as they appear."""
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
    """Return whether the columns of a row of the table share instances, and which rows of results are summed up.

    Columns without any value are left out of account.
    """
    instances, columns = (pd.factorize(group[name])[0] for name in ("instance", "column"))
    counts = group["counts"].to_numpy()
    is_there = np.zeros((instances.max() + 1, columns.max() + 1), dtype=bool)
    is_open = np.zeros_like(is_there)
    is_there[instances, columns] = True
    is_open[instances[~counts], columns[~counts]] = True
    known = np.unique(columns[counts])
    is_everywhere = np.asarray(is_there[:, known].all(axis=1))
    if not is_everywhere.any():
        return False, counts
    is_answered = is_everywhere & ~np.asarray(is_open[:, known].any(axis=1))
    return True, is_answered[instances] & counts


def _cells(group: pd.DataFrame, is_summed: NDArray[np.bool_], place: int, metric: Metric) -> tuple[Cell, Cell]:
    """Return the value of one column, and its number of successes."""
    is_here = (group["column"] == place).to_numpy()
    if not is_here.any():
        return Cell("", float("nan")), Cell("")
    successes = f"{int(group['is_success'].to_numpy()[is_here].sum()):,} of {int(is_here.sum()):,}"
    return aggregated(group["value"].to_numpy()[is_here & is_summed], metric), Cell(successes)


def _notes(metric: Metric, shared: Sequence[str], apart: Sequence[str]) -> list[str]:
    """Tell what the values are summed up over."""
    kind = {"sum": "Sums", "mean": "Means", "geometric_mean": "Geometric means"}[metric.aggregate]
    fair = f"{kind} over the instances that have an answer with a value in every column of their row that has any."
    unfair = f"the columns have no instances in common, so {kind.lower()} are over all answers of each."
    if not apart:
        return [fair]
    if not shared:
        return [unfair[:1].upper() + unfair[1:]]
    listed = ", ".join(apart[:MAX_LISTED]) + (" and others" if len(apart) > MAX_LISTED else "")
    return [fair, f"In the rows {listed}, {unfair}"]
