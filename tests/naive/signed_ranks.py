"""Naive signed-rank test: all assignments of signs to the ranks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence


def signed_rank_test(differences: Sequence[float]) -> float:
    """Return the share of sign assignments whose sum of ranks is at least as far from 0, both ways."""
    found = sorted(abs(each) for each in differences if each)
    ranks = [sum(place for place, other in enumerate(found, 1) if other == each) / found.count(each) for each in found]
    observed = sum(ranks[found.index(abs(each))] * (1 if each > 0 else -1) for each in differences if each)
    sums = [
        sum(sign * rank for sign, rank in zip(signs, ranks, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(ranks))
    ]
    return sum(abs(each) >= abs(observed) for each in sums) / len(sums)
