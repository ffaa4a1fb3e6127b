"""Sums over the rows of cells."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from runner.base import AFTER_PLAN, Declared, Metric

_MAX_ERRORS, _MAX_REASONS = 5, 20
"""Maximum numbers of causes of errors, and of reasons of unsupported rows, that are counted one by one."""
_VALUE = re.compile(
    r"""
    ^\S+\.\w+(?=:\ ) | (?<!\S)[^\s/]*/\S+                   # a file; it begins a word, or long ones take forever
    | (?<=KeyError:\ ).*                                      # a missing key
    | (?<=the\ state\ )[^;]*                                # a state
    | 0x[0-9a-f]+                                           # an address
    | (?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)  # a number, but no part of a name
    """,
    re.VERBOSE,
)
"""Parts of messages that differ between rows, although the errors have one cause."""


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


@dataclass
class CauseRows:
    """Rows with errors of one cause, or rows that one cause leaves out.

    Attributes
    ----------
    message : str
        Message of the first row.
    directory : Path
        Folder of its cell.
    count : int
        Number of rows.
    """

    message: str
    directory: Path
    count: int = 0


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
        Number of failures, of plans that failed validation, and of refuted claims.
    refuted : Counter of (str, Path)
        Number of rows whose claims are refuted, by the kind of the claim and the folder of the cell with the plan.
    errors, left_out, notes : dict of str to CauseRows
        Rows with errors, rows of instances that were not searched, and rows of programs that ended in an unexpected way
        after their plan, each by the first few causes.
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
    refuted: Counter[tuple[str, Path]] = field(default_factory=Counter)
    errors: dict[str, CauseRows] = field(default_factory=dict)
    left_out: dict[str, CauseRows] = field(default_factory=dict)
    notes: dict[str, CauseRows] = field(default_factory=dict)
    games: int = 0
    before: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    limits: str = ""
    heuristic: str = ""
    metrics: dict[str, Moments] = field(init=False)

    def __post_init__(self) -> None:
        self.metrics = {name: Moments() for name in self.declared.main_metrics}

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.statuses.total()

    @property
    def has_macro_actions(self) -> bool:
        """Whether successors have several actions."""
        simulated = self.metrics["simulated_actions"]
        return has_macro_actions(simulated.sum, self.metrics["generated"].sum, simulated.count)

    @property
    def search_seconds(self) -> float:
        """Sum of the wall times of the searches, in seconds."""
        return self.metrics["search_seconds"].sum

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row, given its values or their texts by columns."""
        status = self.declared.status(row["status"])
        self.statuses[status.name] += 1
        is_invalid = str(row.get("valid")) == "False"
        self.faulty += status.is_failure or is_invalid or bool(row.get("refuted"))
        self.codes[row.get("code") or ""] += 1
        self.limits, self.heuristic = row.get("limits") or "", row.get("heuristic") or ""
        if status.is_left_out:
            self._count_cause(self.left_out, row.get("reason"), _MAX_REASONS)
        elif is_invalid:
            self._count_cause(self.errors, f"plan failed validation: {row.get('reason')}", _MAX_ERRORS)
        else:
            self._count_cause(self.errors, row.get("error"), _MAX_ERRORS)
            reason = row.get("reason") or ""
            self._count_cause(self.notes, reason if reason.startswith(AFTER_PLAN) else None, _MAX_REASONS)
        self.games += bool(row.get("actions"))
        for name, metric in self.declared.main_metrics.items():
            value = metric.value_in(row)
            if value is not None:
                self.metrics[name].add(value)

    def _count_cause(self, causes: dict[str, CauseRows], text: str | None, most: int) -> None:
        cause = cause_of(text) if text else ""
        if text and (len(causes) < most or cause in causes):
            causes.setdefault(cause, CauseRows(text, self.directory)).count += 1

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
        return ", ".join([*parts, *([f"{self.before:,} done before"] if self.before else [])]) or "no new rows"


def summed(cells: Sequence[Totals]) -> Totals:
    """Return the sums over the rows of several cells. Their directory is that of the first cell."""
    total = Totals(cells[0].directory)
    for cell in cells:
        total.statuses += cell.statuses
        total.faulty += cell.faulty
        total.refuted += cell.refuted
        pairs = ((total.errors, cell.errors), (total.left_out, cell.left_out), (total.notes, cell.notes))
        for causes, cell_causes in pairs:
            for cause, rows in cell_causes.items():
                causes.setdefault(cause, replace(rows, count=0)).count += rows.count
        total.games += cell.games
        total.codes += cell.codes
        for name, moments in cell.metrics.items():
            total.metrics.setdefault(name, Moments()).include(moments)
    return total


def cause_of(error: str) -> str:
    """Return the message of an error without what differs from row to row: files, states, numbers, missing keys."""
    return _VALUE.sub("...", error)


def has_macro_actions(simulated: float, generated: float, rows: int) -> bool:
    """Return whether successors have several actions, given the sums of `simulated_actions` and `generated` of rows."""
    return rows > 0 and simulated != generated + rows
