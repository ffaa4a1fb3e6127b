"""Answers at the top of a report: which configuration solves most, which needs least, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from runner.messages import plural
from runner.metric import Metric
from runner.report.changes import Change, changes, coverage_changes
from runner.report.runs import Runs
from runner.report.statistics import geometric_mean, ratio
from runner.report.summary import common_values, successes
from runner.report.units import scale_of, three_digits

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
    found = [_most_solved(runs)]
    for metric in metrics:
        common = common_values(runs, metric)
        wide, question = common.values, f"{'Least' if metric.better == 'less' else 'Highest'} {metric.title}"
        if not common.is_shared or metric.better == "neither":
            continue
        if wide.shape[1] == 1:
            found.append(_typical(metric, wide))
            continue
        found.append(_best(metric, wide, question))
        cheapest = _cheapest(runs, wide)
        if metric == metrics[0] and metric.better == "less" and 1 < len(cheapest) < wide.shape[1]:
            best = _best(metric, wide[cheapest], f"{question} with the cheapest plans")
            found += [best] if best.name != found[-1].name else []
    return found


def _most_solved(runs: Runs) -> Answer:
    solved, rows = successes(runs)
    names, most, fewest = runs.configurations, int(solved.max()), int(solved.argmin())
    best = [name for name, count in zip(names, solved, strict=True) if count == most]
    of = f"{most:,} of {plural(int(rows.max()), 'instance')}"
    if len(names) == 1:
        return Answer("Solved", of, names[0])
    if len(best) < len(names):
        return Answer("Most solved", _names(best), f"{of}. Fewest: {names[fewest]}, {int(solved[fewest]):,}.")
    return Answer("Most solved", f"all {len(names)} alike", f"{of}.")


def _best(metric: Metric, wide: pd.DataFrame, question: str) -> Answer:
    """Return which column has the best mean, with the factors by which the second and the last one are worse."""
    positive = wide[(wide > 0).all(axis=1)]
    has_ratios = metric.better == "less" and len(positive) > 0
    kind, over = "geometric mean" if has_ratios else "mean", plural(len(wide), "common instance")
    if has_ratios and len(positive) < len(wide):
        over = f"{len(positive):,} of {over}, those with values above 0"
        wide = positive
    typical = wide.apply(lambda column: geometric_mean(column.to_numpy())) if has_ratios else wide.mean()
    order = typical.sort_values(ascending=metric.better == "less", kind="stable").index
    first = order[0]
    alike = [str(name) for name in order if (wide[name] == wide[first]).all()]
    others = [name for name in order if name not in alike]
    scale = scale_of(metric, np.asarray(typical, np.float64), are_means=True)
    parts = [f"{scale.quantity(typical[first])}, the {kind} of {over}."]
    if others and has_ratios:
        second, last = (ratio(wide[name].to_numpy(), wide[first].to_numpy()) for name in (others[0], others[-1]))
        interval = f"95 % interval {three_digits(second.low)} to {three_digits(second.high)}"
        parts.append(f"Next: {others[0]}, {three_digits(second.mean)} times as much ({interval}).")
        parts += [f"Last: {others[-1]}, {three_digits(last.mean)} times as much."] if len(others) > 1 else []
    elif others:
        parts.append(f"Next: {others[0]}, {scale.quantity(typical[others[0]])}.")
    return Answer(question, _names(alike), " ".join(parts))


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
        yield Answer("Solved", name, f"Instances, in {plural(len(found), 'comparison')} of revisions.")


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
