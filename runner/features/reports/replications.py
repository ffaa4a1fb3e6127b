"""Runs of the same search with several seeds: mean, variation and best of k, and the run-time distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from runner.base import Metric, plural
from runner.features.reports.charts import Chart, labelled, scale_axis, steps
from runner.features.reports.columns import Codes
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import AGGREGATES, Numbers, aggregate
from runner.features.reports.tables import NamedCells, Table, counts, factors, scale_of, texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MIN_RUNS = 3
"""Least number of runs with a value for a distribution."""


def summary(runs: Runs, metric: Metric) -> Table | None:
    """Return mean, variation, best and worst of the seeds, over the common instances; None without several seeds."""
    values = runs.table[metric.name].to_numpy()
    instances = runs.table["instance"]
    usable = runs.of_all_replications(runs.is_comparable(metric) & ~np.isnan(values))
    usable &= instances.isin(runs.common(metric).values.index).to_numpy()
    rows = pd.DataFrame({"configuration": runs.codes, "instance": instances.cat.codes, "value": values})
    rows = rows[usable & np.isin(runs.codes, _replicated(runs))]
    if rows.empty:
        return None
    found = rows.groupby(["configuration", "instance"])["value"].agg(["count", "mean", "std", "min", "max"])
    by_configuration = found.groupby(level="configuration")

    def over_instances(column: str) -> Numbers:
        parts = by_configuration[column].agg(lambda part: aggregate(part.to_numpy(), metric.aggregate))
        return np.asarray(parts, np.float64)

    kind = AGGREGATES[metric.aggregate]
    scale = scale_of(metric, over_instances("mean"), are_means=True)
    best, worst = ("max", "min") if metric.better == "more" else ("min", "max")
    names = ("least", "largest") if metric.better == "neither" else ("best", "worst")
    variation = (found["std"] / found["mean"].abs()).groupby(level="configuration").mean()
    columns: list[NamedCells] = [
        ("configuration", texts(runs.configurations[number] for number in found.index.unique("configuration"))),
        ("instances", counts(by_configuration.size())),
        ("seeds", counts(by_configuration["count"].max())),
        (f"{kind} of mean {scale.heading}", scale.cells(over_instances("mean"))),
        ("variation", factors(variation)),
        (f"{kind} of {names[0]} of seeds", scale.cells(over_instances(best))),
        (f"{kind} of {names[1]} of seeds", scale.cells(over_instances(worst))),
    ]
    notes = [
        f"{kind.capitalize()} over the common instances of the mean, the {names[0]} and the {names[1]} value of the "
        "seeds. Variation: standard deviation of the seeds divided by their mean; mean over the instances."
    ]
    return Table.of(f"replications_{metric.name}", f"Replications: {metric.heading}", columns, notes)


def distribution(runs: Runs, metric: Metric) -> Chart | None:
    """Draw the share of runs that have succeeded with at most some effort, for configurations with several seeds.

    Hoos and Stützle (1998) call it a run-time distribution.
    """
    values = np.where(runs.is_comparable(metric), runs.table[metric.name].to_numpy(), np.nan)
    found = {int(number): np.sort(values[(runs.codes == number) & ~np.isnan(values)]) for number in _replicated(runs)}
    found = {number: each for number, each in found.items() if len(each) >= _MIN_RUNS}
    if not found:
        return None
    every = np.concatenate([*found.values()])
    scale, totals = scale_of(metric, every), runs.successes[1]

    def draw(axes: Axes) -> None:
        for number, each in found.items():
            name = runs.configurations[number]
            text = f"{len(each):,} of {plural(int(totals[number]), 'run')}, "
            text += f"half of them within {scale.quantity(float(np.median(each)))}"
            steps(axes, each / scale.size, np.arange(1.0, len(each) + 1) / totals[number], number, name, text)
        scale_axis(axes, "x", metric, every)
        axes.set_ylim(0, 1.03)
        labelled(axes, scale.heading, "share of runs")

    title = f"Which share of the runs with different seeds succeeds up to a given value of {metric.title}?"
    return Chart(f"distribution_{metric.name}", title, draw, (6.4, 3.8))


def _replicated(runs: Runs) -> Codes:
    """Return the numbers of the configurations with several seeds."""
    return np.unique(runs.codes[runs.replications > 1]).astype(np.int64)
