"""Tables of pairs: one configuration and another, or a configuration before and after a change."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pandas as pd

from runner.metric import Metric
from runner.report.runs import Runs
from runner.report.statistics import AGGREGATES, Numbers, aggregate, ratio
from runner.report.tables import Cell, Table, count

INTERVAL = ["95 % low", "95 % high"]
_RATIO = "geometric mean over the instances where both values are above 0, with its 95 % bootstrap interval"


def comparisons(runs: Runs, metric: Metric, pairs: Sequence[tuple[str, str]]) -> Table:
    """Return wins, losses and ratios of pairs of configurations, over the instances that are comparable in both."""
    wide = runs.comparable(metric)
    columns = ["pair", "instances", "wins", "losses", "ties", "ratio", *INTERVAL]
    rows = [_comparison(wide, metric, *pair) for pair in pairs]
    return Table(f"pairs_{metric.name}", f"Pairs: {metric.heading}", columns, rows, notes=[f"Ratio: {_RATIO}."])


def revisions(runs: Runs, metric: Metric) -> Table | None:
    """Return each configuration before and after each change; None if revisions have no instances in common."""
    wide = runs.comparable(metric)
    rows = []
    for name, variants in runs.variants.items():
        for before, after in itertools.pairwise(variants):
            row = _change(wide, metric, variants[before], variants[after])
            rows += [[Cell(name), Cell(before), Cell(after), *row]] if row else []
    if not rows:
        return None
    kind = AGGREGATES[metric.aggregate]
    columns = ["configuration", "before", "after", "instances", f"{kind} before", f"{kind} after", "ratio", *INTERVAL]
    notes = [f"Over the instances that count in both revisions. Ratio: after / before, {_RATIO}."]
    return Table(f"revisions_{metric.name}", f"Revisions: {metric.heading}", columns, rows, notes=notes)


def _comparison(wide: pd.DataFrame, metric: Metric, first: str, second: str) -> list[Cell]:
    both = wide[[first, second]].dropna()
    one, other = both[first].to_numpy(), both[second].to_numpy()
    less, more = int((one < other).sum()), int((one > other).sum())
    wins, losses = {"less": (less, more), "more": (more, less), "neither": (0, 0)}[metric.better]
    counts = (len(both), wins, losses, len(both) - less - more)
    return [Cell(f"{first} / {second}"), *map(count, counts), *_ratio(one, other)]


def _change(wide: pd.DataFrame, metric: Metric, before: str, after: str) -> list[Cell]:
    both = wide[[before, after]].dropna()
    if not len(both):
        return []
    old, new = both[before].to_numpy(), both[after].to_numpy()
    return [count(len(both)), *(aggregated(values, metric) for values in (old, new)), *_ratio(new, old)]


def aggregated(values: Numbers, metric: Metric) -> Cell:
    """Return the cell of the sum or mean of values, as the metric declares it."""
    value = aggregate(values, metric.aggregate)
    digits = metric.digits if metric.aggregate == "sum" else max(metric.digits, 1)
    return Cell(metric.format(value, digits), value)


def _ratio(first: Numbers, second: Numbers) -> list[Cell]:
    """Return the cells of the mean ratio and of the two ends of its interval."""
    found = ratio(first, second)
    ends = (found.mean, found.low, found.high)
    return [Cell("" if math.isnan(value) else f"{value:.3g}", value) for value in ends]
