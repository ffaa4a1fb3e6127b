"""Comparisons of configurations and of their revisions, in pairs over the instances that count for both."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import SOLVED, Metric, UserError, suggest
from runner.features.reports.columns import CONFIGURATION
from runner.features.reports.rankings import best_pair
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import (
    AGGREGATES,
    LEVEL,
    MIN_INSTANCES,
    UNKNOWN,
    Estimate,
    Numbers,
    aggregate,
    explanation,
    holm,
    ratio,
    ratio_of_sums,
    sign_test,
    signed_rank_test,
    superiority,
)
from runner.features.reports.tables import (
    NamedCells,
    Table,
    counts,
    estimates,
    factors,
    p_values,
    scale_of,
    texts,
    three_digits,
)

RATIO = (
    "geometric mean over the instances where both values are above 0, with its 95 % interval (t of the mean "
    f"logarithm, corrected for skewness: Hall 1992) from {MIN_INSTANCES} instances on"
)
SUPERIORITY = (
    "Superiority: share of the instances with a win, ties counted half, with its 95 % Wilson interval; an estimate of "
    "the probability that the first is better on another instance. 0.5 is no difference."
)
SUPERIORITY_INTERVAL = ("superiority low", "superiority high")
COVERAGE = SOLVED.name
"""Name of the number of successes in conditions."""
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Comparison(NamedTuple):
    """One configuration compared with another.

    Attributes
    ----------
    first, second : array of float64
        Values of the two configurations on the instances that count in both.
    wins, losses : int
        Number of instances on which the first is better, and worse.
    ratio : Estimate
        Ratio first / second.
    superiority : Estimate
        Share of the instances on which the first is better; NaN if the metric has no better direction.
    p, p_ranks : float
        p values of the sign test and of the signed-rank test, not corrected.
    """

    first: Numbers
    second: Numbers
    wins: int
    losses: int
    ratio: Estimate
    superiority: Estimate
    p: float
    p_ranks: float

    @property
    def left_out(self) -> int:
        """Number of instances without a ratio, because a value is not above 0."""
        return int(((self.first <= 0) | (self.second <= 0)).sum())


def compare(wide: pd.DataFrame, metric: Metric, first: str, second: str) -> Comparison:
    """Compare two columns of a table of instances x configurations. A change in either direction is a win or a loss.

    If the metric has no better direction, smaller values count as wins for the test.
    """
    both = wide[[first, second]].dropna()
    one, other = both[first].to_numpy(), both[second].to_numpy()
    less, more = int((one < other).sum()), int((one > other).sum())
    wins, losses = (more, less) if metric.better == "more" else (less, more)
    better = UNKNOWN if metric.better == "neither" else superiority(wins, losses, len(both))
    tests = sign_test(wins, losses), signed_rank_test(one, other)
    return Comparison(one, other, wins, losses, ratio(one, other), better, *tests)


def pairs(runs: Runs, metric: Metric, names: Sequence[tuple[str, str]]) -> Table:
    """Return wins, losses, sizes of effects and tests of pairs of configurations."""
    wide, has_wins = runs.comparable(metric), metric.better != "neither"
    made = [compare(wide, metric, *pair) for pair in names]
    columns: list[NamedCells] = [
        ("pair", texts(f"{first} / {second}" for first, second in names)),
        ("instances", counts(len(each.first) for each in made)),
        ("wins", counts(each.wins * has_wins for each in made)),
        ("losses", counts(each.losses * has_wins for each in made)),
        ("ties", counts(len(each.first) - each.wins - each.losses for each in made)),
        *estimates("ratio", [each.ratio for each in made]),
        ("left out", counts(each.left_out for each in made)),
        ("ratio of sums", factors(ratio_of_sums(each.first, each.second) for each in made)),
        ("p", p_values(holm([each.p for each in made]))),
        ("p Wilcoxon", p_values(holm([each.p_ranks for each in made]))),
    ]
    notes = [f"Ratio: {RATIO}; left out: the other instances. Ratio of sums: over all instances."]
    if has_wins:
        columns += estimates("superiority", [each.superiority for each in made], SUPERIORITY_INTERVAL)
        notes.append(SUPERIORITY)
    notes += (
        ["The last pair is the best and the runner-up."]
        if len(names) > 1 and names[-1] == best_pair(runs, metric)
        else []
    )
    return Table.of(f"pairs_{metric.name}", f"Pairs: {metric.heading}", columns, [*notes, explanation(len(names))])


class Change(NamedTuple):
    """Change of a metric of one configuration from one revision to the next.

    Attributes
    ----------
    configuration : str
        Name without revisions.
    before, after : str
        Names of the revisions.
    comparison : Comparison
        The new revision compared with the old one: the ratio is after / before.
    p : float
        p value of the sign test, corrected for all changes of the metric.
    """

    configuration: str
    before: str
    after: str
    comparison: Comparison
    p: float

    def verdict(self, metric: Metric) -> str:
        """Return whether the new revision is better, worse or neither, with regard to significance."""
        wins, losses = self.comparison.wins, self.comparison.losses
        if not wins and not losses:
            return "same values"
        if len(self.comparison.first) < MIN_INSTANCES:
            return "too few instances"
        if self.p >= LEVEL:
            return "not significant"
        if metric.better == "neither":
            return "changed"
        return "better" if wins > losses else "worse"


def changes(runs: Runs, metric: Metric) -> list[Change]:
    """Return the changes of a metric, of every configuration, over the instances that count in both revisions."""
    wide = runs.comparable(metric)
    made = [Change(*step[:3], compare(wide, metric, step[4], step[3]), 1.0) for step in _steps(runs)]
    made = [each for each in made if len(each.comparison.first)]
    corrected = holm([each.comparison.p for each in made])
    return [each._replace(p=p) for each, p in zip(made, corrected, strict=True)]


def _steps(runs: Runs) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a configuration, two successive revisions of it, and the configurations of these."""
    for name, variants in runs.variants.items():
        for (before, old), (after, new) in itertools.pairwise(variants.items()):
            yield name, before, after, old, new


