"""Table with one row for each configuration: coverage, and each metric summed up over the common instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.statistics import AGGREGATES, aggregate
from runner.reports.tables import Table, TableCell, count, extreme_of, scaled
from runner.reports.units import scale_of


@dataclass(frozen=True)
class Common:
    """Values of a metric on the instances that all configurations have in common.

    Attributes
    ----------
    values : DataFrame
        Instances x configurations, without NaN. Configurations without any value are left out. If no instance is
        common, all instances with a value, with NaN for the others.
    is_shared : bool
        Whether there are common instances.
    """

    values: pd.DataFrame
    is_shared: bool


def common_values(runs: Runs, metric: Metric) -> Common:
    """Return the values that count in comparisons on the instances that all configurations have in common."""
    wide = runs.comparable(metric)
    wide = wide[wide.columns[wide.notna().any()]]
    common = wide.dropna()
    return Common(common, True) if common.size else Common(wide, False)


def successes(runs: Runs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of successes and the number of rows of each configuration."""
    codes, size = runs.table[CONFIGURATION].cat.codes.to_numpy(), len(runs.configurations)
    return np.bincount(codes[runs.is_success], minlength=size), np.bincount(codes, minlength=size)


def summary(runs: Runs, metrics: Sequence[Metric]) -> Table:
    """Return the coverage and the sum or mean of each metric, by configuration."""
    solved, rows = successes(runs)
    shares = solved / rows
    best = extreme_of(shares, runs.declared.all_metrics["reward"])
    columns = ["configuration", "rows", "successes", "coverage"]
    cells = [
        [
            TableCell(name),
            count(int(size)),
            count(int(number)),
            TableCell(f"{share:.1%}", float(share), bool(share == best)),
        ]
        for name, number, size, share in zip(runs.configurations, solved, rows, shares, strict=True)
    ]
    bases: dict[str, list[str]] = {}
    for metric in metrics:
        common = common_values(runs, metric)
        found = {
            str(name): aggregate(column.dropna().to_numpy(), metric.aggregate) for name, column in common.values.items()
        }
        values = np.array([found.get(name, np.nan) for name in runs.configurations])
        scale = scale_of(metric, values, are_means=metric.aggregate != "sum")
        can_be_best = common.is_shared and runs.applies_to_all(metric)
        extreme = extreme_of(values, metric) if can_be_best else float("nan")
        for line, value in zip(cells, values, strict=True):
            line.append(scaled(scale, value, bool(value == extreme)))
        columns.append(scale.heading)
        bases.setdefault(_basis(runs, metric, common), []).append(metric.title)
    present = [runs.declared.status(str(name)) for name in runs.table["status"].unique()]
    ends = [status.name for status in present if status.is_success]
    notes = [f"Successes: {', '.join(ends)}."] if len(ends) > 1 else []
    notes += [f"{basis}: {', '.join(names)}." for basis, names in bases.items()]
    return Table("summary", "Configurations", columns, cells, notes=notes)


def _basis(runs: Runs, metric: Metric, common: Common) -> str:
    kind = AGGREGATES[metric.aggregate].capitalize()
    if not common.is_shared:
        return f"{kind} over all values of each configuration, because no instance has a value under all of them"
    total = runs.table["instance"].cat.codes.nunique()
    missing = len(runs.configurations) - common.values.shape[1]
    without = f" ({plural(missing, 'configuration')} without values)" if missing else ""
    return f"{kind} over the {len(common.values):,} of {total:,} instances that count for every configuration{without}"
