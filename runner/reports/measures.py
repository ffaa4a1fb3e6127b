"""Measures by which competitions and papers compare configurations: PAR, IPC scores and geometric means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from runner.base.metric import Metric
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.statistics import Numbers, geometric_mean, shifted_geometric_mean
from runner.reports.summary import common_values
from runner.reports.tables import Table, TableCell, extreme_of
from runner.reports.units import scale_of

LIMITED = {"time": "search_seconds", "cpu": "cpu_seconds", "nodes": "expanded"}
"""Limits, with the metric that each bounds."""
PENALTIES = (2, 10)
AGILE_LIMIT = 300.0
"""Seconds after which a plan has no agile score."""
SHIFTS = {"s": 1.0, "": 100.0}
"""Shift of geometric means by unit: 1 s for times, 100 for counts of nodes."""


def penalised_average(runs: Runs, limit: str, penalty: float) -> Numbers:
    """Return, for each configuration, the mean of a metric in which failures count as a multiple of the limit (PAR).

    A row that is no success counts as ``penalty`` times its limit. NaN if such a row has no limit of this kind.

    Parameters
    ----------
    limit : {"time", "cpu", "nodes"}
        Limit whose metric is averaged; see `LIMITED`.
    """
    bounds = _limits(runs, limit)
    values = runs.table[LIMITED[limit]].to_numpy()
    return _by_configuration(runs, np.where(runs.is_success, values, penalty * bounds), lambda group: group.mean())


def satisficing_scores(runs: Runs) -> Numbers:
    """Return the sum of ``best known cost / cost`` of each configuration, 0 for an instance without a plan.

    The satisficing track of the International Planning Competition has used this measure since 2008. The best known
    cost is the least of all rows of the report.
    """
    costs = pd.Series(np.where(runs.is_success, runs.table["cost"].to_numpy(), np.nan))
    best = costs.groupby(runs.table["instance"].cat.codes.to_numpy()).transform("min").to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        quality = np.where(costs.to_numpy() == best, 1.0, best / costs.to_numpy())
    return _by_configuration(runs, np.where(costs.isna(), 0.0, quality), lambda group: group.sum())


def agile_scores(runs: Runs) -> Numbers:
    """Return the sum of agile scores of each configuration.

    A plan found in T seconds scores ``1 - log(T) / log(300)``: 1 up to one second, 0 from 300 s. The agile track of the
    International Planning Competition has used this measure since 2014, with this formula since 2018.
    """
    seconds = np.clip(runs.table["search_seconds"].to_numpy(), 1.0, AGILE_LIMIT)
    scores = 1 - np.log(seconds) / math.log(AGILE_LIMIT)
    return _by_configuration(runs, np.where(runs.has_plan & ~np.isnan(scores), scores, 0.0), lambda group: group.sum())


def measures(runs: Runs, metrics: Sequence[Metric]) -> Table | None:
    """Return the measures of each configuration; None if none applies.

    Parameters
    ----------
    metrics : sequence of Metric
        Metrics for geometric means: the effort and the time.
    """
    declared = runs.declared.all_metrics
    columns, notes = list[tuple[str, list[TableCell]]](), list[str]()
    for limit, name in LIMITED.items():
        if not np.isnan(_limits(runs, limit)).all():
            for penalty in PENALTIES:
                values = penalised_average(runs, limit, penalty)
                scale = scale_of(declared[name], values, are_means=True)
                columns.append(
                    (f"PAR{penalty} {scale.heading}", _cells(values, scale.text, declared[name], scale.size))
                )
            notes.append(
                f"PAR2, PAR10 {declared[name].title}: mean over all instances; an instance without success counts as "
                f"2 or 10 times limits.{limit}."
            )
    more = declared["reward"]
    if not runs.is_of_games and runs.table.loc[runs.is_success, "cost"].notna().any():
        columns.append(("IPC satisficing", _cells(satisficing_scores(runs), "{:,.1f}".format, more)))
        notes.append("IPC satisficing: sum of best known cost / cost, 0 without a plan.")
        if runs.table["search_seconds"].notna().any():
            columns.append(("IPC agile", _cells(agile_scores(runs), "{:,.1f}".format, more)))
            notes.append("IPC agile: sum of 1 - log(T) / log(300) for plans found in T seconds; 1 up to 1 s.")
    shifted = []
    for metric in metrics:
        common = common_values(runs, metric)
        if not (common.is_shared and metric.log and metric.unit in SHIFTS):
            continue
        shift = SHIFTS[metric.unit]
        for prefix, mean in (
            ("geo. mean", geometric_mean),
            ("shifted geo. mean", lambda values, shift=shift: shifted_geometric_mean(values, shift)),
        ):
            found = {str(name): mean(column.to_numpy()) for name, column in common.values.items()}
            values = np.array([found.get(name, np.nan) for name in runs.configurations])
            if not np.isnan(values).all():
                scale = scale_of(metric, values, are_means=True)
                columns.append((f"{prefix} {scale.heading}", _cells(values, scale.text, metric, scale.size)))
        shifted.append(f"{metric.title} {shift:g} {metric.unit}".strip())
    if shifted:
        notes.append(
            "Geometric means are over the instances that count for every configuration; the shifted ones are "
            f"exp(mean(log(x + s))) - s, which small values influence less. Shifts s: {', '.join(shifted)}."
        )
    if not columns:
        return None
    rows = [
        [TableCell(name), *(cells[place] for _, cells in columns)] for place, name in enumerate(runs.configurations)
    ]
    return Table("measures", "Measures", ["configuration", *(name for name, _ in columns)], rows, notes=notes)


def _limits(runs: Runs, limit: str) -> Numbers:
    """Return a limit of each row; NaN for none."""
    texts = runs.table["limits"].cat
    found = [text.partition(f"{limit}=")[2].partition(" ")[0] for text in texts.categories.astype(str)]
    values = pd.to_numeric(pd.Series([*found, ""], dtype=object), errors="coerce").to_numpy(np.float64)
    return np.asarray(values[texts.codes.to_numpy()])


def _by_configuration(runs: Runs, values: Numbers, how: Callable[[Numbers], float]) -> Numbers:
    codes = runs.table[CONFIGURATION].cat.codes.to_numpy()
    return np.array([how(values[codes == place]) for place in range(len(runs.configurations))])


def _cells(values: Numbers, text: Callable[[float], str], metric: Metric, size: float = 1.0) -> list[TableCell]:
    """Return the cells of a column. `size` is the size of the unit in which `text` writes the values."""
    best = extreme_of(values, metric) if not np.isnan(values).any() else math.nan
    return [
        TableCell("" if math.isnan(value) else text(value), float(value) / size, bool(value == best))
        for value in values
    ]
