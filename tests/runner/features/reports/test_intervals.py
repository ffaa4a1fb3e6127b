"""Coverage of the intervals of ratios, simulated with a true factor that is known, and docs/reports.md, which has it.

``python -m tests.runner.features.reports.test_intervals`` prints the table of the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest

from runner.features.reports import statistics
from runner.features.reports.statistics import MIN_INSTANCES, Numbers, difference, ratio
from tests.runner_cli import ROOT

COUNTS = (6, 10, 20, 50)


class Simulation(NamedTuple):
    """Draws logarithms of ratios whose mean, the logarithm of the true factor, is known."""

    draw: Callable[[np.random.Generator, tuple[int, int]], Numbers]
    mean: float


def _normal(source: np.random.Generator, shape: tuple[int, int]) -> Numbers:
    return np.abs(source.normal(1, 0.25, shape))  # one of 30,000 is below 0


SIMULATIONS = {
    "ratios normal": Simulation(lambda source, shape: np.log(_normal(source, shape)), -0.0351),
    "ratios exponential": Simulation(
        lambda source, shape: np.log(source.exponential(1, shape)), -float(np.euler_gamma)
    ),
    "ratios lognormal": Simulation(lambda source, shape: source.normal(0, 1, shape), 0),
    "values normal": Simulation(lambda s, shape: np.log(_normal(s, shape) / _normal(s, shape)), 0),
    "values exponential": Simulation(lambda s, shape: np.log(s.exponential(1, shape) / s.exponential(1, shape)), 0),
    "logarithms exponential": Simulation(lambda source, shape: source.exponential(1, shape), 1),
    "logarithms lognormal": Simulation(lambda source, shape: source.lognormal(0, 0.5, shape), math.exp(0.125)),
}
"""Distributions of ratios, of the values of two equally good configurations, and of logarithms of ratios.

Ratios are lognormal if their logarithms, or those of the values, are normal. -0.0351 is an integral.
"""
T_QUANTILES = {5: 2.570582, 9: 2.262157, 19: 2.093024, 49: 2.009575, 4_999: 1.960439}
"""Student's t for 95 %, two-sided (Abramowitz and Stegun 1964, table 26.10, and R)."""


def coverages(samples: int) -> Iterator[tuple[str, int, float]]:
    """Yield, for each simulation and number of instances, the share of the intervals with the true factor."""
    for name, simulation in SIMULATIONS.items():
        source = np.random.Generator(np.random.PCG64(1))
        true = math.exp(simulation.mean)
        for count in COUNTS:
            one = np.ones(count)
            found = [ratio(each, one) for each in np.exp(simulation.draw(source, (samples, count)))]
            yield name, count, sum(each.low <= true <= each.high for each in found) / samples


def page_table() -> dict[str, list[float]]:
    """Return the percentages in docs/reports.md by simulation."""
    text = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ((?:ratios|values|logarithms) \w+)[^|]* \|(.*)\|$", text, re.MULTILINE)
    return {name: [float(cell) for cell in cells.split("|")] for name, cells in lines}


def check(samples: int, error: float) -> None:
    """Compare simulated coverages with 93 to 97 %, and with the table of the page."""
    page = page_table()
    assert list(page) == list(SIMULATIONS)
    for name, count, share in coverages(samples):
        assert 0.93 - error <= share <= 0.97 + error, (name, count, share)
        shown = page[name][COUNTS.index(count)] / 100
        assert 0.93 <= shown <= 0.97
        assert share == pytest.approx(shown, abs=error)


def test_intervals_contain_the_true_factor_as_often_as_the_page_says() -> None:
    check(300, 0.045)


@pytest.mark.long
def test_93_to_97_percent_of_the_intervals_contain_the_true_factor() -> None:
    check(20_000, 0.006)


def test_the_quantiles_are_those_of_tables() -> None:
    for freedom, expected in T_QUANTILES.items():
        assert statistics.t_quantile(freedom) == pytest.approx(expected, rel=2e-4)


def test_symmetric_values_have_the_interval_of_student() -> None:
    """R: t.test(1:7)."""
    values = np.arange(1.0, 8)
    assert difference(values, np.zeros(7)) == pytest.approx((4, 2.002105, 5.997895), rel=1e-4)
    assert difference(np.full(6, 3.0), np.ones(6)) == (2, 2, 2)
    assert np.isnan(difference(values[: MIN_INSTANCES - 1], np.zeros(5))[1:]).all()


def test_the_ends_of_an_interval_solve_the_equation_of_hall() -> None:
    values = np.random.Generator(np.random.PCG64(2)).exponential(1, 12)
    mean, low, high = difference(values, np.zeros(12))
    deviation = values.std(ddof=1)
    skewness = 12 / 11 / 10 * (((values - mean) / deviation) ** 3).sum()
    assert skewness > 0.5
    for end, expected in ((low, 2.200985), (high, -2.200985)):  # quantiles with 11 degrees of freedom
        t = (mean - end) / (deviation / math.sqrt(12))
        third = skewness / math.sqrt(12)
        assert t + third / 3 * t**2 + third**2 / 27 * t**3 + third / 6 == pytest.approx(expected, rel=1e-4)


if __name__ == "__main__":
    shares = {(name, count): share for name, count, share in coverages(100_000)}
    for each in SIMULATIONS:
        print(f"| {each} | {' | '.join(f'{100 * shares[each, count]:.1f}' for count in COUNTS)} |")
