"""Means, sizes of effects with intervals, and tests of paired values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runner.base import Aggregate
from runner.records import COST_TOLERANCE

CONFIDENCE = 0.95
MIN_INSTANCES = 6
"""Least number of instances for an interval, and for calling a configuration the best."""
LEVEL = 0.05
"""Level of significance."""
MAX_EXACT = 1_000
"""Number of differences above which the normal approximation replaces the binomial distribution."""
MAX_RANKED = 200
"""Number of differences above which the normal approximation replaces the distribution of sums of ranks."""
_STRAIGHT = 1e-9
"""Curvature of a transformation below which it is none."""

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

Numbers = NDArray[np.float64]

AGGREGATES: dict[Aggregate, str] = {"sum": "sum", "mean": "mean", "geometric_mean": "geometric mean"}
"""Names of the aggregates in tables."""


class Estimate(NamedTuple):
    """Mean effect over paired instances, and the ends of its 95 % interval; NaN with too few instances."""

    mean: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def level(costs: Numbers, groups: NDArray[np.integer[Any]]) -> Numbers:
    """Return costs in which those of a group that are equal within `COST_TOLERANCE` are the least of them."""
    order = np.lexsort((costs, groups))
    ascending, of_group = costs[order], groups[order]
    is_equal = (np.diff(ascending) <= COST_TOLERANCE) & (of_group[1:] == of_group[:-1])
    first = np.flatnonzero(np.append(True, ~is_equal)[: len(costs)])
    result = np.empty_like(costs)
    result[order] = np.repeat(ascending[first], np.diff(np.append(first, len(costs))))
    return result


def geometric_mean(values: Numbers) -> float:
    """Return the geometric mean; NaN if there are no values, or a value is not above 0."""
    if not len(values) or (values <= 0).any():
        return math.nan
    return float(np.exp(np.log(values).mean()))


def shifted_geometric_mean(values: Numbers, shift: float) -> float:
    """Return ``exp(mean(log(x + shift))) - shift`` (Achterberg 2007); NaN if there are no values."""
    return geometric_mean(values + shift) - shift


def aggregate(values: Numbers, how: Aggregate) -> float:
    """Return the sum or mean of values; NaN without values."""
    if not len(values):
        return math.nan
    if how == "geometric_mean":
        return geometric_mean(values)
    return float(values.sum() if how == "sum" else values.mean())


def difference(first: Numbers, second: Numbers) -> Estimate:
    """Return the mean of ``first - second``, with its interval; without one below `MIN_INSTANCES` values.

    The interval is that of Student's t, after a transformation that removes the effect of skewness (Hall 1992, "On the
    removal of skewness by transformation"). docs/reports.md has its simulated coverage.
    """
    differences = first - second
    count = len(differences)
    if not count:
        return UNKNOWN
    mean = float(differences.mean())
    if count < MIN_INSTANCES:
        return Estimate(mean, math.nan, math.nan)
    deviation = float(differences.std(ddof=1))
    if not deviation:
        return Estimate(mean, mean, mean)
    root = math.sqrt(count)
    cubes = float((((differences - mean) / deviation) ** 3).sum())
    skewness = cubes * count / ((count - 1) * (count - 2))  # without bias for normal values
    bend = skewness / (3 * root)

    def untransformed(t: float) -> float:
        shifted = t - skewness / (6 * root)
        return (float(np.cbrt(1 + 3 * bend * shifted)) - 1) / bend if abs(bend) > _STRAIGHT else shifted

    t = t_quantile(count - 1)
    low, high = (mean - deviation / root * untransformed(each) for each in (t, -t))
    return Estimate(mean, low, high)


def ratio(first: Numbers, second: Numbers) -> Estimate:
    """Return the geometric mean of ``first / second``, with the interval of the mean logarithm (`difference`).

    Instances where a value is not above 0 are left out.
    """
    usable = (first > 0) & (second > 0)
    return Estimate(*np.exp(difference(np.log(first[usable]), np.log(second[usable]))).tolist())


def t_quantile(freedom: float) -> float:
    """Return the quantile of Student's t distribution for `CONFIDENCE`, with at least five degrees of freedom.

    The expansion of Fisher and Cornish (Abramowitz and Stegun 1964, 26.7.5) has an error below 0.02 % there.
    """
    z = _Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def ratio_of_sums(first: Numbers, second: Numbers) -> float:
    """Return the sum of the first values divided by that of the second; NaN if this is not above 0."""
    total = float(second.sum())
    return float(first.sum()) / total if total > 0 else math.nan


def sign_test(wins: int, losses: int) -> float:
    """Return the p value of the two-sided sign test (Dixon and Mood 1946). Ties do not count.

    It is the probability of a split at least as uneven if each instance were won with probability 1/2. The test does
    not depend on the distribution of the values; it needs instances that are independent of each other.
    """
    count, fewer = wins + losses, min(wins, losses)
    if count > MAX_EXACT:
        return min(1.0, 2 * NormalDist().cdf((fewer + 0.5 - count / 2) / (math.sqrt(count) / 2)))
    tail: int = sum(math.comb(count, k) for k in range(fewer + 1))
    return min(1.0, 2 * tail / float(2**count))


def signed_rank_test(first: Numbers, second: Numbers) -> float:
    """Return the p value of the two-sided signed-rank test of paired values (Wilcoxon 1945).

    The differences other than 0 are ranked by size; equal ones share their mean rank. The p value is the probability of
    a sum of the ranks of one sign at least as far from its mean if each sign had the probability 1/2. For up to 200
    differences, this is exact, by dynamic programming over the ranks; above, it is the normal approximation, corrected
    for ties and continuity. This needs a few lines rather than scipy, whose exact distribution assumes that no
    differences are equal.
    """
    differences = first - second
    differences = differences[differences != 0]
    _, places, sizes = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(sizes) - sizes + 1)[places]  # twice the mean rank, a whole number
    positive, total = int(doubled[differences > 0].sum()), int(doubled.sum())
    fewer, count = min(positive, total - positive), len(differences)
    if count > MAX_RANKED:
        deviation = math.sqrt(float((doubled.astype(np.float64) ** 2).sum()))
        return min(1.0, 2 * NormalDist().cdf((fewer + 1 - total / 2) * 2 / deviation))
    chances: Numbers = np.zeros(fewer + 1)  # of each sum that is not larger
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] += chances[: max(0, len(chances) - rank)].copy()
        chances /= 2
    return min(1.0, 2 * float(chances.sum()))


def superiority(wins: int, losses: int, count: int) -> Estimate:
    """Return the share of instances on which the first is better, ties counted half, with its interval (Wilson 1927).

    It estimates the probability that the first is better on another instance of this kind (Vargha and Delaney 2000, for
    pairs). Ties make the interval wider than it needs to be. Below `MIN_INSTANCES`, there is none.
    """
    if not count:
        return UNKNOWN
    if count < MIN_INSTANCES:
        return Estimate((wins + (count - wins - losses) / 2) / count, math.nan, math.nan)
    share, weight = (wins + (count - wins - losses) / 2) / count, _Z**2 / count
    centre = (share + weight / 2) / (1 + weight)
    margin = _Z / (1 + weight) * math.sqrt(share * (1 - share) / count + weight / (4 * count))
    return Estimate(share, max(0.0, centre - margin), min(1.0, centre + margin))


def holm(values: Sequence[float]) -> list[float]:
    """Return p values that are corrected for their number (Holm 1979), in the same order.

    If all configurations are equally good, the probability that any corrected value is below 0.05 is at most 0.05.
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected, largest = [1.0] * len(values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, values[place] * (len(values) - rank)))
        corrected[place] = largest
    return corrected


def p_text(p: float) -> str:
    """Return the text of a p value."""
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def explanation(comparisons: int) -> str:
    """Return a sentence on the meaning of corrected p values."""
    corrected = f", each corrected for {comparisons} comparisons by Holm's method" if comparisons > 1 else ""
    return (
        "p: two-sided sign test of wins and losses; p Wilcoxon: two-sided signed-rank test, in which large differences "
        f"count more{corrected}. Below {LEVEL}, the difference is significant: between equally good configurations, "
        "chance alone rarely makes a difference as clear. A larger p does not show that two configurations are equally "
        "good."
    )
