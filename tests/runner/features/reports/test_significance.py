"""Tests of pairs, their correction, and shares of wins, against slow implementations and published tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from runner.features.reports import statistics
from runner.features.reports.statistics import (
    MAX_EXACT,
    MAX_RANKED,
    holm,
    p_text,
    sign_test,
    signed_rank_test,
    superiority,
)
from tests.naive import signed_ranks

MCCORNACK = (
    *((6, 0, None), (7, 2, None), (8, 3, 0), (9, 5, 1), (10, 8, 3), (11, 10, 5), (12, 13, 7), (15, 25, 15)),
    *((20, 52, 37), (25, 89, 68), (30, 137, 109)),
)
"""Numbers of differences, and the largest sums of ranks that are significant at 0.05 and at 0.01 (McCornack 1965)."""


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (3, 3), (5, 1), (0, 8), (7, 4)])
def test_the_sign_test_counts_the_splits_that_are_as_uneven(wins: int, losses: int) -> None:
    count, difference = wins + losses, abs(wins - losses)
    splits = [sum(signs) for signs in itertools.product((-1, 1), repeat=count)]
    as_uneven = sum(abs(split) >= difference for split in splits)
    assert sign_test(wins, losses) == pytest.approx(as_uneven / len(splits))


def test_the_normal_approximation_continues_the_binomial_distribution() -> None:
    wins = MAX_EXACT // 2 + 40
    exact, approximate = sign_test(wins, MAX_EXACT - wins), sign_test(wins, MAX_EXACT + 1 - wins)
    assert approximate == pytest.approx(exact, rel=0.1)
    assert sign_test(1_000_000, 1_000) == 0


def p_of(differences: Sequence[float] | NDArray[Any]) -> float:
    return signed_rank_test(np.array(differences, np.float64), np.zeros(len(differences)))


def p_of_sum(count: int, total: int) -> float:
    """Return the p value of the differences 1 to `count`, if the negative ones have this sum."""
    differences = list[float]()
    for rank in range(count, 0, -1):
        differences.append(-rank if rank <= total else rank)
        total -= rank * (rank <= total)
    return p_of(differences)


def test_sums_of_ranks_are_significant_up_to_the_published_values() -> None:
    for count, *values in MCCORNACK:
        for level, largest in zip((0.05, 0.01), values, strict=True):
            assert p_of_sum(count, -1 if largest is None else largest) <= level or largest is None
            assert p_of_sum(count, 0 if largest is None else largest + 1) > level


def test_published_examples_of_the_signed_rank_test() -> None:
    maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]  # Darwin 1876, p as in Fisher 1935 and scipy
    assert p_of(maize) == 0.041259765625
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]  # Hollander and Wolfe 1973, p as in R
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    assert signed_rank_test(np.array(before), np.array(after)) == pytest.approx(0.0390625)


@pytest.mark.parametrize("count", range(11))
def test_the_signed_rank_test_counts_the_signs_that_are_as_uneven(count: int) -> None:
    source = np.random.Generator(np.random.PCG64(count))
    for _ in range(10):
        differences = source.integers(-4, 6, count).tolist()  # with ties and zeros
        assert p_of(differences) == pytest.approx(signed_ranks.signed_rank_test(differences))


def test_the_approximation_of_sums_of_ranks_has_the_corrections_for_ties_and_continuity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.random.Generator(np.random.PCG64(3)).integers(-8, 11, MAX_RANKED)
    exact = p_of(differences)
    monkeypatch.setattr(statistics, "MAX_RANKED", 0)
    assert p_of(differences) == pytest.approx(exact, rel=0.05)
    assert p_of([1, 1, -1, 2, 2, -2, 3, 0]) == pytest.approx(0.2649615)  # by hand: ranks 2, 5 and 7, variance 34
    assert p_of(np.ones(10_000)) == 0


def test_the_share_of_wins_has_the_interval_of_wilson() -> None:
    assert superiority(8, 2, 10) == pytest.approx((0.8, 0.4902, 0.9433), abs=5e-5)
    assert superiority(81, 182, 263) == pytest.approx((0.3080, 0.2553, 0.3662), abs=5e-5)  # Newcombe 1998
    assert superiority(3, 1, 8) == superiority(5, 3, 8)
    assert np.isnan(superiority(0, 0, 0)).all()


def test_holm_multiplies_the_smallest_value_by_the_number_of_comparisons() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []
    assert holm([0.02]) == [0.02]


def test_holm_keeps_the_rate_of_false_discoveries() -> None:
    """Of experiments with ten equally good pairs, at most about 5 % have a significant one."""
    source = np.random.Generator(np.random.PCG64(1))
    wins = source.binomial(200, 0.5, size=(1000, 10))
    p = {w: sign_test(w, 200 - w) for w in np.unique(wins).tolist()}
    false = sum(min(holm([p[w] for w in each])) < 0.05 for each in wins.tolist())
    assert false / 1000 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


def test_small_values_are_bounded() -> None:
    assert [p_text(p) for p in (1e-9, 0.00012, 0.034, 1.0)] == ["< 0.0001", "0.00012", "0.034", "1"]
