"""Repeated searches of the instances of a cell (`repeat=N`): one row for each, with the medians of their times.

The searches of an instance are not made in a row, so that a drift of the machine concerns all instances alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median, median_low
from typing import Any, NamedTuple

from runner.base import ERROR, INTERRUPTED, NAMES, Declared, Result
from runner.config import Cell

_EQUAL = ("status", "cost", "length", "reward", "actions", "expanded", "generated")
"""Columns that do not depend on time."""
_COUNTED = ("peak_bytes", "page_faults")
"""Columns in whole numbers that differ from search to search."""
_DERIVED = ("compile_seconds", "seconds_low", "seconds_high")
_ERROR = 0.05
"""Largest probability that the median is outside of its interval."""


@dataclass
class _Searches:
    """Searches of one instance: the answers, and how many have been made."""

    results: list[Result] = field(default_factory=list)
    made: int = 0


class RepeatedSearch(NamedTuple):
    """Search of an instance among several.

    Attributes
    ----------
    is_first : bool
    repetition : int
        Number of the search among those of the instance, from 1; 0 if it does not count.
    result : Result or None
        Result of all searches of the instance, if this is the last.
    """

    is_first: bool
    repetition: int
    result: Result | None


class Repetitions:
    """Searches of the instances of a cell, until each has been searched often enough.

    A search that fails or ends at a limit is not repeated. If a later search does, or is interrupted, it does not count
    in the result.

    Parameters
    ----------
    cell : Cell
        Its limit of time, if there is one, may end searches at other counts.
    """

    def __init__(self, cell: Cell) -> None:
        self._times = cell.repeat
        self._declared = cell.declared
        self._has_deadline = cell.limits.has_deadline
        self._searches: dict[int, _Searches] = {}
        self._not_repeated: set[int] = set()

    def add(self, number: int, result: Result) -> RepeatedSearch:
        """Add a search of the instance with a number."""
        if number in self._not_repeated:  # another worker had begun before the first search failed
            return RepeatedSearch(is_first=False, repetition=0, result=None)
        is_first = number not in self._searches
        searches = self._searches.setdefault(number, _Searches())
        is_answer = self._declared.status(result.status).is_end
        if is_first or result.status != INTERRUPTED.name:
            searches.made += 1
        if is_first:
            searches.results.append(result)
        elif is_answer:
            searches.results.append(replace(result, plan=None, output=""))  # those of the first count
        if is_first and not is_answer:
            self._not_repeated.add(number)
        elif searches.made < self._times:
            return RepeatedSearch(is_first, repetition=searches.made, result=None)
        made = self._searches.pop(number)
        return RepeatedSearch(is_first, repetition=made.made, result=self._merged(made))

    def unfinished(self) -> Iterator[tuple[int, Result]]:
        """Remove the instances whose searches were cut short, and yield those with more than one search."""
        for number, searches in sorted(self._searches.items()):
            if searches.made > 1:
                yield number, self._merged(searches)
        self._searches.clear()

    def _merged(self, searches: _Searches) -> Result:
        results = searches.results
        if searches.made == 1:
            return results[0]
        return (None if self._has_deadline else _difference(results)) or _medians(
            results, searches.made, self._declared
        )


def _difference(results: Sequence[Result]) -> Result | None:
    """Return an error if the searches differ, although nothing was random."""
    for number, result in enumerate(results[1:], 2):
        for name in _EQUAL:
            one, other = getattr(results[0], name), getattr(result, name)
            if one != other:
                text = f"search {number} of {len(results)} differs from the first: {name} is {other} instead of {one}"
                return replace(results[0], status=ERROR.name, error=text)
    return None


def _medians(results: Sequence[Result], made: int, declared: Declared) -> Result:
    """Return the first result with the median of each time, an interval, and how much the search time varied."""
    first = results[0]
    seconds = {name for name, metric in declared.all_metrics.items() if metric.unit == "s"}.difference(_DERIVED)

    def values_of(name: str) -> list[Any]:
        return [value for result in results if (value := getattr(result, name, None)) is not None]

    changed = {name: median_low(values) for name in _COUNTED if (values := values_of(name))}
    changed |= {name: median(values) for name in seconds.intersection(NAMES) if (values := values_of(name))}
    measured = {
        name: median(values) if name in seconds and (values := values_of(name)) else value
        for name, value in first.measured.items()
    }
    times = sorted(values_of("search_seconds")) or [0.0]
    outside = outside_of_interval(len(times))
    return replace(
        first,
        **changed,
        core=first.core if all(result.core == first.core for result in results) else None,
        repetitions=made,
        spread=(times[-1] - times[0]) / median(times) if median(times) else None,
        seconds_low=times[outside],
        seconds_high=times[-1 - outside],
        measured=measured,
    )


def outside_of_interval(count: int) -> int:
    """Return how many of the smallest of some values, and of the largest, are outside of an interval of the median.

    The interval from the (k + 1)-th smallest to the (k + 1)-th largest of n independent values contains the median of
    their distribution with the probability 1 - 2 P(B <= k), where B is binomial with n and 1/2 (David and Nagaraja:
    Order statistics, 2003, section 7.1). This is the largest k for which it is at least 95 %; 0 with fewer than six
    values.
    """
    outside = 0
    left_tail = 1.0
    while True:
        left_tail += math.comb(count, outside + 1)
        if 2 * left_tail > _ERROR * 2**count or 2 * (outside + 1) >= count:
            return outside
        outside += 1
