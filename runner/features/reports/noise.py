"""Notes where the noise of measured times is larger than a difference of search times that the report names.

The noise is the interference with the cells (`runner.features.reports.interference`), and the error of the medians of
repeated searches, which falls with their number. A difference is named by an answer, by a pair or a change of revisions
whose interval excludes 1 or whose test is significant, and by a condition of ``--fail-if``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from runner.base import Metric, plural
from runner.features.reports.comparisons import Change, Condition, changes, compare
from runner.features.reports.interference import Disturbance, RecordedInterference, percent
from runner.features.reports.median_times import MIN_SEARCHES, confidence_text, sum_of_medians
from runner.features.reports.rankings import shown_factors
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Estimate
from runner.features.reports.tables import listed, scale_of

TIME = "search_seconds"
LARGE_SHARE = 0.05
"""Share of the time from which interference is noted if no difference of times is named."""
MIN_SECONDS = 0.1
"""Search time of a cell from which it is noted then. In less, a single interruption by the system is a large share."""
_REMEDY = "measure again on an idle machine, with pin=true (docs/measuring.md)"


class Difference(NamedTuple):
    """Difference of two configurations in a metric, as a share of the smaller value."""

    metric: Metric
    first: str
    second: str
    size: float


def noise_notes(runs: Runs, conditions: Sequence[Condition], interference: Sequence[RecordedInterference]) -> list[str]:
    """Return the notes on noise that is larger than a difference; none if the report shows no search times.

    Parameters
    ----------
    conditions : sequence of Condition
        Conditions on changes.
    """
    metrics = [metric for metric in runs.selection.metrics if TIME in metric.inputs]
    if not metrics and not any(condition.metric == TIME for condition in conditions):
        return []
    by_pair: dict[frozenset[str], Difference] = {}
    for difference in _differences(runs, metrics, conditions):
        by_pair.setdefault(frozenset((difference.first, difference.second)), difference)
    differences = list(by_pair.values())
    return [*_on_interference(differences, interference), *_on_medians(runs, differences)]


def _differences(runs: Runs, metrics: Sequence[Metric], conditions: Sequence[Condition]) -> Iterator[Difference]:
    """Yield the differences that the report names."""
    for metric in metrics:
        if metric in runs.selection.important:
            for larger, smaller, factor in shown_factors(runs, metric):
                yield Difference(metric, larger, smaller, factor - 1)
        for change in changes(runs, metric):
            if _excludes_1(change.comparison.ratio) or change.verdict(metric) in ("better", "worse", "changed"):
                yield _of_change(runs, metric, change)
    main = runs.selection.main
    if main is not None and main in metrics:
        wide = runs.comparable(main)
        for first, second in runs.selection.pairs:
            ratio = compare(wide, main, first, second).ratio
            if _excludes_1(ratio):
                yield Difference(main, first, second, _size(ratio.mean))
    for condition in conditions:
        if condition.metric == TIME:
            time = runs.declared.all_metrics[TIME]
            for change in changes(runs, time):
                if condition.holds(change.comparison.ratio.mean):
                    yield _of_change(runs, time, change)


def _of_change(runs: Runs, metric: Metric, change: Change) -> Difference:
    names = runs.variants[change.configuration]
    return Difference(metric, names[change.after], names[change.before], _size(change.comparison.ratio.mean))


def _excludes_1(ratio: Estimate) -> bool:
    return ratio.low > 1 or ratio.high < 1


def _size(ratio: float) -> float:
    return max(ratio, 1 / ratio if ratio else math.inf) - 1


def _on_interference(differences: Sequence[Difference], interference: Sequence[RecordedInterference]) -> Iterator[str]:
    """Yield a note if interference may explain a difference, or is large where no difference is named."""
    if not differences:
        measured = [each for each in interference if (each.recorded.wall_seconds or 0) >= MIN_SECONDS]
        disturbed = [each for each in measured if each.disturbance.share > LARGE_SHARE]
        if disturbed:
            yield f"search times: interference in {_described(disturbed)}; {_REMEDY}"
        return
    small = list[Difference]()
    disturbed = list[RecordedInterference]()
    for difference in differences:
        pair = {difference.first, difference.second}
        cells = [each for each in interference if not pair.isdisjoint(each.configurations)]
        larger = [each for each in cells if each.disturbance.excess > difference.size]
        if larger:
            small.append(difference)
            disturbed += larger
    if small:
        unique = list({each.cell: each for each in disturbed}.values())
        yield f"{_named(small[0])}, which interference in {_described(unique)} may explain{_others(small)}; {_REMEDY}"


def _on_medians(runs: Runs, differences: Sequence[Difference]) -> Iterator[str]:
    """Yield a note if intervals of median times overlap, and one if they have a confidence below 95 %."""
    overlapping: dict[Difference, str] = {}
    uncertain: dict[Difference, str] = {}
    for difference in differences:
        found = _medians(runs, difference.first, difference.second)
        if found is None:
            continue
        faster, slower, searches = found
        confidence = confidence_text(searches)
        if slower.low <= faster.high:
            ends = np.exp([faster.low, faster.high, slower.low, slower.high])
            scale = scale_of(runs.declared.all_metrics[TIME], ends, are_means=True)
            low, high, next_low = map(scale.text, ends[:3])
            shown = f"{low} to {high} and {next_low} to {scale.quantity(ends[3])}"
            overlapping[difference] = f"{shown}, confidence {confidence}"
        elif searches < MIN_SEARCHES:
            uncertain[difference] = (
                f"medians of {searches:g} searches, whose intervals have a confidence of {confidence}"
            )
    if overlapping:
        first, shown = next(iter(overlapping.items()))
        noise = f"but the intervals of their median times overlap ({shown})"
        yield f"{_named(first)}, {noise}{_others([*overlapping])}; table repetitions"
    if uncertain:
        first, shown = next(iter(uncertain.items()))
        yield f"{_named(first)}, by {shown}{_others([*uncertain])}; repeat={MIN_SEARCHES} gives at least 95 %"


def _medians(runs: Runs, first: str, second: str) -> tuple[Estimate, Estimate, float] | None:
    """Return the mean logarithms of the median times of two configurations, with intervals, the faster one first.

    They are over the common instances, and the intervals are for the errors of measurement alone. The last value is
    the least number of searches of an instance. None without intervals.
    """
    names = (TIME, "seconds_low", "seconds_high", "repetitions")
    columns = [runs.comparable(runs.declared.all_metrics[name])[[first, second]] for name in names]
    both = pd.concat(columns, axis=1).dropna()
    if not len(both):
        return None
    values = both.to_numpy().T.reshape(len(names), 2, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(values[:3])
        weights = np.full(len(both), 1 / len(both))
        times = logarithms.transpose(1, 0, 2)
        found = [sum_of_medians(seconds, low, high, weights) for seconds, low, high in times]
    faster, slower = sorted(found, key=lambda each: each.mean)
    return faster, slower, float(values[3].min())


def _named(difference: Difference) -> str:
    values = "search times" if difference.metric.name == TIME else f"values of {difference.metric.title}"
    return f"the {values} of {difference.first} and {difference.second} differ by {percent(difference.size)}"


def _others(differences: Sequence[Difference]) -> str:
    """Return how many pairs the sentence does not name."""
    others = len(differences) - 1
    return f", as for {plural(others, 'other pair')}" if others else ""


def _described(disturbed: Sequence[RecordedInterference]) -> str:
    """Return the cells, and the largest interference with them."""
    names = listed([each.cell for each in disturbed])
    largest: Disturbance = max(each.disturbance for each in disturbed)
    return f"{'cells' if len(disturbed) > 1 else 'cell'} {names} ({largest.kind} {percent(largest.share)} of the time)"
