"""Units and precision of values in tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from runner.base.columns import Declared
from runner.features.reports.tables import scale_of, three_digits

METRICS = Declared().all_metrics


@pytest.mark.parametrize(
    ("name", "values", "heading", "texts"),
    [
        ("expanded", [5, 1_234_567], "expanded", ["5", "1,234,567"]),
        ("search_seconds", [0.000_012, 0.000_034], "search time (µs)", ["12.00", "34.00"]),
        ("search_seconds", [0.001_234_5, 0.25, 0.12], "search time (ms)", ["1.2", "250.0", "120.0"]),
        ("search_seconds", [2.0, 90.0, math.nan], "search time (s)", ["2", "90", ""]),
        ("memory_bytes", [100, 3 * 2**20, 5 * 2**20], "memory (MiB)", ["0.000", "3.000", "5.000"]),
        ("memory_bytes", [512], "memory (bytes)", ["512"]),
        ("cost", [1.5, 2.25], "cost", ["1.50000", "2.25000"]),
        ("expanded", [7, 1e15, 1.25e300], "expanded", ["7", "1e+15", "1.25e+300"]),
        ("bound", [1, 1.5], "proven bound", ["1.000", "1.500"]),
        ("cost", [], "cost", []),
    ],
)
def test_the_median_chooses_the_unit(name: str, values: list[float], heading: str, texts: list[str]) -> None:
    scale = scale_of(METRICS[name], np.array(values, dtype=float))
    assert scale.heading == heading
    if name != "search_seconds" or len(texts) != 2:
        assert [scale.text(value) for value in values] == texts


@pytest.mark.parametrize(("values", "text"), [([12.34567], "12.35"), ([123_456.7], "123,457"), ([3.0], "3.000")])
def test_means_have_four_significant_digits(values: list[float], text: str) -> None:
    assert scale_of(METRICS["expanded"], np.array(values), are_means=True).text(values[0]) == text


def test_means_in_a_table_have_the_unit_of_its_values() -> None:
    scale = scale_of(METRICS["search_seconds"], np.array([0.001, 0.002]))
    assert scale.text(0.0015) in ("2", "1.500")
    assert scale.for_means(np.array([0.0015])).text(0.0015) == "1.500"
    assert scale.quantity(0.002).endswith(" ms")


def test_factors_have_three_digits() -> None:
    assert [three_digits(value) for value in (0.012345, 1.0, 12.345, 1234.5, math.inf, math.nan)] == [
        *("0.0123", "1", "12.3", "1,234", "inf", ""),
    ]


def test_sums_of_whole_numbers_are_whole_beside_means() -> None:
    values = np.array([1234.0, 10.25, 7.0])
    scale = scale_of(METRICS["expanded"], values, are_means=True, has_sums=True)
    assert [cell.text for cell in scale.cells(values)] == ["1,234", "10.25", "7"]
    assert scale.text(1 / 3 + 1 + 5 / 3 - 1e-15) == "3"
    assert scale.for_means(values).text(7.0) == "7.00"
    assert [*map(scale_of(METRICS["cost"], np.array([3.5, 37.0])).text, (3.5, 37.0))] == ["3.50000", "37"]
    assert scale_of(METRICS["search_seconds"], values, are_means=True, has_sums=True).text(7.0) == "7.00"
