"""The arithmetic of reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.metric import Aggregate

RESAMPLES = 2_000
MAX_BOOTSTRAP = 5_000
CONFIDENCE = 0.95

Numbers = NDArray[np.float64]

AGGREGATES: dict[Aggregate, str] = {"sum": "sum", "mean": "mean", "geometric_mean": "geometric mean"}
"""What values are summed up to, in words."""


@dataclass(frozen=True)
class Ratio:
    """How much one configuration needs of another's, over paired instances.

    Attributes
    ----------
    mean : float
        Geometric mean of the ratios; NaN without any.
    low, high : float
        Its confidence interval of 95 %.
    """

    mean: float
    low: float
    high: float


def geometric_mean(values: Numbers) -> float:
    """Return the geometric mean of values above 0; NaN if there are none, or others."""
    if not len(values) or (values <= 0).any():
        return float("nan")
    return float(np.exp(np.log(values).mean()))


def aggregate(values: Numbers, how: Aggregate) -> float:
    """Return what values are summed up to; NaN for none."""
    if not len(values):
        return float("nan")
    if how == "geometric_mean":
        return geometric_mean(values)
    return float(values.sum() if how == "sum" else values.mean())


def ratio(ours: Numbers, theirs: Numbers, seed: int = 0) -> Ratio:
    """Return the geometric mean of ``ours / theirs``, with a percentile bootstrap over instances (Efron 1979).

    Instances where either is not above 0 are left out. Above 5,000 instances the interval is that of the normal
    approximation of the mean logarithm, which is then the same.
    """
    usable = (ours > 0) & (theirs > 0)
    logarithms = np.log(ours[usable]) - np.log(theirs[usable])
    count = len(logarithms)
    if not count:
        return Ratio(float("nan"), float("nan"), float("nan"))
    mean = logarithms.mean()
    if count > MAX_BOOTSTRAP:
        margin = 1.959964 * logarithms.std(ddof=1) / np.sqrt(count)
        low, high = mean - margin, mean + margin
    else:
        source = np.random.Generator(np.random.PCG64(seed))
        means = np.array([logarithms[source.integers(0, count, count)].mean() for _ in range(RESAMPLES)])
        low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Ratio(float(np.exp(mean)), float(np.exp(low)), float(np.exp(high)))
