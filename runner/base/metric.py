"""Declarations of columns. Reports and the tables in the terminal follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

_REAL_DIGITS = 5

Better = Literal["less", "more", "neither"]
Aggregate = Literal["sum", "mean", "geometric_mean"]


@dataclass(frozen=True)
class Column:
    """Column of text.

    Attributes
    ----------
    meaning : str
        Text for docs/metrics.md.
    """

    name: str
    meaning: str = ""


@dataclass(frozen=True)
class Metric:
    """Column of numbers, or of bools, which count as 0 and 1.

    Attributes
    ----------
    name : str
        Name of the column: a Python identifier.
    unit : str
        Unit of the values, such as "s"; empty without one.
    better : {"less", "more", "neither"}
        Which values are better.
    aggregate : {"sum", "mean", "geometric_mean"}
        How the values of several instances are summed up.
    digits : int
        Number of digits after the decimal point in tables.
    log : bool
        Whether charts have a logarithmic axis, if all values are positive.
    is_main : bool
        Whether the terminal and reports show the column by default, if it has values.
    label : str
        Name in tables; by default `name`, with spaces for underscores.
    meaning : str
        Text for docs/metrics.md.
    """

    name: str
    unit: str = ""
    better: Better = "less"
    aggregate: Aggregate = "sum"
    digits: int = 0
    log: bool = True
    is_main: bool = True
    label: str = ""
    meaning: str = ""

    @property
    def title(self) -> str:
        """Name in tables."""
        return self.label or self.name.replace("_", " ")

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def format(self, value: float | None, digits: int | None = None) -> str:
        """Return the text of a value in a table; empty for None and NaN.

        A real cost is no whole number, although costs have no digits: it has five.
        """
        if value is None or math.isnan(value):
            return ""
        digits = self.digits if digits is None else digits
        return f"{value:,.{_REAL_DIGITS if digits == 0 and value % 1 else digits}f}"

    def readable(self, value: float | None) -> str:
        """Return the text of a value in the terminal: seconds as ms or s."""
        if value is None or self.unit != "s":
            return self.format(value)
        return f"{value * 1000:.2f} ms" if value < 1 else f"{value:,.2f} s"
