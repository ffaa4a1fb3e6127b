"""Paired sign tests, corrected for several comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

LEVEL = 0.05
"""Level of significance."""
MAX_EXACT = 1_000
"""Number of differences above which the normal approximation replaces the binomial distribution."""


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


def explanation(comparisons: int) -> str:
    """Return a sentence on the meaning of corrected p values."""
    corrected = f", corrected for {comparisons} comparisons by Holm's method" if comparisons > 1 else ""
    return (
        f"p: two-sided sign test of wins and losses{corrected}. Below {LEVEL}, the difference is significant: between "
        "equally good configurations, chance alone rarely makes a difference as clear. A larger p does not show that "
        "two configurations are equally good."
    )


def p_text(p: float) -> str:
    """Return the text of a p value."""
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"
