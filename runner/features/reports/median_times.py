"""Repeated searches (``repeat=N``): sums of their median times, with intervals and spread."""

from __future__ import annotations

import numpy as np
import pandas as pd

from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Estimate, Numbers
from runner.features.reports.tables import NamedCells, Table, counts, factors, scale_of, texts

_INTERVALS = (
    "Low and high: interval of the sum, for the errors of measurement alone. It follows from the intervals of the "
    "medians of the instances, whose errors are taken as independent (Zou and Donner 2008). The interval of a median "
    "has a confidence of at least 95 % from 6 searches on; of fewer, it is from the shortest to the longest time, with "
    "the confidence of the column."
)
_SPREAD = "Spread: difference of the longest and the shortest time, divided by the median; mean and largest."


MIN_SEARCHES = 6
"""Least number of searches whose median has an interval with a confidence of 95 %."""


def summary(runs: Runs) -> Table | None:
    """Return the search time of each configuration with repeated searches, and its interval; None without any.

    The instances are those that all these configurations have in common, if there are any.
    """
    metric = runs.declared.all_metrics["search_seconds"]
    measured = runs.table[["search_seconds", "seconds_low", "seconds_high"]]
    usable = runs.of_all_replications(runs.is_comparable(metric) & measured.notna().all(axis=1).to_numpy())
    if metric not in runs.selection.metrics or not usable.any():
        return None
    rows = measured[usable].assign(
        configuration=runs.codes[usable],
        instance=runs.table["instance"].cat.codes[usable],
        repetitions=runs.table["repetitions"][usable],
        spread=runs.table["spread"][usable],
        weight=1 / runs.replications[usable],
    )
    is_shared = rows.groupby("instance")["configuration"].transform("nunique") == rows["configuration"].nunique()
    rows = rows[is_shared] if is_shared.any() else rows
    by_configuration = rows.groupby("configuration")
    names = ("search_seconds", "seconds_low", "seconds_high", "weight")
    found = [sum_of_medians(*(part[name].to_numpy(np.float64) for name in names)) for _, part in by_configuration]
    scale = scale_of(metric, np.array([each.mean for each in found]))
    columns: list[NamedCells] = [
        ("configuration", texts(runs.configurations[number] for number in np.unique(rows["configuration"]))),
        ("instances", counts(by_configuration["instance"].nunique())),
        ("searches of each", texts(number_range(part["repetitions"]) for _, part in by_configuration)),
        (f"sum of median {scale.heading}", scale.cells(np.array([each.mean for each in found]))),
        ("low", scale.cells(np.array([each.low for each in found]))),
        ("high", scale.cells(np.array([each.high for each in found]))),
        ("confidence", texts(confidence_text(part["repetitions"].min()) for _, part in by_configuration)),
        ("spread", factors(by_configuration["spread"].mean())),
        ("largest spread", factors(by_configuration["spread"].max())),
    ]
    notes = [] if is_shared.any() else ["No instance is common, so each sum is over all instances of a configuration."]
    return Table.of("repetitions", "Repeated searches", columns, [_INTERVALS, _SPREAD, *notes])


def confidence_text(searches: float) -> str:
    """Return the confidence of the interval of a median of some searches (`seconds_low`, `seconds_high`)."""
    if searches >= MIN_SEARCHES:
        return "at least 95 %"
    return f"{100 * (1 - 2 ** (1 - searches)):.3g} %"  # that not all are on one side of the median


def sum_of_medians(seconds: Numbers, low: Numbers, high: Numbers, weights: Numbers) -> Estimate:
    """Return a weighted sum of medians, and its interval from those of the medians, whose errors are independent.

    The squares of the distances from the sum to its ends are the sums of those of the medians (Zou and Donner 2008,
    "Construction of confidence limits about effect measures").
    """
    total = float((weights * seconds).sum())
    below = float(np.sqrt(((weights * (seconds - low)) ** 2).sum()))
    above = float(np.sqrt(((weights * (high - seconds)) ** 2).sum()))
    return Estimate(total, total - below, total + above)


def number_range(numbers: pd.Series) -> str:
    """Return the least and the largest number; one number if they are equal."""
    return " to ".join(f"{number:g}" for number in sorted({numbers.min(), numbers.max()}))
