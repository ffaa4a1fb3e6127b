"""Conditions on the changes between revisions, for continuous integration: ``expanded > 1.05``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from runner.base.errors import UserError, suggest
from runner.reports.changes import changes, coverage_changes
from runner.reports.runs import Runs
from runner.reports.units import three_digits

SOLVED = "solved"
"""Name of the number of successes in conditions."""
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """Condition on the ratio after / before of a metric.

    Attributes
    ----------
    metric : str
        Column, or `SOLVED`.
    operator : str
        One of ``<``, ``<=``, ``>`` and ``>=``.
    bound : float
    """

    metric: str
    operator: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition such as ``expanded > 1.05``.

        Raises
        ------
        UserError
            If the text has another form.
        """
        match = _FORM.fullmatch(text)
        try:
            if match is not None:
                return cls(match[1], match[2], float(match[3]))
        except ValueError:
            pass
        raise UserError(f"--fail-if: '{text}': expected METRIC, one of < <= > >=, and a ratio, as in 'expanded > 1.05'")

    def __str__(self) -> str:
        return f"{self.metric} {self.operator} {self.bound:g}"


def fulfilled(runs: Runs, conditions: Sequence[Condition]) -> list[str]:
    """Return a message for each change that fulfils a condition.

    Raises
    ------
    UserError
        If a metric does not exist, or if no search has two revisions.
    """
    present = [SOLVED, *(name for name in runs.declared.all_metrics if runs.table[name].notna().any())]
    for condition in conditions:
        if condition.metric not in present:
            why = "has no values here" if condition.metric in runs.declared.all_metrics else "is no metric"
            raise UserError(f"--fail-if: '{condition.metric}' {why}{suggest(condition.metric, present)}")
    if conditions and not runs.variants:
        raise UserError("--fail-if: no search has two revisions; give two folders with the same searches")
    return [
        f"{condition}: {name}: {three_digits(ratio)}"
        for condition in conditions
        for name, ratio in _ratios(runs, condition.metric)
        if _OPERATORS[condition.operator](ratio, condition.bound)
    ]


def _ratios(runs: Runs, metric: str) -> Iterator[tuple[str, float]]:
    """Yield the name of each change and its ratio after / before."""
    if metric == SOLVED:
        for gain in coverage_changes(runs):
            yield f"{gain.configuration}, {gain.before} -> {gain.after}", gain.ratio
        return
    for change in changes(runs, runs.declared.all_metrics[metric]):
        yield f"{change.configuration}, {change.before} -> {change.after}", change.comparison.ratio.mean
