"""Comparisons of two configurations over the instances that both have solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from runner.base.metric import Metric
from runner.reports import significance
from runner.reports.runs import Runs
from runner.reports.statistics import Numbers, Ratio, ratio, ratio_of_sums
from runner.reports.tables import Table, TableCell, count
from runner.reports.units import three_digits

INTERVAL = ["95 % low", "95 % high"]
RATIO = "geometric mean over the instances where both values are above 0, with its 95 % bootstrap interval"


@dataclass(frozen=True)
class Comparison:
    """One configuration compared with another.

    Attributes
    ----------
    first, second : array of float64
        Values of the two configurations on the instances that count in both.
    wins, losses : int
        Number of instances on which the first is better, and worse.
    ratio : Ratio
        Ratio first / second.
    p : float
        p value of the sign test, not corrected.
    """

    first: Numbers
    second: Numbers
    wins: int
    losses: int
    ratio: Ratio
    p: float

    @property
    def left_out(self) -> int:
        """Number of instances without a ratio, because a value is not above 0."""
        return int(((self.first <= 0) | (self.second <= 0)).sum())


def compare(wide: pd.DataFrame, metric: Metric, first: str, second: str) -> Comparison:
    """Compare two columns of a table of instances x configurations. A change in either direction is a win or a loss.

    If neither less nor more is better, smaller values count as wins for the test.
    """
    both = wide[[first, second]].dropna()
    one, other = both[first].to_numpy(), both[second].to_numpy()
    less, more = int((one < other).sum()), int((one > other).sum())
    wins, losses = (more, less) if metric.better == "more" else (less, more)
    return Comparison(one, other, wins, losses, ratio(one, other), significance.sign_test(wins, losses))


def comparisons(runs: Runs, metric: Metric, pairs: Sequence[tuple[str, str]]) -> Table:
    """Return wins, losses, ratios and sign tests of pairs of configurations."""
    wide = runs.comparable(metric)
    made = [compare(wide, metric, *pair) for pair in pairs]
    corrected = significance.holm([each.p for each in made])
    columns = ["pair", "instances", "wins", "losses", "ties", "ratio", *INTERVAL, "left out", "ratio of sums", "p"]
    rows = []
    for (first, second), each, p in zip(pairs, made, corrected, strict=True):
        wins, losses = (0, 0) if metric.better == "neither" else (each.wins, each.losses)
        ties = len(each.first) - each.wins - each.losses
        counts = map(count, (len(each.first), wins, losses, ties))
        sums = ratio_of_sums(each.first, each.second)
        more = count(each.left_out), TableCell(three_digits(sums), sums)
        rows.append([TableCell(f"{first} / {second}"), *counts, *ratio_cells(each.ratio), *more, p_cell(p)])
    notes = [f"Ratio: {RATIO}; left out: the other instances. Ratio of sums: over all instances."]
    notes += ["The last pair is the best and the runner-up."] if pairs[-1][1] != pairs[0][1] else []
    notes += [significance.explanation(len(pairs))]
    return Table(f"pairs_{metric.name}", f"Pairs: {metric.heading}", columns, rows, notes=notes)


def ratio_cells(found: Ratio) -> list[TableCell]:
    """Return the cells of a mean ratio and of the two ends of its interval."""
    ends = (found.mean, found.low, found.high)
    return [TableCell(three_digits(value), value) for value in ends]


def p_cell(p: float) -> TableCell:
    """Return the cell of a p value."""
    return TableCell(significance.p_text(p), p)
