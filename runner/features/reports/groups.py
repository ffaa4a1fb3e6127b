"""Tables in which metrics are summed up over instances, by any columns of the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import Metric
from runner.features.reports.columns import CONFIGURATION, GROUP, Codes, Mask, distinct
from runner.features.reports.rankings import eligible
from runner.features.reports.runs import Runs
from runner.features.reports.selection import MAX_GROUPS, OF_SEARCHES, Grouping
from runner.features.reports.statistics import AGGREGATES, Numbers, aggregate
from runner.features.reports.tables import Table, TableCell, listed, scale_of, texts

EMPTY = "(empty)"


class _Axis(NamedTuple):
    """Rows or columns of a table: combinations of values, and the place of each row of the results among them."""

    names: list[list[str]]
    codes: Codes


def aggregates(runs: Runs, metric: Metric, grouping: Grouping) -> Table:
    """Return a metric summed up by rows and columns.

    Values are compared along the rows of the table, or down its columns (`Grouping.compares_rows`). If the compared
    groups share instances, only the instances that all of them have answered are summed up. The best group is marked
    if all these values count in comparisons, and show that it is the best. Headings have the number of the instances
    that are summed up, and of all instances of the line.
    """
    rows, columns = _axis(runs.table, grouping.rows), _axis(runs.table, grouping.columns)
    lines, compared = (columns, rows) if grouping.compares_rows else (rows, columns)
    values = runs.table[metric.name].to_numpy()
    frame = pd.DataFrame(
        {
            "line": lines.codes,
            "compared": compared.codes,
            "instance": runs.table["instance"].cat.codes.to_numpy(),
            "value": values,
            "has_value": runs.is_answer & ~np.isnan(values),
            "is_comparable": runs.is_comparable(metric),
        }
    )
    if runs.is_replicated:
        frame = frame.assign(configuration=runs.codes)
        frame = frame.groupby(["line", "compared", "instance", "configuration"], as_index=False).agg(
            value=("value", "mean"), has_value=("has_value", "all"), is_comparable=("is_comparable", "all")
        )

    def aggregated(rows: pd.DataFrame) -> Numbers:
        parts = rows.groupby("compared")["value"]
        found = parts.agg(lambda part: aggregate(part.to_numpy(), metric.aggregate))
        return np.asarray(found.reindex(range(len(compared.names))), np.float64)

    applies_to_all = runs.applies_to_all(metric)
    is_shared, summed = zip(*(_summed(frame[frame["line"] == place]) for place in range(len(lines.names))), strict=True)
    found = np.array([aggregated(part) for part in summed])
    instances = runs.table["instance"].cat.codes
    used = [(p["instance"].nunique(), instances[lines.codes == n].nunique()) for n, p in enumerate(summed)]
    is_fair = [
        applies_to_all and shared and 2 * some >= every and bool(part["is_comparable"].all())
        for shared, part, (some, every) in zip(is_shared, summed, used, strict=True)
    ]
    scale = scale_of(metric, found, are_means=runs.is_replicated or metric.aggregate != "sum", has_sums=True)
    cells = [
        scale.cells(line, _markable(metric, part, line) if fair else None)
        for line, part, fair in zip(found, summed, is_fair, strict=True)
    ]
    apart = [", ".join(names) for names, shared in zip(lines.names, is_shared, strict=True) if not shared]
    notes = _notes(metric, grouping, any(is_shared), apart)
    is_full = ~np.isnan(found[:, ~np.isnan(found).all(axis=0)]).any(axis=1)
    total = None
    if grouping.has_totals and is_full.sum() > 1:
        whole = pd.concat([part for part, chosen in zip(summed, is_full, strict=True) if chosen])
        full = aggregated(whole)
        is_fair_whole = all(np.array(is_fair)[is_full])
        total = (
            AGGREGATES[metric.aggregate].upper(),
            scale.cells(full, _markable(metric, whole, full) if is_fair_whole else None),
        )
        if not is_full.all():
            line = "columns" if grouping.compares_rows else "rows"
            notes.append(f"{total[0]}: over the {is_full.sum():,} of {len(found):,} {line} without empty cells.")
    title = f"{scale.heading} by {grouping.title}"
    return _table(f"by_{metric.name}", title, grouping, (rows, columns), cells, total, notes, used)


def _markable(metric: Metric, part: pd.DataFrame, values: Numbers) -> Numbers | None:
    """Return the sums or means of a line if the best of them may be marked."""
    wide = part.pivot_table(index="instance", columns="compared", values="value", aggfunc="mean").dropna()
    wide.columns = wide.columns.astype(str)
    return eligible(wide, metric.better, pd.Series(values, [str(place) for place in range(len(values))]))


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
        texts(f"{some:,} of {every:,}" if every else "" for some, every in zip(*line, strict=True))
        for line in zip([*solved, solved.sum(axis=0)], [*counts, counts.sum(axis=0)], strict=True)
    ]
    total = (AGGREGATES["sum"].upper(), cells[-1]) if grouping.has_totals and len(cells) > 2 else None
    title = f"successes by {grouping.title}"
    return _table("by_successes", title, grouping, (rows, columns), cells[:-1], total, [])


def coverage(runs: Runs) -> Table | None:
    """Return the number of solved instances by domain, which is the folder of planning tasks, or by map.

    The column of the groups is the first one of texts that the world adds; without one, `instance_group`.
    The heading of a row has the number of its instances. None if there are fewer than two domains, if each has one
    instance only, and if all rows are a success.
    """
    table = runs.table
    kind = next((name for name in runs.declared.texts if name in table and table[name].notna().all()), GROUP)
    groups = table[kind].cat
    instances = table.groupby(kind, observed=True)["instance"].nunique()
    if not 2 <= len(instances) <= MAX_GROUPS or instances.max() < 2 or runs.is_of_games or runs.is_success.all():
        return None
    shape = len(groups.categories) + 1, len(runs.configurations)  # the last one is that of rows without a group
    places = groups.codes.to_numpy().astype(np.int64) % shape[0] * shape[1] + runs.codes
    weights = np.vstack([runs.is_success, np.ones(len(table))]) / runs.replications
    solved, tried = (np.bincount(places, each, shape[0] * shape[1]).reshape(shape)[:-1] for each in weights)
    names = sorted(map(str, instances.index))
    order = groups.categories.get_indexer(pd.Index(names))
    values: Numbers = np.asarray(np.where(tried > 0, solved, np.nan)[order], np.float64)
    scale = scale_of(Metric("coverage", better="more"), values, are_means=runs.is_replicated, has_sums=True)
    rows = [
        [TableCell(f"{name} ({instances[name]:,})"), *scale.cells(line)]
        for name, line in zip(names, values, strict=True)
    ]
    total = [TableCell(f"SUM ({instances.sum():,})"), *scale.cells(np.nansum(values, axis=0))]
    is_whole = bool((instances[names].to_numpy() == tried[order].round().T).all())
    notes = [] if is_whole else ["An instance that a configuration has not tried counts as not solved."]
    return Table("coverage", f"coverage by {kind}", [kind, *runs.configurations], rows, [total], notes)


def _table(
    name: str,
    title: str,
    grouping: Grouping,
    axes: tuple[_Axis, _Axis],
    lines: Sequence[Sequence[TableCell]],
    total: tuple[str, list[TableCell]] | None,
    notes: list[str],
    used: Sequence[tuple[int, int]] = (),
) -> Table:
    """Return a table of lines, which are its rows, or its columns if `Grouping.compares_rows`.

    Parameters
    ----------
    used : sequence of (int, int)
        Number of the instances of each line that are summed up, and of all of them, for its heading.
    """
    headings = []
    for names in axes[1].names:  # those of searches stand alone, other values need the name of their column
        pairs = zip(grouping.columns, names, strict=True)
        headings.append(", ".join(v if c in OF_SEARCHES else f"{c.rpartition('.')[2]}={v}" for c, v in pairs))
    names_of_rows = [[*names] for names in axes[0].names]
    of_lines = grouping.columns if grouping.compares_rows else grouping.rows
    for place, (some, every) in enumerate(used if "instance" not in of_lines else ()):
        if grouping.compares_rows:
            headings[place] += f" ({some:,} of {every:,})"
        else:
            names_of_rows[place][-1] += f" ({some:,} of {every:,})"
    totals = list[Sequence[TableCell]]()
    if grouping.compares_rows:
        lines = list(zip(*lines, *([total[1]] if total else []), strict=True))
        headings += [total[0]] if total else []
    elif total:
        totals = [[*texts([total[0], *("" for _ in grouping.rows[1:])]), *total[1]]]
    rows: list[Sequence[TableCell]] = [[*texts(n), *cells] for n, cells in zip(names_of_rows, lines, strict=True)]
    return Table(name, title, [*grouping.rows, *headings], rows, totals, notes)


def _axis(table: pd.DataFrame, columns: Sequence[str]) -> _Axis:
    """Return the values of columns. Numbers are sorted by size; other values keep the order of the rows."""
    found, codes = distinct(table, columns)
    keys = []
    for name in columns:
        numbers = pd.to_numeric(found[name], errors="coerce")
        if name == CONFIGURATION:
            keys.append(table[name].cat.categories.get_indexer(pd.Index(found[name])))
        elif numbers[found[name] != ""].notna().all():
            keys.append(numbers.to_numpy())
        else:
            keys.append(pd.factorize(found[name])[0])
    order = np.lexsort(keys[::-1])
    names = [[str(text) or EMPTY for text in row] for row in found.iloc[order].itertuples(index=False)]
    return _Axis(names, np.argsort(order)[codes])


def _summed(group: pd.DataFrame) -> tuple[bool, pd.DataFrame]:
    """Return whether the compared groups of a line share instances, and the rows that are summed up.

    Compared groups without values are left out of account.
    """
    instances, columns = (pd.factorize(group[name])[0] for name in ("instance", "compared"))
    has_value = group["has_value"].to_numpy()
    is_present: Mask = np.zeros((instances.max() + 1, columns.max() + 1), dtype=bool)
    is_unanswered = np.zeros_like(is_present)
    is_present[instances, columns] = True
    is_unanswered[instances[~has_value], columns[~has_value]] = True
    compared = np.unique(columns[has_value])
    is_shared = is_present[:, compared].all(axis=1)
    if not is_shared.any():
        return False, group[has_value]
    is_answered = np.asarray(is_shared & ~is_unanswered[:, compared].any(axis=1))
    return True, group[is_answered[instances] & has_value]


def _notes(metric: Metric, grouping: Grouping, any_shared: bool, apart: Sequence[str]) -> list[str]:
    """Return notes on what is summed up in lines whose groups share instances, and in the lines where they do not."""
    kind = AGGREGATES[metric.aggregate].capitalize()
    line, others = ("column", "rows") if grouping.compares_rows else ("row", "columns")
    over_shared = (
        f"{kind} of each {line} over the instances for which all its {others} have a value; {others} without values "
        "are left out of account."
    )
    over_all = f"the {others} have no instances in common, so each {kind.lower()} is over all its answers."
    if not any_shared:
        return [over_all.capitalize()]
    return [over_shared, *([f"In the {line}s {listed(apart)}, {over_all}"] if apart else [])]
