"""Answers at the top of a report: which configuration solves most, which needs least, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import Metric, plural
from runner.features.reports.comparisons import changes, coverage_changes
from runner.features.reports.penalties import LIMITED, PENALTIES, penalised
from runner.features.reports.rankings import comparable_values, ranking
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import MIN_INSTANCES, geometric_mean, ratio_of_sums
from runner.features.reports.tables import listed, scale_of, three_digits

_MAX_NAMES = 2


class Answer(NamedTuple):
    """Answer to a question, such as "Least expanded": the name of the configuration, or several, and numbers for it."""

    question: str
    name: str
    detail: str = ""


def answers(runs: Runs, metrics: Sequence[Metric]) -> list[Answer]:
    """Return the answers for some metrics: which configuration solves most, and which has the best values.

    If the best in the first metric has expensive plans, the best of those with the cheapest plans is another answer.
    Metrics with too few common instances are not compared; if these are a minority, penalised averages are. If there
    are revisions, the answers tell what has changed. If worlds have configurations of their own, answers are by world.
    """
    if runs.variants:
        return [*_solved_change(runs), *(each for metric in metrics for each in _change(runs, metric))]
    if runs.worlds_apart:
        return [
            each._replace(question=f"{world}: {each.question}")
            for world, rows in runs.worlds_apart.items()
            for each in answers(rows, metrics)
        ]
    too_few: dict[int, list[str]] = {}
    found = [_most_successes(runs)]
    for metric in metrics:
        wide, is_shared = runs.common(metric)
        if not wide.size or metric.better == "neither":
            continue
        if wide.shape[1] == 1:
            found.append(_typical(metric, wide))
            continue
        if comparable_values(runs, metric) is None:
            too_few.setdefault(len(wide) * is_shared, []).append(metric.title)
            continue
        question = f"{'Least' if metric.better == 'less' else 'Highest'} {metric.title}"
        missing = len(runs.configurations) - wide.shape[1]
        without = f" ({plural(missing, 'configuration')} without values)" if missing else ""
        found.append(_best(metric, wide, question + without))
        cheapest = _cheapest(runs, wide)
        if metric == metrics[0] and metric.better == "less" and 1 < len(cheapest) < wide.shape[1]:
            best = _best(metric, wide[cheapest], f"{question} with the cheapest plans")
            found += [best] if best.name != found[-1].name else []
    return _with_few(runs, found, too_few)


def _with_few(runs: Runs, found: list[Answer], too_few: dict[int, list[str]]) -> list[Answer]:
    """Return answers with those on metrics that have too few common instances.

    If these are a minority, that is the first answer, and the last ones compare penalised averages.
    """
    total = runs.table["instance"].cat.codes.nunique()
    averages = list(_penalised(runs)) if any(2 * count < total for count in too_few) else []
    instead = "coverage and PAR10" if averages else "coverage (PAR10 needs limits)"
    first = list[Answer]()
    for count, titles in too_few.items():
        names = ", ".join(titles)
        common = f"{count:,} of {plural(total, 'instance')}"
        if 2 * count >= total:
            few = f"{plural(count, 'common instance')}: too few to compare"
            found.append(Answer(names[:1].upper() + names[1:], few))
            continue
        few = ": too few to compare" if count < MIN_INSTANCES else ""
        which = "Only these have" if count else "None has"
        why = f"{which} values of every configuration in {names}. Compared instead: {instead}."
        first.append(Answer("Common instances", common + few, why))
    return [*first, *found, *averages]


def _penalised(runs: Runs) -> Iterator[Answer]:
    """Yield which configuration has the least PAR10, for each limit that all failures have."""
    for limit, name in LIMITED.items():
        metric = runs.declared.all_metrics[name]
        wide = runs.of_shared.means(penalised(runs.of_shared, limit, max(PENALTIES)))
        if len(wide) and not wide.isna().to_numpy().any():
            title = f"PAR{max(PENALTIES)} {metric.title}"
            if len(wide) < MIN_INSTANCES:
                yield Answer(title, f"{plural(len(wide), 'instance')}: too few to compare")
            else:
                yield _best(metric, wide, f"Least {title}", by_mean=True)


def _most_successes(runs: Runs) -> Answer:
    """Return which configuration solves most, of the instances that all have tried, if there are any."""
    shared = runs.of_shared
    names = runs.configurations
    of_runs = runs.is_replicated
    solved, rows = shared.successes
    rates = solved / rows
    most, fewest = int(rates.argmax()), int(rates.argmin())
    best = [name for name, rate in zip(names, rates, strict=True) if rate == rates[most]]
    total = plural(int(rows[most]), "run" if of_runs else "instance") + " that all have tried" * (shared is not runs)
    of = f"{int(solved[most]):,} of {total}"
    if len(names) == 1:
        return Answer("Successes", of, names[0])
    if not runs.shares_instances:
        every = f"{int(solved.sum()):,} of {plural(int(rows.sum()), 'row')}"
        return Answer("Successes", every, "No instance was tried by all configurations.")
    if len(best) == len(names):
        return Answer("Most successes", f"all {len(names)} alike", f"{of}.")
    least = f"{int(solved[fewest]):,}" + f" of {int(rows[fewest]):,}" * bool(rows[fewest] != rows[most])
    if rows[most] < MIN_INSTANCES:
        return Answer("Successes", f"{of} ({names[most]}) to {least} ({names[fewest]}): too few to compare")
    return Answer("Most successes", listed(best, _MAX_NAMES), f"{of}. Fewest: {names[fewest]}, {least}.")


def _best(metric: Metric, wide: pd.DataFrame, question: str, *, by_mean: bool = False) -> Answer:
    """Return which column has the best mean, with the factors by which the next and the last one are worse.

    Columns that are not shown to be worse than the best are named beside it.
    """
    found = ranking(wide, metric.better, by_mean=by_mean)
    means, first, tied, behind = found.means, found.alike[0], found.tied, found.behind
    scale = scale_of(metric, means.to_numpy(np.float64), are_means=True)

    def against(name: str) -> str:
        estimate = found.others[name]
        if not found.has_ratios:
            values = (estimate.mean, estimate.low, estimate.high)
            size, low, high = (scale.text(value) for value in values)
            return f"{scale.quantity(means[name])}. Difference: {size}. 95 % interval: {low} to {high}."
        sums = three_digits(ratio_of_sums(wide[name].to_numpy(), wide[first].to_numpy()))
        interval = f"95 % interval: {three_digits(estimate.low)} to {three_digits(estimate.high)}"
        return f"{three_digits(estimate.mean)} times as much. {interval}. Ratio of sums: {sums}."

    over = plural(len(wide), "common instance")
    if len(found.used) < len(wide):
        over = f"{len(found.used):,} of {over}"
    kind = "geometric mean" if found.has_ratios else "mean"
    parts = [f"{scale.quantity(means[first])}, the {kind} of {over}."]
    if len(found.used) < len(wide):
        zeros = [str(name) for name in wide if (wide[name] <= 0).any()]
        parts.append(f"Left out: {len(wide) - len(found.used):,} with the value 0 for {listed(zeros, _MAX_NAMES)}.")
    verb = "needs" if found.has_ratios else "has"
    parts += [f"No difference is shown: {name} {verb} {against(name)}" for name in tied[:1]]
    parts += [f"Next: {name}, {against(name)}" for name in behind[:1]]
    if len(behind) > 1:
        last = behind[-1]
        worst = f"{three_digits(means[last] / means[first])} times as much"
        parts.append(f"Last: {last}, {worst if found.has_ratios else scale.quantity(means[last])}.")
    return Answer(question, listed([*found.alike, *tied], _MAX_NAMES), " ".join(parts))


def _typical(metric: Metric, wide: pd.DataFrame) -> Answer:
    """Return the mean of the only column."""
    values = wide.iloc[:, 0].to_numpy()
    kind, mean = "geometric mean", geometric_mean(values) if metric.log_scale else math.nan
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
    if "too few instances" in verdicts and {"too few instances", "same values"}.issuperset(verdicts):
        most = max(len(each.comparison.first) for each in found)
        yield Answer(metric.title.capitalize(), f"{plural(most, 'common instance')}: too few to compare")
        return
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
