"""Declarations of columns. Reports and the tables in the terminal follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runner.base.formula import formula

_REAL_DIGITS = 5
_MAX_LENGTH = 20  # of a text that is read as a whole number: longer ones do not fit into 64 bits

Better = Literal["less", "more", "neither"]
Aggregate = Literal["sum", "mean", "geometric_mean"]


@dataclass(frozen=True)
class Column:
    """Column that is no metric.

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
    log_scale : bool
        Whether charts have a logarithmic axis, if all values are positive.
    is_main : bool
        Whether the terminal and reports show the column by default, if it has values.
    label : str
        Name in tables; by default `name`, with spaces for underscores.
    meaning : str
        Text for docs/metrics.md.
    derived : str
        Formula of a metric that follows from others, such as ``"generated / expanded"``. Rows do not have its column:
        it is computed when they are read.
    """

    name: str
    unit: str = ""
    better: Better = "less"
    aggregate: Aggregate = "sum"
    digits: int = 0
    log_scale: bool = True
    is_main: bool = True
    label: str = ""
    meaning: str = ""
    derived: str = ""

    @property
    def title(self) -> str:
        """Name in tables."""
        return self.label or self.name.replace("_", " ")

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns of a row from which the value follows: its own, or those of the formula."""
        return formula(self.derived).names if self.derived else (self.name,)

    def value_in(self, row: Mapping[str, Any]) -> float | None:
        """Return the value in a row, given its values or their texts by columns; None without one."""
        if not self.derived:
            return number_of(row.get(self.name))
        value = float(formula(self.derived).value({name: number_of(row.get(name)) for name in self.inputs}))
        return None if math.isnan(value) else value

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


def number_of(value: float | str | None) -> float | None:
    """Return a number or its text in metrics.csv: an int, a float, or 0 or 1 for a bool; None if it is no number."""
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        return int(value) if len(value) < _MAX_LENGTH and value.lstrip("-").isdecimal() else float(value)
    except ValueError:
        return {"True": 1, "False": 0}.get(value)
