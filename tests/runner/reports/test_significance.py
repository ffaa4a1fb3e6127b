"""Sign tests and their correction, against slow reference implementations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from runner.reports.statistics import MAX_EXACT, holm, p_text, sign_test


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


def test_holm_multiplies_the_smallest_value_by_the_number_of_comparisons() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []
    assert holm([0.02]) == [0.02]


def test_holm_keeps_the_rate_of_false_discoveries() -> None:
    """Of experiments with ten equally good pairs, at most about 5 % have a significant one."""
    source = np.random.Generator(np.random.PCG64(1))
    wins = source.binomial(200, 0.5, size=(1000, 10))
    false = sum(min(holm([sign_test(int(w), 200 - int(w)) for w in each])) < 0.05 for each in wins)
    assert false / 1000 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


def test_small_values_are_bounded() -> None:
    assert [p_text(p) for p in (1e-9, 0.00012, 0.034, 1.0)] == ["< 0.0001", "0.00012", "0.034", "1"]
