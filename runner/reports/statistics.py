"""Means and ratios of reports."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from runner.base.metric import Aggregate

RESAMPLES = 2_000
MAX_BOOTSTRAP = 5_000
"""Number of instances above which the normal approximation replaces the bootstrap."""
CONFIDENCE = 0.95

Numbers = NDArray[np.float64]

AGGREGATES: dict[Aggregate, str] = {"sum": "sum", "mean": "mean", "geometric_mean": "geometric mean"}
"""Names of the aggregates in tables."""


@dataclass(frozen=True)
class Ratio:
    """Ratio of two configurations over paired instances.

    Attributes
    ----------
    mean : float
        Geometric mean of the ratios; NaN without instances.
    low, high : float
        Ends of its 95 % confidence interval.
    """

    mean: float
    low: float
    high: float


def geometric_mean(values: Numbers) -> float:
    """Return the geometric mean; NaN if there are no values, or a value is not above 0."""
    if not len(values) or (values <= 0).any():
        return float("nan")
    return float(np.exp(np.log(values).mean()))


def shifted_geometric_mean(values: Numbers, shift: float) -> float:
    """Return ``exp(mean(log(x + shift))) - shift`` (Achterberg 2007); NaN if there are no values."""
    return geometric_mean(values + shift) - shift


def aggregate(values: Numbers, how: Aggregate) -> float:
    """Return the sum or mean of values; NaN without values."""
    if not len(values):
        return float("nan")
    if how == "geometric_mean":
        return geometric_mean(values)
    return float(values.sum() if how == "sum" else values.mean())


def ratio(first: Numbers, second: Numbers, seed: int = 0) -> Ratio:
    """Return the geometric mean of ``first / second``, with a percentile bootstrap over instances (Efron 1979).

    Instances where a value is not above 0 are left out. For more than 5,000 instances, the interval comes from the
    normal approximation of the mean logarithm, which then agrees with the bootstrap.
    """
    usable = (first > 0) & (second > 0)
    logarithms = np.log(first[usable]) - np.log(second[usable])
    count = len(logarithms)
    if not count:
        return Ratio(float("nan"), float("nan"), float("nan"))
    mean = logarithms.mean()
    if count > MAX_BOOTSTRAP:
        margin = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * logarithms.std(ddof=1) / np.sqrt(count)
        low, high = mean - margin, mean + margin
    else:
        source = np.random.Generator(np.random.PCG64(seed))
        means = np.array([logarithms[source.integers(0, count, count)].mean() for _ in range(RESAMPLES)])
        low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Ratio(float(np.exp(mean)), float(np.exp(low)), float(np.exp(high)))


def ratio_of_sums(first: Numbers, second: Numbers) -> float:
    """Return the sum of the first values divided by that of the second; NaN if this is not above 0."""
    total = float(second.sum())
    return float(first.sum()) / total if total > 0 else float("nan")
