"""Declarations of the columns that measure something; reports and the tables of the terminal follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Metric:
    """A column that measures something.

    Attributes
    ----------
    name : str
        Of the column.
    less_is_better : bool or None
        None: neither is better.
    aggregate : {"sum", "mean", "geometric_mean"}
        How it is summed up over the instances that all configurations have answered.
    digits : int
        Behind the decimal point.
    log : bool
        Charts have a logarithmic axis where all values are positive.
    """

    name: str
    title: str
    less_is_better: bool | None = True
    aggregate: Literal["sum", "mean", "geometric_mean"] = "sum"
    unit: str = ""
    digits: int = 0
    log: bool = True

    def format(self, value: float | None, digits: int | None = None) -> str:
        """A value as it stands in a table; nothing for a missing one."""
        if value is None or math.isnan(value):
            return ""
        return f"{value:,.{self.digits if digits is None else digits}f}"

    def readable(self, value: float | None) -> str:
        """A value for the terminal: seconds in the unit that suits them."""
        if value is None or self.unit != "s":
            return self.format(value)
        return f"{value * 1000:.2f} ms" if value < 1 else f"{value:,.2f} s"

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


METRICS = (
    Metric("simulated_actions", "simulated actions"),
    Metric("expanded", "expanded"),
    Metric("generated", "generated"),
    Metric("evaluated", "evaluated"),
    Metric("reopened", "reopened", log=False),
    Metric("iterations", "iterations"),
    Metric("cost", "cost", log=False),
    Metric("length", "length", log=False),
    Metric("reward", "reward", less_is_better=False, log=False),
    Metric("search_seconds", "search time", unit="s", digits=6),
    Metric("cpu_seconds", "processor time", unit="s", digits=6),
    Metric("peak_nodes", "peak nodes"),
    Metric("memory_bytes", "memory", unit="bytes"),
    Metric("initial_h", "h of the start", less_is_better=None, aggregate="mean", log=False),
    Metric("bound", "proven bound", aggregate="geometric_mean", digits=3, log=False),
    Metric("actions", "actions", log=False),
    Metric("rooms_explored", "rooms explored", less_is_better=None, log=False),
    Metric("solver_calls", "solver calls", aggregate="mean", log=False),
    Metric("solver_seconds", "solver time", unit="s", digits=6),
)
BY_NAME = {metric.name: metric for metric in METRICS}
MAIN = ("expanded", "generated", "simulated_actions", "cost", "reward", "search_seconds")
"""Metrics that a report shows by default, where they have values."""
TERMINAL = (
    "cost",
    "reward",
    "actions",
    "rooms_explored",
    "expanded",
    "generated",
    "simulated_actions",
    "search_seconds",
)
"""Metrics that the terminal shows after a run or a sweep, where they have values."""
