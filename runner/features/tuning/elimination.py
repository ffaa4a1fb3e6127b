"""Elimination of configurations by a paired test, as in irace."""

from __future__ import annotations

import math

import numpy as np

from runner.features.reports import LEVEL, Numbers, signed_rank_test, t_quantile

_NORMAL_95 = 1.6448536269514722


def survivors(values: Numbers) -> list[int]:
    """Return the rows of values that are not significantly worse than the best row.

    Two are compared by the signed-rank test. More are compared by Friedman's test and, if that finds a difference, each
    with the one with the least sum of ranks, by Conover's post-hoc test (Conover 1999, "Practical Nonparametric
    Statistics", section 5.8; Lopez-Ibanez et al. 2016, section 2.2.2).

    Parameters
    ----------
    values : array of shape (configurations, instances)
        Less is better. A bound that is at most the true value makes the test careful.
    """
    count, instances = values.shape
    if count < 2:
        return [*range(count)]
    ranks = np.apply_along_axis(mean_ranks, 0, values)
    sums = ranks.sum(axis=1)
    best = int(sums.argmin())
    if count == 2:
        if signed_rank_test(*_finite(values)) >= LEVEL:
            return [0, 1]
        return [best]
    squares = float((ranks**2).sum())
    correction = instances * count * (count + 1) ** 2 / 4
    if squares <= correction:  # all ranks are tied
        return [*range(count)]
    statistic = (count - 1) * (float((sums**2).sum()) - instances * correction) / (squares - correction)
    if statistic <= _chi_square(count - 1):
        return [*range(count)]
    freedom = (instances - 1) * (count - 1)
    error = 2 * (instances * squares - float((sums**2).sum())) / freedom
    margin = t_quantile(freedom) * math.sqrt(max(error, 0.0))
    return [row for row in range(count) if sums[row] - sums[best] <= margin]


def mean_ranks(values: Numbers) -> Numbers:
    """Return the ranks of values, from 1; equal ones share their mean rank."""
    _, places, sizes = np.unique(values, return_inverse=True, return_counts=True)
    mean: Numbers = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
    return mean


def _finite(values: Numbers) -> Numbers:
    """Return values with a large number for infinity, whose differences can be ranked."""
    known = values[np.isfinite(values)]
    return np.where(np.isfinite(values), values, 10 * np.abs(known).max(initial=1.0))


def _chi_square(freedom: int) -> float:
    """Return the 95 % quantile of the chi-square distribution (Wilson and Hilferty 1931)."""
    ninth = 2 / (9 * freedom)
    return float(freedom * (1 - ninth + _NORMAL_95 * math.sqrt(ninth)) ** 3)
