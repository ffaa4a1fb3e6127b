"""Notes where the noise of measured times is larger than a difference of search times that the report names.

The noise is the interference with the cells (`runner.features.reports.interference`), and the spread of repeated
searches. A difference is named by an answer, by a pair or a change of revisions whose interval excludes 1 or whose
test is significant, and by a condition of ``--fail-if``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from runner.base.messages import plural
from runner.base.metric import Metric
from runner.features.reports.answers import shown_factors
from runner.features.reports.comparisons import Change, Condition, changes, compare
from runner.features.reports.interference import Disturbance, RecordedInterference, percent
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Estimate
from runner.features.reports.tables import listed

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
    return [*_on_interference(differences, interference), *_on_spread(runs, differences)]


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


def _on_spread(runs: Runs, differences: Sequence[Difference]) -> Iterator[str]:
    """Yield a note if the spread of repeated searches is larger than a difference."""
    spreads = runs.comparable(runs.declared.all_metrics["spread"])
    small: dict[Difference, float] = {}
    for difference in differences:
        both = spreads[[difference.first, difference.second]].dropna()
        spread = float(both.mean().max())  # NaN without instances
        if spread > difference.size:
            small[difference] = spread
    if small:
        first, spread = next(iter(small.items()))
        noise = f"less than the spread of their repetitions ({percent(spread)}){_others([*small])}"
        has_intervals = bool(runs.table["seconds_low"].notna().any())
        yield f"{_named(first)}, {noise}{'; intervals of the times: table repetitions' * has_intervals}"


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
