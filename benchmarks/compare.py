"""Comparison of two records of figures: ``python -m benchmarks compare A.json B.json``.

Each median has an interval that contains the true one with at least 95 % confidence, from order statistics; with fewer
than six samples it is minimum to maximum. The ratio B / A has a bootstrap interval (percentiles of the ratios of
medians, fixed seed). B is faster or slower only where the samples suffice to see it: there are three of each, the
interval of the ratio excludes 1, and those of the medians do not overlap.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.figures import Figure, Record, read
from benchmarks.tables import Row, show
from runner.base import UserError
from runner.execution import outside_of_interval

Interval = tuple[float, float]
RESAMPLES = 10_000
SEED = 0
OUTSIDE_PERCENT = 2.5
"""Share of the ratios outside of each end of their interval."""
NO_DIFFERENCE = "no difference seen"
_SAME = ("processor", "cpu_count", "memory_bytes", "platform", "python")
"""What must be equal of two machines."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("first", type=Path, metavar="A", help="record that python -m benchmarks has written")
    made.add_argument("second", type=Path, metavar="B", help="record to compare with it")
    return made


def main(words: Sequence[str]) -> int:
    """Print the comparison, and return the exit code."""
    options = parser().parse_args(words)
    try:
        first = read(options.first)
        second = read(options.second)
        rows = compared(first, second)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    for note in notes(first, second):
        print(f"note: {note}", file=sys.stderr)
    show(f"A: {options.first}, B: {options.second}", rows)
    return 0


def notes(first: Record, second: Record) -> list[str]:
    """Return how the machines differ, and which figures only one record has."""
    found: list[str] = []
    for key in _SAME:
        own = first.machine.get(key)
        other = second.machine.get(key)
        if own != other:
            found.append(f"the machines differ: {key}: {own} and {other}")
    names = {figure.name for figure in first.figures}
    others = {figure.name for figure in second.figures}
    found += [f"only {'A' if name in names else 'B'} has {name}" for name in sorted(names ^ others)]
    return found


def compared(first: Record, second: Record) -> list[Row]:
    """Return the lines of the table.

    Raises
    ------
    UserError
        If the records have no figure in common.
    """
    others = {figure.name: figure for figure in second.figures}
    rows = [_row_of(figure, others[figure.name]) for figure in first.figures if figure.name in others]
    if not rows:
        raise UserError("the records have no figure in common")
    return rows


def _row_of(first: Figure, second: Figure) -> Row:
    return {
        "": first.name,
        "unit": first.unit,
        "A": _shown(median(first.samples), interval_of_median(first.samples)),
        "B": _shown(median(second.samples), interval_of_median(second.samples)),
        "B / A": _shown(
            median(second.samples) / median(first.samples), interval_of_ratio(first.samples, second.samples)
        ),
        "B is": verdict(first, second),
    }


def interval_of_median(samples: Sequence[float]) -> Interval:
    """Return an interval from order statistics; from minimum to maximum of few samples."""
    ordered = sorted(samples)
    outside = outside_of_interval(len(ordered))
    return ordered[outside], ordered[-1 - outside]


def interval_of_ratio(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the percentile bootstrap interval of the ratio of the medians, second / first."""
    random = np.random.default_rng(SEED)
    medians = [
        np.median(random.choice(np.asarray(samples), (RESAMPLES, len(samples))), axis=1) for samples in (first, second)
    ]
    low, high = np.percentile(medians[1] / medians[0], (OUTSIDE_PERCENT, 100 - OUTSIDE_PERCENT))
    return float(low), float(high)


def verdict(first: Figure, second: Figure) -> str:
    """Return whether the second is faster, slower, or neither as far as the samples show.

    Of fewer than three samples each, two sides are separate by chance too often.
    """
    low, high = interval_of_ratio(first.samples, second.samples)
    own = interval_of_median(first.samples)
    other = interval_of_median(second.samples)
    are_few = min(len(first.samples), len(second.samples)) < 3
    overlap = own[0] <= other[1] and other[0] <= own[1]
    if are_few or overlap or low <= 1 <= high:
        return NO_DIFFERENCE
    is_better = high < 1 if first.better == "less" else low > 1
    return "faster" if is_better else "slower"


def _shown(value: float, interval: Interval) -> str:
    low, high = interval
    return f"{_number(value)} [{_number(low)}, {_number(high)}]"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
