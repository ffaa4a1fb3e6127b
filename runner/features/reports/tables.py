"""Table of a report: its values with all digits, and the texts in which formats show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import Better, Metric
from runner.features.reports.statistics import Estimate, Numbers, p_text

SIGNIFICANT = 4
"""Number of significant digits of a typical value that is no whole number."""
MAX_LISTED = 5
"""Number of names in a sentence."""
INTERVAL = ("95 % low", "95 % high")
_MAX_DIGITS = 5
_ROUNDING = 1e-9
"""Distance from a whole number that is an error of rounding, as in 1/3 + 1/3 + 1/3."""
_MAX_PLAIN = 1e15
"""Values from here on are written with an exponent."""
_UNITS = {
    "s": ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s")),
    "bytes": ((1.0, "bytes"), (2.0**10, "KiB"), (2.0**20, "MiB"), (2.0**30, "GiB")),
}
"""Units that replace a declared unit, each with its size, in ascending order."""


class TableCell(NamedTuple):
    """Cell of a table: its text, its number (None for a text), and whether it is marked as the best of its row."""

    text: str
    value: float | None = None
    is_best: bool = False


NamedCells = tuple[str, Sequence[TableCell]]
"""Column of a table: its heading and its cells."""


@dataclass(frozen=True)
class Table:
    """Table with totals and notes.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Heading.
    columns : list of str
        Headings of the columns. The first column names the rows.
    rows : sequence of sequence of TableCell
        Cells by row.
    totals : sequence of sequence of TableCell
        Further rows below the others, which are not sorted with them.
    notes : list of str
        Remarks below the table.
    is_by_instance : bool
        Whether there is a row for each instance.
    family : str
        Name under which its function is registered.
    """

    name: str
    title: str
    columns: list[str]
    rows: Sequence[Sequence[TableCell]]
    totals: Sequence[Sequence[TableCell]] = ()
    notes: list[str] = field(default_factory=list)
    is_by_instance: bool = False
    family: str = ""

    @property
    def names(self) -> set[str]:
        """Names by which options choose it: its own, and that of its family."""
        return {self.name, self.family}

    @classmethod
    def of(cls, name: str, title: str, columns: Iterable[NamedCells], notes: Iterable[str] = ()) -> Table:
        """Return the table of some columns."""
        given = list(columns)
        rows = list(zip(*(cells for _, cells in given), strict=True))
        return cls(name, title, [heading for heading, _ in given], rows, notes=list(notes))

    @classmethod
    def of_frame(cls, name: str, title: str, frame: pd.DataFrame, metrics: Mapping[str, Metric]) -> Table:
        """Return the table of a DataFrame, with its index if that has a name. Columns of metrics are shown as these."""
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index()
        columns: list[NamedCells] = []
        for place, heading in enumerate(map(str, frame)):
            column = frame.iloc[:, place]
            if not pd.api.types.is_numeric_dtype(column):
                found = zip(column, column.isna(), strict=True)
                columns.append((heading, texts("" if is_missing else str(value) for value, is_missing in found)))
                continue
            values = column.to_numpy(np.float64, na_value=np.nan)
            scale = scale_of(metrics.get(heading, Metric(heading)), values, are_means=bool((values % 1 != 0).any()))
            columns.append((scale.heading if heading in metrics else heading, scale.cells(values)))
        return cls.of(name, title, columns)

    @property
    def lines(self) -> list[Sequence[TableCell]]:
        """All rows, with the totals."""
        return [*self.rows, *self.totals]

    @cached_property
    def text_columns(self) -> list[bool]:
        """For each column, whether it has texts; the first one names the rows, even if the names are numbers."""
        lines = self.lines
        return [place == 0 or all(line[place].value is None for line in lines) for place in range(len(self.columns))]

    @property
    def values(self) -> pd.DataFrame:
        """Values of the rows with all digits, by their names."""
        values = [[cell.text if cell.value is None else cell.value for cell in row] for row in self.rows]
        return pd.DataFrame(values, columns=self.columns).set_index(self.columns[0])


def texts(names: Iterable[str]) -> list[TableCell]:
    """Return the cells of texts."""
    return [TableCell(name) for name in names]


def counts(numbers: Iterable[float], zero: str = "") -> list[TableCell]:
    """Return the cells of counts, with an empty text for 0."""
    return [TableCell(f"{int(number):,}" if number else zero, float(number)) for number in numbers]


def factors(values: Iterable[float]) -> list[TableCell]:
    """Return the cells of factors."""
    return [TableCell(three_digits(value), value) for value in values]


def estimates(name: str, found: Sequence[Estimate], interval: Sequence[str] = INTERVAL) -> list[NamedCells]:
    """Return the columns of means and of the two ends of their intervals."""
    columns = zip(*found, strict=True)
    return [(heading, factors(values)) for heading, values in zip((name, *interval), columns, strict=True)]


def p_values(values: Iterable[float]) -> list[TableCell]:
    """Return the cells of p values."""
    return [TableCell(p_text(p), p) for p in values]


def extreme(values: Numbers, better: Better) -> float:
    """Return the best of some values; NaN, which equals nothing, if no value is better than another."""
    known = values[~np.isnan(values)]
    if better == "neither" or len(known) < 2 or known.min() == known.max():
        return math.nan
    return float(known.min() if better == "less" else known.max())


def listed(names: Sequence[str], most: int = MAX_LISTED) -> str:
    """Return the first names, with commas between them, and the number of the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


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
    is_of_sums : bool
        Whether the values are those of a metric that counts, or sums of them.
    """

    metric: Metric
    size: float
    unit: str
    digits: int
    is_of_sums: bool = False

    @property
    def heading(self) -> str:
        """Title of the metric, with the unit."""
        return f"{self.metric.title} ({self.unit})" if self.unit else self.metric.title

    def text(self, value: float) -> str:
        """Return the text of a value of the results; empty for NaN. A sum of whole numbers is whole beside others."""
        if math.isnan(value):
            return ""
        scaled = value / self.size
        is_whole = self.is_of_sums and abs((value + 0.5) % 1 - 0.5) < _ROUNDING
        return (
            f"{scaled:,.{0 if is_whole else self.digits}f}" if abs(scaled) < _MAX_PLAIN else f"{scaled:.{SIGNIFICANT}g}"
        )

    def quantity(self, value: float) -> str:
        """Return the text of a value with its unit."""
        return f"{self.text(value)} {self.unit}".strip()

    def cells(self, values: Numbers, eligible: Numbers | None = None) -> list[TableCell]:
        """Return the cells of values, in the unit of the heading. The best of the eligible values is marked."""
        is_best = np.zeros(len(values), bool) if eligible is None else eligible == extreme(eligible, self.metric.better)
        scaled = (values / self.size).tolist()
        rows = zip(values.tolist(), scaled, is_best.tolist(), strict=True)
        return [TableCell(self.text(value), shown, best) for value, shown, best in rows]

    def for_means(self, values: Numbers) -> Scale:
        """Return the same unit with the precision for means, which are rarely whole numbers."""
        declared = 0 if self.metric.unit in _UNITS else self.metric.digits
        return replace(self, digits=max(declared, _significant(values / self.size)), is_of_sums=False)


def scale_of(metric: Metric, values: Numbers, are_means: bool = False, has_sums: bool = False) -> Scale:
    """Return the unit in which the median of some values is at least 1, and the precision that the values need.

    Whole numbers have no decimals. Means, times and sizes of memory have four significant digits at the median, other
    values the digits that the metric declares, or five if it declares none. With `has_sums`, whole values of a metric
    that counts stay whole beside means.
    """
    known = np.abs(values[np.isfinite(values) & (values != 0)])
    typical, units = _typical(known), _UNITS.get(metric.unit, ((1.0, metric.unit),))
    size, unit = next((each for each in reversed(units) if each[0] <= typical), units[0])
    digits = metric.digits
    if metric.unit in _UNITS or are_means:
        is_whole = not (are_means or (known / size % 1).any())
        digits = 0 if is_whole else max(digits * (metric.unit not in _UNITS), _significant(known / size))
    elif not digits and (known % 1).any():
        digits = _MAX_DIGITS
    counts = metric.aggregate == "sum" and not (metric.digits or metric.unit)
    return Scale(metric, size, unit, digits, counts and (has_sums or not are_means))


def _significant(values: Numbers) -> int:
    """Return the number of decimals with which the median of some values has four significant digits."""
    known = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(known):
        return 0
    return int(np.clip(SIGNIFICANT - 1 - math.floor(math.log10(_typical(known))), 0, _MAX_DIGITS))


def _typical(values: Numbers) -> float:
    """Return the upper median, which is a value itself, however large; 1 without values."""
    return float(np.sort(values)[len(values) // 2]) if len(values) else 1.0
