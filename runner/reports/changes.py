"""Changes of configurations from one revision to the next."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from runner.base.metric import Metric
from runner.reports import significance
from runner.reports.pairs import INTERVAL, RATIO, Comparison, compare, p_cell, ratio_cells
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.statistics import AGGREGATES, aggregate
from runner.reports.tables import Table, TableCell, count, scaled
from runner.reports.units import scale_of


@dataclass(frozen=True)
class Change:
    """Change of a metric of one configuration.

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
        found = self.comparison
        if not found.wins and not found.losses:
            return "same values"
        if self.p >= significance.LEVEL:
            return "not significant"
        if metric.better == "neither":
            return "changed"
        return "better" if found.wins > found.losses else "worse"


def changes(runs: Runs, metric: Metric) -> list[Change]:
    """Return the changes of a metric, of every configuration, over the instances that count in both revisions."""
    wide = runs.comparable(metric)
    made = [
        (name, before, after, compare(wide, metric, variants[after], variants[before]))
        for name, variants in runs.variants.items()
        for before, after in itertools.pairwise(variants)
    ]
    made = [each for each in made if len(each[3].first)]
    corrected = significance.holm([each[3].p for each in made])
    return [Change(*each, p=p) for each, p in zip(made, corrected, strict=True)]


def revisions(runs: Runs, metric: Metric) -> Table | None:
    """Return each configuration before and after each change; None if revisions have no instances in common."""
    found = changes(runs, metric)
    if not found:
        return None
    kind = AGGREGATES[metric.aggregate]
    sums = [[aggregate(v, metric.aggregate) for v in (c.comparison.second, c.comparison.first)] for c in found]
    scale = scale_of(metric, np.array(sums).ravel(), are_means=metric.aggregate != "sum")
    rows = [
        [
            *(TableCell(name) for name in (each.configuration, each.before, each.after)),
            count(len(each.comparison.first)),
            *(count(number) for number in (each.comparison.wins, each.comparison.losses)),
            *(scaled(scale, value) for value in values),
            *ratio_cells(each.comparison.ratio),
            p_cell(each.p),
            TableCell(each.verdict(metric)),
        ]
        for each, values in zip(found, sums, strict=True)
    ]
    wins = ["less", "more"] if metric.better == "neither" else ["better", "worse"]
    columns = ["configuration", "before", "after", "instances", *wins, f"{kind} before", f"{kind} after"]
    notes = [
        f"Over the instances that count in both revisions. Ratio: after / before, {RATIO}.",
        significance.explanation(len(found)),
    ]
    columns += ["ratio", *INTERVAL, "p", "verdict"]
    return Table(f"revisions_{metric.name}", f"Revisions: {scale.heading}", columns, rows, notes=notes)


@dataclass(frozen=True)
class Coverage:
    """Successes of one configuration before and after a change, on the instances that both revisions have tried.

    Attributes
    ----------
    configuration, before, after : str
        Names, as in `Change`.
    instances, solved_before, solved_after, gained, lost : int
        Numbers of instances.
    """

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
    instances = runs.table["instance"].cat.codes.to_numpy()
    configurations = runs.table[CONFIGURATION].to_numpy()

    def tried(name: str) -> tuple[set[int], set[int]]:
        is_here = configurations == name
        return set(instances[is_here].tolist()), set(instances[is_here & runs.is_success].tolist())

    for name, variants in runs.variants.items():
        for before, after in itertools.pairwise(variants):
            (old, old_solved), (new, new_solved) = tried(variants[before]), tried(variants[after])
            both = old & new
            if both:
                old_solved, new_solved = old_solved & both, new_solved & both
                gained, lost = len(new_solved - old_solved), len(old_solved - new_solved)
                yield Coverage(name, before, after, len(both), len(old_solved), len(new_solved), gained, lost)


def coverage_table(runs: Runs) -> Table | None:
    """Return the instances that each configuration solves before and after each change; None without revisions."""
    rows = [
        [
            *map(TableCell, (each.configuration, each.before, each.after)),
            count(each.instances),
            *(TableCell(f"{number:,}", float(number)) for number in (each.solved_before, each.solved_after)),
            count(each.gained),
            count(each.lost),
        ]
        for each in coverage_changes(runs)
    ]
    columns = ["configuration", "before", "after", "instances", "successes before", "successes after", "gained", "lost"]
    notes = ["Of the instances that both revisions have tried."]
    return Table("revisions_solved", "Revisions: successes", columns, rows, notes=notes) if rows else None
