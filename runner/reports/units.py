"""Units and precision in which a report writes the values of a metric."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from runner.base.metric import Metric
from runner.reports.statistics import Numbers

SIGNIFICANT = 4
"""Number of significant digits of a typical value that is no whole number."""
_MAX_DIGITS = 5
_MAX_PLAIN = 1e15
"""Values from here on are written with an exponent."""

_UNITS = {
    "s": ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s")),
    "bytes": ((1.0, "bytes"), (2.0**10, "KiB"), (2.0**20, "MiB"), (2.0**30, "GiB")),
}
"""Units that replace a declared unit, each with its size, in ascending order."""


def three_digits(value: float) -> str:
    """Return a factor with three significant digits, or all digits of a larger one; empty for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:,.0f}" if 100 <= abs(value) < _MAX_PLAIN else f"{value:.3g}"


@dataclass(frozen=True)
class Scale:
    """Unit and precision of values that stand in one table or on one axis.

    Attributes
    ----------
    metric : Metric
    size : float
        Size of the unit: a value of the results is divided by it.
    unit : str
        Unit; empty without one.
    digits : int
        Number of digits after the decimal point.
    """

    metric: Metric
    size: float
    unit: str
    digits: int

    @property
    def heading(self) -> str:
        """Title of the metric, with the unit."""
        return f"{self.metric.title} ({self.unit})" if self.unit else self.metric.title

    def text(self, value: float) -> str:
        """Return the text of a value of the results; empty for NaN."""
        if math.isnan(value):
            return ""
        scaled = value / self.size
        return f"{scaled:,.{self.digits}f}" if abs(scaled) < _MAX_PLAIN else f"{scaled:.{SIGNIFICANT}g}"

    def quantity(self, value: float) -> str:
        """Return the text of a value with its unit."""
        return f"{self.text(value)} {self.unit}".strip()

    def for_means(self, values: Numbers) -> Scale:
        """Return the same unit with the precision for means, which are rarely whole numbers."""
        declared = 0 if self.metric.unit in _UNITS else self.metric.digits
        return replace(self, digits=max(declared, _significant(values / self.size)))


def scale_of(metric: Metric, values: Numbers, are_means: bool = False) -> Scale:
    """Return the unit in which the median of some values is at least 1, and the precision that the values need.

    Whole numbers have no decimals. Means, times and sizes of memory have four significant digits at the median, other
    values the digits that the metric declares, or five if it declares none.
    """
    known = np.abs(values[np.isfinite(values) & (values != 0)])
    size, unit = _unit(metric.unit, _typical(known))
    digits = metric.digits
    if metric.unit in _UNITS or are_means:
        is_whole = not (are_means or (known / size % 1).any())
        digits = 0 if is_whole else max(digits * (metric.unit not in _UNITS), _significant(known / size))
    elif not digits and (known % 1).any():
        digits = _MAX_DIGITS
    return Scale(metric, size, unit, digits)


def _unit(declared: str, typical: float) -> tuple[float, str]:
    """Return the largest unit that is not above a typical value, with its size."""
    units = _UNITS.get(declared, ((1.0, declared),))
    return next((each for each in reversed(units) if each[0] <= typical), units[0])


def _significant(values: Numbers) -> int:
    """Return the number of decimals with which the median of some values has four significant digits."""
    known = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(known):
        return 0
    return int(np.clip(SIGNIFICANT - 1 - math.floor(math.log10(_typical(known))), 0, _MAX_DIGITS))


def _typical(values: Numbers) -> float:
    """Return the upper median, which is a value itself, however large; 1 without values."""
    return float(np.sort(values)[len(values) // 2]) if len(values) else 1.0
