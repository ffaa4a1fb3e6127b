"""Declarations of the columns that measure something; reports and the tables of the terminal follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Better = Literal["less", "more", "neither"]
Aggregate = Literal["sum", "mean", "geometric_mean"]


@dataclass(frozen=True)
class Column:
    """A column of text.

    Attributes
    ----------
    meaning : str
        For docs/metrics.md.
    """

    name: str
    meaning: str = ""


@dataclass(frozen=True)
class Metric:
    """A column that measures something. Values are numbers, or bools, which count as 0 and 1.

    Attributes
    ----------
    name : str
        Of the column: a Python identifier.
    better : {"less", "more", "neither"}
        Which values are better.
    aggregate : {"sum", "mean", "geometric_mean"}
        How it is summed up over the instances that all configurations have answered.
    digits : int
        Behind the decimal point.
    log : bool
        Charts have a logarithmic axis where all values are positive.
    is_main : bool
        The terminal and reports show it unless told otherwise, where it has values.
    label : str
        Instead of the name, in tables.
    meaning : str
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
        """Return a value as it stands in a table; nothing for a missing one."""
        if value is None or math.isnan(value):
            return ""
        return f"{value:,.{self.digits if digits is None else digits}f}"

    def readable(self, value: float | None) -> str:
        """Return a value for the terminal: seconds in the unit that suits them."""
        if value is None or self.unit != "s":
            return self.format(value)
        return f"{value * 1000:.2f} ms" if value < 1 else f"{value:,.2f} s"
