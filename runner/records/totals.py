"""Sums over the rows of cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from runner.base.columns import Declared
from runner.base.metric import Metric

_MAX_ERRORS = 5
_MAX_DIGITS = 20


@dataclass
class Moments:
    """Number, sum, and sum of the squares of the values of a metric."""

    count: int = 0
    sum: float = 0
    squares: float = 0

    def add(self, value: float) -> None:
        """Count a value."""
        self.count += 1
        self.sum += value
        self.squares += value * value

    def include(self, other: Moments) -> None:
        """Add the values of other moments."""
        self.count += other.count
        self.sum += other.sum
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """Mean; NaN without values."""
        return self.sum / self.count if self.count else math.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; NaN for less than two values."""
        if self.count < 2:
            return math.nan
        variance = (self.squares - self.sum * self.mean) / (self.count - 1)
        return math.sqrt(max(0.0, variance) / self.count)


def number_of(text: str | None) -> float | None:
    """Return a number of metrics.csv: an int, a float, or 0 or 1 for a bool; None if the text is not a number."""
    if not text:
        return None
    if text in ("True", "False"):
        return int(text == "True")
    try:
        return int(text) if len(text) < _MAX_DIGITS and text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return None


class Summary(NamedTuple):
    """What is added up of a row.

    Attributes
    ----------
    is_faulty : bool
        Whether it is a failure, or its plan failed validation.
    error : str
        Message of an error; empty without one.
    is_game : bool
        Whether it is the row of an agent.
    values : tuple of float or None
        Values of the metrics that the terminal shows.
    """

    status: str
    is_faulty: bool
    error: str
    is_game: bool
    code: str
    limits: str
    heuristic: str
    values: tuple[float | None, ...]


class Summarizer:
    """Reader of what is added up of rows.

    Parameters
    ----------
    declared : Declared
        Metrics and statuses that the rows have in addition to the built-in ones.
    """

    def __init__(self, declared: Declared) -> None:
        self._statuses = declared.all_statuses
        self._metrics = [metric.name for metric in declared.main_metrics]

    def of(self, row: Mapping[str, str]) -> Summary:
        """Return the summary of a row of metrics.csv."""
        status = self._statuses.get(row["status"])
        return Summary(
            row["status"],
            (status is not None and status.is_failure) or row.get("valid") == "False",
            row.get("error", ""),
            bool(row.get("actions")),
            row.get("code", ""),
            row.get("limits", ""),
            row.get("heuristic", ""),
            tuple([number_of(row.get(name)) for name in self._metrics]),
        )


@dataclass
class Totals:
    """Sums over the rows of one cell.

    Attributes
    ----------
    declared : Declared
        Metrics and statuses that the rows have in addition to the built-in ones.
    statuses : Counter of str
        Number of rows of each status.
    faulty : int
        Number of failures, and of plans that failed validation.
    errors : Counter of str
        Number of rows for each of the first few error messages.
    games : int
        Number of rows of agents.
    before : int
        Number of rows of earlier commands; they do not count in the other sums.
    codes : Counter of str
        Number of rows for each fingerprint of the code.
    limits, heuristic : str
        Limits and heuristic of the last row.
    metrics : dict of str to Moments
        Sums of the metrics that the terminal shows, by name.
    """

    directory: Path
    declared: Declared = field(default_factory=Declared)
    statuses: Counter[str] = field(default_factory=Counter)
    faulty: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    games: int = 0
    before: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    limits: str = ""
    heuristic: str = ""
    metrics: dict[str, Moments] = field(init=False)

    def __post_init__(self) -> None:
        self.metrics = {metric.name: Moments() for metric in self.declared.main_metrics}

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.statuses.total()

    @property
    def search_seconds(self) -> float:
        """Sum of the wall times of the searches, in seconds."""
        return self.metrics["search_seconds"].sum

    def add(self, row: Summary) -> None:
        """Count a row."""
        self.statuses[row.status] += 1
        self.faulty += row.is_faulty
        self.codes[row.code] += 1
        self.limits, self.heuristic = row.limits, row.heuristic
        if row.error and (len(self.errors) < _MAX_ERRORS or row.error in self.errors):
            self.errors[row.error] += 1
        self.games += row.is_game
        for moments, value in zip(self.metrics.values(), row.values, strict=True):
            if value is not None:
                moments.add(value)

    def total(self, metric: Metric) -> float | None:
        """Return the sum or the mean of a metric, as it is declared, over the rows that have it; None without any."""
        moments = self.metrics.get(metric.name)
        if moments is None or not moments.count:
            return None
        return moments.sum if metric.aggregate == "sum" else moments.mean

    def share(self, status: str) -> float:
        """Return the share of a status among the rows with a reward."""
        return self.statuses[status] / max(1, self.metrics["reward"].count)

    def __str__(self) -> str:
        """Return the number of rows of each status, the most common first."""
        parts = [f"{count:,} {status}" for status, count in self.statuses.most_common()]
        return ", ".join([*parts, *([f"{self.before:,} done before"] if self.before else [])])


def summed(cells: Sequence[Totals]) -> Totals:
    """Return the sums over the rows of several cells. Their directory is that of the first cell with failures."""
    total = Totals(next((cell for cell in cells if cell.faulty), cells[0]).directory)
    for cell in cells:
        total.statuses += cell.statuses
        total.faulty += cell.faulty
        total.errors += cell.errors
        total.games += cell.games
        total.codes += cell.codes
        for name, moments in cell.metrics.items():
            total.metrics.setdefault(name, Moments()).include(moments)
    return total
