"""Tables of pairs: one configuration against another, and a configuration before and after a change."""

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
_RATIO = "geometric mean over instances where both are above 0; its interval of 95 % by bootstrap over these"


def comparisons(runs: Runs, metric: Metric, pairs: Sequence[tuple[str, str]]) -> Table:
    """Return wins, losses and ratios of pairs of configurations, over the instances that count under both."""
    wide = runs.comparable(metric)
    columns = ["pair", "instances", "wins", "losses", "ties", "ratio", *INTERVAL]
    rows = [_comparison(wide, metric, *pair) for pair in pairs]
    return Table(f"pairs_{metric.name}", f"Pairs: {metric.heading}", columns, rows, notes=[f"Ratio: {_RATIO}."])


def revisions(runs: Runs, metric: Metric) -> Table | None:
    """Return each configuration before and after each change; None without instances that several revisions share."""
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
    notes = [f"Over the instances that count under both revisions. Ratio: after / before, {_RATIO}."]
    return Table(f"revisions_{metric.name}", f"Revisions: {metric.heading}", columns, rows, notes=notes)


def _comparison(wide: pd.DataFrame, metric: Metric, ours: str, theirs: str) -> list[Cell]:
    both = wide[[ours, theirs]].dropna()
    one, other = both[ours].to_numpy(), both[theirs].to_numpy()
    less, more = int((one < other).sum()), int((one > other).sum())
    wins, losses = {"less": (less, more), "more": (more, less), "neither": (0, 0)}[metric.better]
    counts = (len(both), wins, losses, len(both) - less - more)
    return [Cell(f"{ours} / {theirs}"), *map(count, counts), *_ratio(one, other)]


def _change(wide: pd.DataFrame, metric: Metric, before: str, after: str) -> list[Cell]:
    both = wide[[before, after]].dropna()
    if not len(both):
        return []
    old, new = both[before].to_numpy(), both[after].to_numpy()
    return [count(len(both)), *(aggregated(values, metric) for values in (old, new)), *_ratio(new, old)]


def aggregated(values: Numbers, metric: Metric) -> Cell:
    """Return the cell of values that are summed up as the metric declares."""
    value = aggregate(values, metric.aggregate)
    digits = metric.digits if metric.aggregate == "sum" else max(metric.digits, 1)
    return Cell(metric.format(value, digits), value)


def _ratio(ours: Numbers, theirs: Numbers) -> list[Cell]:
    """Return the cells of the mean ratio and of both ends of its interval."""
    found = ratio(ours, theirs)
    ends = (found.mean, found.low, found.high)
    return [Cell("" if math.isnan(value) else f"{value:.3g}", value) for value in ends]