def revisions(runs: Runs, metric: Metric) -> Table | None:
    """Return each configuration before and after each change; None if revisions have no instances in common."""
    found = changes(runs, metric)
    if not found:
        return None
    kind, each = AGGREGATES[metric.aggregate], [change.comparison for change in found]
    sums = np.array([[aggregate(v, metric.aggregate) for v in (c.second, c.first)] for c in each])
    scale = scale_of(metric, sums.ravel(), are_means=metric.aggregate != "sum")
    wins = ("less", "more") if metric.better == "neither" else ("better", "worse")
    columns: list[NamedCells] = [
        *_names(found),
        ("instances", counts(len(c.first) for c in each)),
        (wins[0], counts(c.wins for c in each)),
        (wins[1], counts(c.losses for c in each)),
        (f"{kind} before", scale.cells(sums[:, 0])),
        (f"{kind} after", scale.cells(sums[:, 1])),
        *estimates("ratio", [c.ratio for c in each]),
        ("p", p_values(change.p for change in found)),
        ("p Wilcoxon", p_values(holm([c.p_ranks for c in each]))),
        ("verdict", texts(change.verdict(metric) for change in found)),
    ]
    notes = [
        f"Over the instances that count in both revisions. Ratio: after / before, {RATIO}.",
        explanation(len(found)),
    ]
    return Table.of(f"revisions_{metric.name}", f"Revisions: {scale.heading}", columns, notes)


class Coverage(NamedTuple):
    """Successes of one configuration before and after a change, on the instances that both revisions have tried."""

    configuration: str
    before: str
    after: str
    instances: int
    solved_before: int
    solved_after: int
    gained: int
    lost: int

    @property
    def ratio(self) -> float:
        """Successes after / before; 1 if there are none in both."""
        if not self.solved_before:
            return math.inf if self.solved_after else 1.0
        return self.solved_after / self.solved_before


def coverage_changes(runs: Runs) -> Iterator[Coverage]:
    """Yield the changes of the number of successes, of every configuration."""
    instances, configurations = runs.table["instance"].cat.codes.to_numpy(), runs.table[CONFIGURATION].to_numpy()

    is_solved = runs.of_all_replications(runs.is_success)

    def tried(name: str) -> tuple[set[int], set[int]]:
        is_here = configurations == name
        return set(instances[is_here].tolist()), set(instances[is_here & is_solved].tolist())

    for step in _steps(runs):
        (old, old_solved), (new, new_solved) = tried(step[3]), tried(step[4])
        if both := old & new:
            old_solved, new_solved = old_solved & both, new_solved & both
            gained, lost = len(new_solved - old_solved), len(old_solved - new_solved)
            yield Coverage(*step[:3], len(both), len(old_solved), len(new_solved), gained, lost)


def coverage(runs: Runs) -> Table | None:
    """Return the instances that each configuration solves before and after each change; None without revisions."""
    found = list(coverage_changes(runs))
    columns: list[NamedCells] = [
        *_names(found),
        ("instances", counts(each.instances for each in found)),
        ("successes before", counts((each.solved_before for each in found), zero="0")),
        ("successes after", counts((each.solved_after for each in found), zero="0")),
        ("gained", counts(each.gained for each in found)),
        ("lost", counts(each.lost for each in found)),
    ]
    notes = ["Of the instances that both revisions have tried."]
    return Table.of("revisions_solved", "Revisions: successes", columns, notes) if found else None


def _names(found: Sequence[Change | Coverage]) -> list[NamedCells]:
    return [(name, texts(getattr(each, name) for each in found)) for name in ("configuration", "before", "after")]


class Condition(NamedTuple):
    """Condition on the ratio after / before of a metric, for continuous integration: ``expanded > 1.05``.

    `metric` is a column or `COVERAGE`, `operator` one of ``<``, ``<=``, ``>`` and ``>=``.
    """

    metric: str
    operator: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition such as ``expanded > 1.05``."""
        if match := _FORM.fullmatch(text):
            return cls(match[1], match[2], float(match[3]))
        raise UserError(f"--fail-if: '{text}': expected METRIC, one of < <= > >=, and a ratio, as in 'expanded > 1.05'")

    def __str__(self) -> str:
        return f"{self.metric} {self.operator} {self.bound:g}"

    def holds(self, ratio: float) -> bool:
        """Return whether a ratio fulfils the condition."""
        return _OPERATORS[self.operator](ratio, self.bound)


def fulfilled(runs: Runs, conditions: Sequence[Condition]) -> list[str]:
    """Return a message for each change that fulfils a condition."""
    present = [COVERAGE, *runs.measured]
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
        if condition.holds(ratio)
    ]


def _ratios(runs: Runs, metric: str) -> Iterator[tuple[str, float]]:
    """Yield the name of each change and its ratio after / before."""
    if metric == COVERAGE:
        for gain in coverage_changes(runs):
            yield f"{gain.configuration}, {gain.before} -> {gain.after}", gain.ratio
        return
    for change in changes(runs, runs.declared.all_metrics[metric]):
        yield f"{change.configuration}, {change.before} -> {change.after}", change.comparison.ratio.mean
