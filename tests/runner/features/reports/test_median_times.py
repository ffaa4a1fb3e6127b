"""Sums of the median times of repeated searches, with their intervals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from runner.features.reports.content import Choices, ReportContent, compose
from runner.features.reports.median_times import sum_of_medians
from tests.runner.features.reports.rows import row, write


def repeated(report: ReportContent) -> list[list[float | str]]:
    table = next(each for each in report.tables if each.name == "repetitions")
    return [[each.text if each.value is None else each.value for each in line] for line in table.rows]


def test_the_interval_of_a_sum_follows_from_those_of_the_medians(tmp_path: Path) -> None:
    """Of one instance, it is that of the row."""
    ends = ((1.0, 0.7, 1.3), (2.0, 1.6, 2.4))
    made = [
        row(f"i{n}", h, search_seconds=s, seconds_low=low, seconds_high=high, repetitions=6 + n, spread=0.1 * (n + 1))
        for h in "ab"
        for n, (s, low, high) in enumerate(ends[: 1 if h == "b" else 2])
    ]
    write(tmp_path / "metrics.csv", made)
    assert repeated(compose([tmp_path], Choices(tables=["repetitions"]))) == [
        [name, 1, "6", *map(pytest.approx, (1, 0.7, 1.3)), "at least 95 %", *map(pytest.approx, (0.1, 0.1))]
        for name in "ab"
    ]
    found = repeated(compose([tmp_path], Choices(where=["heuristic=a"], tables=["repetitions"])))
    margin = math.hypot(0.3, 0.4)
    expected = [3, 3 - margin, 3 + margin, "at least 95 %", 0.15, 0.2]
    assert found[0][1:3] == [2, "6 to 7"]
    assert found[0][3:] == [each if isinstance(each, str) else pytest.approx(each) for each in expected]


def test_the_interval_of_a_sum_has_its_confidence() -> None:
    """Of 400 simulated sums of 8 medians, about 95 % of the intervals contain the sum of the true medians."""
    source = np.random.Generator(np.random.PCG64(0))
    contained = 0
    for _ in range(400):
        times = np.sort(source.normal(10, 1, (8, 11)), axis=1)
        # of 11 values, the second and the last but one enclose the median with a confidence of 98.8 %
        found = sum_of_medians(times[:, 5], times[:, 1], times[:, 9], np.ones(8))
        contained += found.low <= 80 <= found.high
    assert contained >= 380
