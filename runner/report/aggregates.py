"""Tables in which metrics are summed up over instances, by any columns of the results."""

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
from runner.report.runs import Runs, listed
from runner.report.statistics import AGGREGATES
from runner.report.tables import Cell, Table, extreme_of

MAX_GROUPS = 500
"""Maximum number of rows, and of columns, of a table."""
EMPTY = "(empty)"


@dataclass(frozen=True)
class Grouping:
    """Columns of the results by which metrics are summed up.

    Attributes
    ----------
    rows, columns : tuple of str
        Columns whose values are the rows and the columns of the tables.
    option : str
        Option of the command line that names the rows, for messages.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] = (CONFIGURATION,)
    option: str = "--rows"


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
    for option, names in ((grouping.option, grouping.rows), ("--columns", grouping.columns)):
        for name in names:
            if name not in present:
                why = "has no values here" if name in runs.table else "is not a column"
                raise UserError(f"{option}: '{name}' {why}{suggest(name, present)}")
        if (groups := len(distinct(runs.table, names)[0])) > MAX_GROUPS:
            raise UserError(f"{option}: {', '.join(names)}: {groups:,} groups of rows; at most {MAX_GROUPS} are shown")


def aggregates(runs: Runs, metric: Metric, grouping: Grouping) -> Table:
    """Return a metric summed up by rows and columns, with the number of successes.

    If the columns of a row share instances, only the instances that all of them have answered are summed up. The best
    column is marked if all these values count in comparisons.
    """
    rows, columns = _axis(runs.table, grouping.rows), _axis(runs.table, grouping.columns)
    values = runs.table[metric.name].to_numpy()
    frame = pd.DataFrame(
        {
            "column": columns.codes,
            "instance": runs.table["instance"].cat.codes.to_numpy(),
            "value": values,
            "has_value": runs.is_answer & ~np.isnan(values),
            "is_comparable": runs.is_comparable(metric),
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
    """Choose the rows of the results that are summed up in one row of the table. Columns without values do not count.

    Returns
    -------
    is_shared : bool
        Whether the columns have instances in common.
    is_summed : array of bool
        For each row of the results, whether it is summed up.
    """
    instances, columns = (pd.factorize(group[name])[0] for name in ("instance", "column"))
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


def _cells(group: pd.DataFrame, is_summed: NDArray[np.bool_], place: int, metric: Metric) -> tuple[Cell, Cell]:
    """Return the cells of one column: its value, and its number of successes."""
    is_here = (group["column"] == place).to_numpy()
    if not is_here.any():
        return Cell("", float("nan")), Cell("")
    successes = f"{int(group['is_success'].to_numpy()[is_here].sum()):,} of {int(is_here.sum()):,}"
    return aggregated(group["value"].to_numpy()[is_here & is_summed], metric), Cell(successes)


def _notes(metric: Metric, shared: Sequence[str], apart: Sequence[str]) -> list[str]:
    """Return notes on the instances that are summed up in the rows with shared and without shared instances."""
    kind = AGGREGATES[metric.aggregate].capitalize()
    over_shared = (
        f"{kind} of each row over the instances for which all its columns have a value; columns without values are "
        "left out of account."
    )
    over_all = f"the columns have no instances in common, so each {kind.lower()} is over all answers of its column."
    if not apart:
        return [over_shared]
    if not shared:
        return [over_all.capitalize()]
    return [over_shared, f"In the rows {listed(apart)}, {over_all}"]
