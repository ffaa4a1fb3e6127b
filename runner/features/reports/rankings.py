"""Order of configurations by a metric, and whether the instances show which one is the best.

Ratios of geometric means are judged where less is better and values are above 0, and differences of means elsewhere. A
difference is shown if its 95 % interval excludes "no difference", and the instances are at least
`MIN_INSTANCES` and half of those that were tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import Better, Metric
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import MIN_INSTANCES, Estimate, Numbers, difference, geometric_mean, ratio
from runner.features.reports.tables import extreme


class Ranking(NamedTuple):
    """Order of configurations by their mean, the best first.

    Attributes
    ----------
    has_ratios : bool
        Whether geometric means are compared, by ratios; otherwise means, by differences.
    means : Series
        Means by name.
    used : DataFrame
        Instances over which the means are taken.
    alike : list of str
        The first configuration, and those with the same values.
    others : dict of str to Estimate
        The rest, each with its ratio to the first one, or with the difference by which it is worse.
    """

    has_ratios: bool
    means: pd.Series
    used: pd.DataFrame
    alike: list[str]
    others: dict[str, Estimate]

    @property
    def tied(self) -> list[str]:
        """Configurations that are not shown to be worse than the first one."""
        return [name for name, each in self.others.items() if not each.low > self.has_ratios]  # 1 or 0 is no difference

    @property
    def behind(self) -> list[str]:
        """Configurations that are shown to be worse."""
        return [name for name in self.others if name not in self.tied]


def ranking(wide: pd.DataFrame, better: Better, *, by_mean: bool = False) -> Ranking:
    """Rank the columns of a table of instances x configurations without NaN.

    The geometric mean of the rows without zeros is used if less is better, unless there are too few of them.
    """
    positive = wide[(wide > 0).all(axis=1)]
    has_ratios = better == "less" and not by_mean and len(positive) >= min(MIN_INSTANCES, len(wide))
    used = positive if has_ratios else wide
    means = used.apply(lambda column: geometric_mean(column.to_numpy())) if has_ratios else used.mean()
    means = means.sort_values(ascending=better == "less", kind="stable")
    names = [str(name) for name in means.index]
    alike = [name for name in names if (wide[name] == wide[names[0]]).all()]
    best = used[names[0]].to_numpy()
    sign = -1 if better == "more" else 1
    others = {
        name: ratio(values, best) if has_ratios else difference(sign * values, sign * best)
        for name, values in ((name, used[name].to_numpy()) for name in names if name not in alike)
    }
    return Ranking(has_ratios, means, used, alike, others)


def comparable_values(runs: Runs, metric: Metric) -> pd.DataFrame | None:
    """Return the common values of a metric if they suffice for a comparison of several configurations."""
    wide, is_shared = runs.common(metric)
    if not is_shared or metric.better == "neither" or wide.shape[1] < 2:
        return None
    is_minority = 2 * len(wide) < runs.table["instance"].cat.codes.nunique()
    return wide if len(wide) >= MIN_INSTANCES and not is_minority else None


def best_pair(runs: Runs, metric: Metric) -> tuple[str, str] | None:
    """Return the best configuration in a metric and the runner-up; None if there are none to compare, or all alike."""
    wide = comparable_values(runs, metric)
    found = None if wide is None else ranking(wide, metric.better)
    return (found.alike[0], next(iter(found.others))) if found is not None and found.others else None


def eligible(wide: pd.DataFrame, better: Better, values: pd.Series, *, by_mean: bool = False) -> Numbers | None:
    """Return sums or means that may be marked as the best; None unless the instances show that the best is better.

    Parameters
    ----------
    wide : DataFrame
        Values of instances x configurations, without NaN.
    values : Series
        The sum or the mean of each configuration, by name. Those that `wide` does not have are NaN.
    """
    if len(wide) < MIN_INSTANCES or wide.shape[1] < 2 or better == "neither":
        return None
    found = ranking(wide, better, by_mean=by_mean)
    numbers = values.to_numpy(np.float64)
    best = values.index[numbers == extreme(numbers, better)]
    return None if found.tied or not set(best).issubset(found.alike) else numbers


def shown_factors(runs: Runs, metric: Metric) -> list[tuple[str, str, float]]:
    """Return worse configurations, the best one, and the factors between them that answers name."""
    wide = comparable_values(runs, metric)
    if runs.variants or wide is None:
        return []
    found = ranking(wide, metric.better)
    if not found.has_ratios or not found.behind:
        return []
    named = dict.fromkeys((found.behind[0], found.behind[-1]))
    return [(name, found.alike[0], found.others[name].mean) for name in named]
