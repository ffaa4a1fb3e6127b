"""Answers at the top of a report: which configuration solves most, which needs least, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports.changes import Change, changes, coverage_changes
from runner.reports.runs import Runs
from runner.reports.statistics import geometric_mean, ratio, ratio_of_sums
from runner.reports.summary import common_values, successes
from runner.reports.units import scale_of, three_digits

_MAX_NAMES = 2


@dataclass(frozen=True)
class Answer:
    """Answer to one question.

    Attributes
    ----------
    question : str
        What is asked, such as "Least expanded".
    name : str
        Configuration, or several.
    detail : str
        Numbers for it.
    """

    question: str
    name: str
    detail: str


def answers(runs: Runs, metrics: Sequence[Metric]) -> list[Answer]:
    """Return the answers for some metrics: which configuration solves most, and which has the best values.

    If the best in the first metric has expensive plans, the best of those with the cheapest plans is another answer.
    If there are revisions, the answers tell what has changed.
    """
    if runs.variants:
        return [*_solved_change(runs), *(each for metric in metrics for each in _change(runs, metric))]
    found = [_most_successes(runs)]
    for metric in metrics:
        common = common_values(runs, metric)
        wide, question = common.values, f"{'Least' if metric.better == 'less' else 'Highest'} {metric.title}"
        if not common.is_shared or metric.better == "neither":
            continue
        if wide.shape[1] == 1:
            found.append(_typical(metric, wide))
            continue
        missing = len(runs.configurations) - wide.shape[1]
        without = f" ({plural(missing, 'configuration')} without values)" if missing else ""
        found.append(_best(metric, wide, question + without))
        cheapest = _cheapest(runs, wide)
        if metric == metrics[0] and metric.better == "less" and 1 < len(cheapest) < wide.shape[1]:
            best = _best(metric, wide[cheapest], f"{question} with the cheapest plans")
            found += [best] if best.name != found[-1].name else []
    return found


def _most_successes(runs: Runs) -> Answer:
    solved, rows = successes(runs)
    names, most, fewest = runs.configurations, int(solved.max()), int(solved.argmin())
    best = [name for name, count in zip(names, solved, strict=True) if count == most]
    of = f"{most:,} of {plural(int(rows.max()), 'instance')}"
    if len(names) == 1:
        return Answer("Successes", of, names[0])
    if len(best) < len(names):
        return Answer("Most successes", _names(best), f"{of}. Fewest: {names[fewest]}, {int(solved[fewest]):,}.")
    return Answer("Most successes", f"all {len(names)} alike", f"{of}.")


@dataclass(frozen=True)
class _Ranking:
    """Order of configurations by their mean, the best first.

    Attributes
    ----------
    kind : str
        Name of the mean.
    means : Series
        Mean of each configuration.
    used : DataFrame
        Instances x configurations over which the means are taken.
    alike : list of str
        The first configuration, and those with the same values.
    """

    kind: str
    means: pd.Series
    used: pd.DataFrame
    alike: list[str]

    @property
    def has_ratios(self) -> bool:
        """Whether values are compared by their ratios."""
        return self.kind == "geometric mean"

    @property
    def others(self) -> list[str]:
        """Configurations after those that are alike."""
        return [str(name) for name in self.means.index if name not in self.alike]


def _ranking(metric: Metric, wide: pd.DataFrame) -> _Ranking:
    """Rank columns by the geometric mean of the rows without zeros, or by the mean if more is better."""
    positive = wide[(wide > 0).all(axis=1)]
    has_ratios = metric.better == "less" and len(positive) > 0
    used = positive if has_ratios else wide
    means = used.apply(lambda column: geometric_mean(column.to_numpy())) if has_ratios else used.mean()
    means = means.sort_values(ascending=metric.better == "less", kind="stable")
    first = wide[means.index[0]]
    alike = [str(name) for name in means.index if (wide[name] == first).all()]
    return _Ranking("geometric mean" if has_ratios else "mean", means, used, alike)


def best_pair(runs: Runs, metric: Metric) -> tuple[str, str] | None:
    """Return the best configuration in a metric and the runner-up; None without common instances or differences."""
    common = common_values(runs, metric)
    if not common.is_shared or metric.better == "neither":
        return None
    found = _ranking(metric, common.values)
    return (found.alike[0], found.others[0]) if found.others else None


def _best(metric: Metric, wide: pd.DataFrame, question: str) -> Answer:
    """Return which column has the best mean, with the factors by which the next and the last one are worse.

    Columns whose ratio to the best has an interval that contains 1 are named beside it.
    """
    found = _ranking(metric, wide)
    first, others = found.alike[0], found.others
    scale = scale_of(metric, found.means.to_numpy(np.float64), are_means=True)
    over = plural(len(wide), "common instance")
    if len(found.used) < len(wide):
        over = f"{len(found.used):,} of {over}"
    parts = [f"{scale.quantity(found.means[first])}, the {found.kind} of {over}."]
    if len(found.used) < len(wide):
        zeros = [str(name) for name in wide if (wide[name] <= 0).any()]
        parts.append(f"Left out: {len(wide) - len(found.used):,} with the value 0 for {_names(zeros)}.")
    if not found.has_ratios:
        parts += [f"Next: {others[0]}, {scale.quantity(found.means[others[0]])}." for _ in others[:1]]
        return Answer(question, _names(found.alike), " ".join(parts))

    def times(name: str) -> tuple[str, bool]:
        """Return how much more a column needs, and whether that shows a difference."""
        each = ratio(found.used[name].to_numpy(), found.used[first].to_numpy())
        interval = f"95 % interval {three_digits(each.low)} to {three_digits(each.high)}"
        sums = three_digits(ratio_of_sums(wide[name].to_numpy(), wide[first].to_numpy()))
        return f"{three_digits(each.mean)} times as much ({interval}; ratio of sums {sums})", each.low > 1

    tied = list[str]()
    for name in others:
        text, is_shown = times(name)
        if is_shown:
            parts.append(f"Next: {name}, {text}.")
            break
        parts += [] if tied else [f"No difference is shown: {name} needs {text}."]
        tied.append(name)
    if len(others) > len(tied) + 1:
        parts.append(f"Last: {others[-1]}, {three_digits(found.means[others[-1]] / found.means[first])} times as much.")
    return Answer(question, _names([*found.alike, *tied]), " ".join(parts))


def _typical(metric: Metric, wide: pd.DataFrame) -> Answer:
    """Return the mean of the only column."""
    values = wide.iloc[:, 0].to_numpy()
    kind, mean = "geometric mean", geometric_mean(values) if metric.log else math.nan
    if math.isnan(mean):
        kind, mean = "mean", float(values.mean())
    scale = scale_of(metric, np.array([mean]), are_means=True)
    detail = f"the {kind} of {plural(len(values), 'instance')}, {wide.columns[0]}"
    return Answer(metric.title.capitalize(), scale.quantity(mean), detail)


def _solved_change(runs: Runs) -> Iterator[Answer]:
    """Yield how many instances the revisions gain and lose."""
    found = list(coverage_changes(runs))
    if found:
        gained, lost = (sum(getattr(each, name) for each in found) for name in ("gained", "lost"))
        name = f"{gained:,} gained, {lost:,} lost" if gained or lost else "no change"
        yield Answer("Successes", name, f"Instances, in {plural(len(found), 'comparison')} of revisions.")


def _change(runs: Runs, metric: Metric) -> Iterator[Answer]:
    """Yield how many configurations have become better and worse in a metric."""
    found = changes(runs, metric)
    if not found:
        return
    verdicts = [each.verdict(metric) for each in found]
    counts = [f"{verdicts.count(name)} {name}" for name in ("better", "worse", "changed") if name in verdicts]
    detail = f"Significant changes, in {plural(len(found), 'comparison')} of revisions."
    largest = max(found, key=_size)
    if _size(largest) > 0:
        mean = three_digits(largest.comparison.ratio.mean)
        detail += f" Largest: {largest.configuration}, {mean} times as much in {largest.after}."
    yield Answer(metric.title.capitalize(), ", ".join(counts) or "no significant change", detail)


def _size(change: Change) -> float:
    """Return how far the ratio of a change is from 1, in either direction; 0 without a ratio."""
    mean = change.comparison.ratio.mean
    return abs(math.log(mean)) if mean > 0 else 0.0


def _cheapest(runs: Runs, wide: pd.DataFrame) -> list[str]:
    """Return the columns whose plans cost the least on every instance of a table."""
    costs = runs.comparable(runs.declared.all_metrics["cost"]).reindex(index=wide.index, columns=wide.columns)
    least = costs.min(axis=1)
    return [str(name) for name in costs if least.notna().any() and (costs[name].isna() == least.isna()).all()
            and np.allclose(costs[name].dropna(), least.dropna())]  # fmt: skip


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
