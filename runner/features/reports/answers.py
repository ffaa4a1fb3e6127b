"""Answers at the top of a report: which configuration solves most, which needs least, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base.messages import plural
from runner.base.metric import Metric
from runner.features.reports.comparisons import changes, coverage_changes
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Estimate, geometric_mean, ratio, ratio_of_sums
from runner.features.reports.tables import scale_of, three_digits

_MAX_NAMES = 2


class Answer(NamedTuple):
    """Answer to a question, such as "Least expanded": the name of the configuration, or several, and numbers for it."""

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
        wide, is_shared = runs.common(metric)
        if not is_shared or metric.better == "neither":
            continue
        if wide.shape[1] == 1:
            found.append(_typical(metric, wide))
            continue
        question = f"{'Least' if metric.better == 'less' else 'Highest'} {metric.title}"
        missing = len(runs.configurations) - wide.shape[1]
        without = f" ({plural(missing, 'configuration')} without values)" if missing else ""
        found.append(_best(metric, wide, question + without))
        cheapest = _cheapest(runs, wide)
        if metric == metrics[0] and metric.better == "less" and 1 < len(cheapest) < wide.shape[1]:
            best = _best(metric, wide[cheapest], f"{question} with the cheapest plans")
            found += [best] if best.name != found[-1].name else []
    return found


def _most_successes(runs: Runs) -> Answer:
    solved, rows = runs.successes
    names, of_runs = runs.configurations, runs.is_replicated
    rates = solved / rows if of_runs else solved
    most, fewest = int(rates.argmax()), int(rates.argmin())
    best = [name for name, rate in zip(names, rates, strict=True) if rate == rates[most]]
    total = plural(int(rows[most]), "run") if of_runs else plural(int(rows.max()), "instance")
    of = f"{int(solved[most]):,} of {total}"
    if len(names) == 1:
        return Answer("Successes", of, names[0])
    if len(best) < len(names):
        least = f"{int(solved[fewest]):,}" + f" of {int(rows[fewest]):,}" * of_runs
        return Answer("Most successes", _names(best), f"{of}. Fewest: {names[fewest]}, {least}.")
    return Answer("Most successes", f"all {len(names)} alike", f"{of}.")


class _Ranking(NamedTuple):
    """Order of configurations by their mean, the best first.

    `kind` names the mean, `used` has the instances over which it is taken, `alike` the first configuration and those
    with the same values, `others` the rest.
    """

    kind: str
    means: pd.Series
    used: pd.DataFrame
    alike: list[str]
    others: list[str]


def _ranking(metric: Metric, wide: pd.DataFrame) -> _Ranking:
    """Rank columns by the geometric mean of the rows without zeros, or by the mean if more is better."""
    positive = wide[(wide > 0).all(axis=1)]
    has_ratios = metric.better == "less" and len(positive) > 0
    used = positive if has_ratios else wide
    means = used.apply(lambda column: geometric_mean(column.to_numpy())) if has_ratios else used.mean()
    means = means.sort_values(ascending=metric.better == "less", kind="stable")
    names = [str(name) for name in means.index]
    alike = [name for name in names if (wide[name] == wide[names[0]]).all()]
    others = [name for name in names if name not in alike]
    return _Ranking("geometric mean" if has_ratios else "mean", means, used, alike, others)


def best_pair(runs: Runs, metric: Metric) -> tuple[str, str] | None:
    """Return the best configuration in a metric and the runner-up; None without common instances or differences."""
    wide, is_shared = runs.common(metric)
    if not is_shared or metric.better == "neither":
        return None
    found = _ranking(metric, wide)
    return (found.alike[0], found.others[0]) if found.others else None


def has_winner(runs: Runs, metric: Metric) -> bool:
    """Return whether the answers name one configuration, or equal ones, as the best in a metric.

    They do not if the interval of the ratio of the next one to the best contains 1.
    """
    wide, is_shared = runs.common(metric)
    if not is_shared or metric.better == "neither" or wide.shape[1] < 2:
        return True
    kind, _, used, alike, others = _ranking(metric, wide)
    return kind == "mean" or not others or ratio(used[others[0]].to_numpy(), used[alike[0]].to_numpy()).low > 1


class Factor(NamedTuple):
    """Factor by which the values of a configuration are larger than those of another one."""

    larger: str
    smaller: str
    factor: float


def shown_factors(runs: Runs, metric: Metric) -> list[Factor]:
    """Return the factors by which the answers call other configurations worse than the best one in a metric."""
    wide, is_shared = runs.common(metric)
    if runs.variants or not is_shared or metric.better == "neither" or wide.shape[1] < 2:
        return []
    ranking = _ranking(metric, wide)
    if ranking.kind == "mean":
        return []
    best = ranking.alike[0]
    tied, following = _behind(ranking)
    found = [Factor(following[0], best, following[1].mean)] if following is not None else []
    if len(ranking.others) > len(tied) + 1:
        found.append(Factor(ranking.others[-1], best, ranking.means[ranking.others[-1]] / ranking.means[best]))
    return found


def _behind(ranking: _Ranking) -> tuple[dict[str, Estimate], tuple[str, Estimate] | None]:
    """Return the ratios to the best of the next configurations, of those for which no difference is shown.

    The second value is the first configuration with a difference, and its ratio.
    """
    best = ranking.used[ranking.alike[0]].to_numpy()
    tied: dict[str, Estimate] = {}
    for name in ranking.others:
        estimate = ratio(ranking.used[name].to_numpy(), best)
        if estimate.low > 1:
            return tied, (name, estimate)
        tied[name] = estimate
    return tied, None


def _best(metric: Metric, wide: pd.DataFrame, question: str) -> Answer:
    """Return which column has the best mean, with the factors by which the next and the last one are worse.

    Columns whose ratio to the best has an interval that contains 1 are named beside it.
    """
    ranking = _ranking(metric, wide)
    kind, means, used, alike, others = ranking
    first = alike[0]
    scale = scale_of(metric, means.to_numpy(np.float64), are_means=True)
    over = plural(len(wide), "common instance")
    if len(used) < len(wide):
        over = f"{len(used):,} of {over}"
    parts = [f"{scale.quantity(means[first])}, the {kind} of {over}."]
    if len(used) < len(wide):
        zeros = [str(name) for name in wide if (wide[name] <= 0).any()]
        parts.append(f"Left out: {len(wide) - len(used):,} with the value 0 for {_names(zeros)}.")
    if kind == "mean":
        parts += [f"Next: {others[0]}, {scale.quantity(means[others[0]])}." for _ in others[:1]]
        return Answer(question, _names(alike), " ".join(parts))
    tied, following = _behind(ranking)
    for name, estimate in list(tied.items())[:1]:
        parts.append(f"No difference is shown: {name} needs {_times(estimate, wide, name, first)}.")
    if following is not None:
        name, estimate = following
        parts.append(f"Next: {name}, {_times(estimate, wide, name, first)}.")
    if len(others) > len(tied) + 1:
        parts.append(f"Last: {others[-1]}, {three_digits(means[others[-1]] / means[first])} times as much.")
    return Answer(question, _names([*alike, *tied]), " ".join(parts))


def _times(estimate: Estimate, wide: pd.DataFrame, name: str, first: str) -> str:
    """Return a ratio with its interval and the ratio of the sums."""
    interval = f"95 % interval {three_digits(estimate.low)} to {three_digits(estimate.high)}"
    sums = three_digits(ratio_of_sums(wide[name].to_numpy(), wide[first].to_numpy()))
    return f"{three_digits(estimate.mean)} times as much ({interval}; ratio of sums {sums})"


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
    if found := list(coverage_changes(runs)):
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
    means = [each.comparison.ratio.mean for each in found]
    sizes = [abs(math.log(mean)) if mean > 0 else 0.0 for mean in means]  # how far a ratio is from 1
    if (size := max(sizes)) > 0:
        place = sizes.index(size)
        detail += f" Largest: {found[place].configuration}, {three_digits(means[place])} times as much in "
        detail += f"{found[place].after}."
    yield Answer(metric.title.capitalize(), ", ".join(counts) or "no significant change", detail)


def _cheapest(runs: Runs, wide: pd.DataFrame) -> list[str]:
    """Return the columns whose plans cost the least on every instance of a table."""
    costs = runs.comparable(runs.declared.all_metrics["cost"]).reindex(index=wide.index, columns=wide.columns)
    least = costs.min(axis=1)
    if least.isna().all():
        return []
    return [str(name) for name in costs if costs[name].equals(least)]


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
